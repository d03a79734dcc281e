/** What is wrong; branch on it. `message` says what to change. */
export type WebhookProblem =
  | 'body_parsed'
  | 'body_changed'
  | 'headers_missing'
  | 'secret_malformed'
  | 'signature_mismatch'
  | 'too_old'
  | 'too_new'

/** The webhook could not be verified. Answer 400 and do nothing. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  readonly problem: WebhookProblem

  constructor(problem: WebhookProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
