import { describeIssue, plainMessage } from './plain-words'

export type FieldIssue = { field: string; issue: string }

/** An answer other than success: an expected "no", a failure of the server, or no answer at all. */
export class ApiRefusal extends Error {
  /** 0: no answer arrived. */
  readonly status: number
  readonly code: string
  readonly reason: string | undefined
  readonly details: FieldIssue[]
  readonly nextStep: string | undefined
  readonly requestId: string | undefined

  constructor(given: {
    status: number
    message: string
    code?: string
    reason?: string
    details?: FieldIssue[]
    nextStep?: string
    requestId?: string
  }) {
    super(given.message)
    this.status = given.status
    this.code = given.code ?? 'internal_error'
    this.reason = given.reason
    this.details = given.details ?? []
    this.nextStep = given.nextStep
    this.requestId = given.requestId
  }

  /** What the refusal says about one field of a form, such as `customer.email`. */
  issueOf(field: string): string | undefined {
    const found = this.details.find((detail) => detail.field === field)
    return found && describeIssue(found).issue
  }

  /** What people read. `message` may speak to programs. */
  get sentence(): string {
    return plainMessage(this)
  }
}

export function toRefusal(error: unknown): ApiRefusal {
  if (error instanceof ApiRefusal) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ApiRefusal({ status: 0, message })
}
