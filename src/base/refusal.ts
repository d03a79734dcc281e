import { limits } from './limits.js'
import { type Code, codes, type Reason, reasons, waitOf } from './refusals.js'

export type Detail = { field: string; issue: string }

type RefusalOptions = {
  message: string
  reason?: Reason
  details?: Detail[]
  retryAfterSeconds?: number
  /** Replaces the next step of refusals.ts where that does not fit the caller. */
  nextStep?: string
}

/**
 * An expected "no" to the caller. The message says what to change; status and next step come from
 * refusals.ts. Anything else that is thrown is a bug.
 */
export class Refusal extends Error {
  readonly code: Code
  readonly reason: Reason | undefined
  readonly details: Detail[] | undefined
  readonly ownRetryAfterSeconds: number | undefined
  readonly ownNextStep: string | undefined

  constructor(code: Code, options: RefusalOptions) {
    super(options.message)
    this.name = 'Refusal'
    this.code = code
    this.reason = options.reason
    this.details = options.details
    this.ownRetryAfterSeconds = options.retryAfterSeconds
    this.ownNextStep = options.nextStep
  }

  /** The same refusal under the code of another operation. */
  under(code: Code): Refusal {
    const { message, reason, ownNextStep: nextStep, retryAfterSeconds } = this
    return new Refusal(code, {
      message,
      ...(nextStep !== undefined && { nextStep }),
      ...(reason && { reason }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    })
  }

  get status(): number {
    return this.reason ? reasons[this.reason].status : codes[this.code].status
  }

  /** Set wherever the caller can only wait. */
  get retryAfterSeconds(): number | undefined {
    if (this.ownRetryAfterSeconds !== undefined) return this.ownRetryAfterSeconds
    return this.reason && waitOf(this.reason)
  }

  get nextStep(): string {
    if (this.ownNextStep !== undefined) return this.ownNextStep
    return this.reason ? reasons[this.reason].nextStep : codes[this.code].nextStep
  }
}

/** The result of one call in a batch. */
export type Outcome<Value> = Value | Refusal

/** For calls that throw their refusals. */
export function returnRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

/** For a field that a schema accepts; `issue` completes the sentence that its name begins. */
export function invalidField(field: string, issue: string): Refusal {
  return new Refusal('validation_failed', {
    message: `${field} ${issue}.`,
    details: [{ field, issue }],
  })
}

export function notFound(what: string, reference: string): Refusal {
  const message =
    reference === ''
      ? `The path must end with the reference of a ${what}.`
      : `No ${what} ${quoteInput(reference)} exists. Check the reference and the mode of your API key.`
  return new Refusal('not_found', { message })
}

/** For a change that may have happened. `rail_unavailable` would promise that it did not. */
export function outcomeUnknown(message: string): Refusal {
  return new Refusal('internal_error', { reason: 'outcome_unknown', message })
}

/** Caller input as quoted in a message: shortened, and without control characters. */
export function quoteInput(name: string): string {
  const plain = name.replace(/\p{C}/gu, '�')
  return plain.length > limits.names.length ? `${plain.slice(0, limits.names.length)}…` : plain
}
