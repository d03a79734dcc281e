import { bind } from './bind.js'
import { operations } from './operations.js'
import { type ManillaOptions, toConnection } from './options.js'
import type { Resources } from './resources.js'
import { verifyWebhook } from './verify-webhook.js'

export {
  AuthenticationError,
  ConnectionError,
  type ErrorCode,
  type ErrorReason,
  InsufficientBalanceError,
  ManillaError,
  NotFoundError,
  RateLimitError,
  ValidationError,
} from './errors.js'
export type { AnswerFacts, ManillaOptions, RequestOptions, WriteOptions } from './options.js'
export type { Page, Pages } from './pages.js'
export type { Resources } from './resources.js'
export { type SignOptions, signWebhook } from './sign-webhook.js'
export type * from './types.js'
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.js'
export { WebhookError, type WebhookProblem } from './webhook-error.js'

/** A client of your Manilla service. */
export type Manilla = Resources & {
  readonly webhooks: {
    /** Verifies signature and age of a webhook and returns the event. */
    verify: typeof verifyWebhook
  }
}

type Constructor = new (key: string | undefined, options: ManillaOptions) => Manilla

/**
 * ```ts
 * const manilla = new Manilla(process.env.MANILLA_KEY, { baseUrl: 'https://pay.example.com' })
 * const { accountNumber } = await manilla.virtualAccounts.create({
 *   merchantReference: 'order-1001',
 *   amount: 500_000,
 * })
 * ```
 *
 * The key decides the mode: `sk_test_…` or `sk_live_…`. Printing the client never shows the key.
 */
export const Manilla = class Manilla {
  constructor(key: string | undefined, options: ManillaOptions) {
    const connection = toConnection(key, options)
    Object.assign(this, bind(connection, operations), { webhooks: { verify: verifyWebhook } })
  }
} as Constructor
