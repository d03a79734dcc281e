/** What was wrong, in a word to branch on; `message` says what to change. */
export type WebhookProblem =
  | 'body_parsed'
  | 'body_changed'
  | 'headers_missing'
  | 'secret_malformed'
  | 'signature_mismatch'
  | 'too_old'
  | 'too_new'

/** The request is not proven to come from Manilla. Answer 400 and do nothing. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  readonly problem: WebhookProblem

  constructor(problem: WebhookProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
