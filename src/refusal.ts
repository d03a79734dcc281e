import { type Code, codes, type Reason, reasons } from './refusals.js'

export type Detail = { field: string; issue: string }

type Particulars = { message: string; reason?: Reason; details?: Detail[] }

/**
 * An expected "no" to the caller. The message says what to change; status and next step come from
 * the table of refusals. Anything else that is thrown is a bug.
 */
export class Refusal extends Error {
  readonly code: Code
  readonly reason: Reason | undefined
  readonly details: Detail[] | undefined

  constructor(code: Code, particulars: Particulars) {
    super(particulars.message)
    this.name = 'Refusal'
    this.code = code
    this.reason = particulars.reason
    this.details = particulars.details
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
