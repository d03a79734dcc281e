import { limits } from './limits.js'
import { type Code, codes, type Reason, reasons } from './refusals.js'

export type Detail = { field: string; issue: string }

type Particulars = {
  message: string
  reason?: Reason
  details?: Detail[]
  /** When it makes sense to ask again. */
  retryAfterSeconds?: number
}

/**
 * An expected "no" to the caller. The message says what to change; status and next step come from
 * the table of refusals. Anything else that is thrown is a bug.
 */
export class Refusal extends Error {
  readonly code: Code
  readonly reason: Reason | undefined
  readonly details: Detail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: Code, particulars: Particulars) {
    super(particulars.message)
    this.name = 'Refusal'
    this.code = code
    this.reason = particulars.reason
    this.details = particulars.details
    this.retryAfterSeconds = particulars.retryAfterSeconds
  }

  get status(): number {
    return this.reason ? reasons[this.reason].status : codes[this.code].status
  }

  get nextStep(): string {
    return this.reason ? reasons[this.reason].nextStep : codes[this.code].nextStep
  }
}

/** What a use case over a list says of one of its calls. */
export type Outcome<Value> = Value | Refusal

/** Of a name that a caller sent: what is not known here, in this environment. */
export function notFound(what: string, reference: string): Refusal {
  const message =
    reference === ''
      ? `The path ends where the reference of a ${what} belongs. Name one.`
      : `There is no ${what} ${sayBack(reference)}. Check the reference, and the mode of the key.`
  return new Refusal('not_found', { message })
}

/** A name is said back, but not at any length, and not with what could disturb a terminal. */
export function sayBack(name: string): string {
  const plain = name.replace(/\p{C}/gu, '�')
  return plain.length > limits.names.length ? `${plain.slice(0, limits.names.length)}…` : plain
}
