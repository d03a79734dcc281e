import { randomBytes } from 'node:crypto'
import { type Outcome, Refusal } from '../../src/base/refusal.js'
import type {
  AttemptFinding,
  Inspected,
  InspectionPurpose,
  LiveAttempt,
  PayoutInstruction,
  PayoutRail,
  PreparedAttempt,
  Target,
} from '../../src/payouts/ports.js'

/**
 * A minimal payout rail: remembers what it was sent by token and reports each attempt as landed, or
 * as the test demands.
 */
export class PaperRail implements PayoutRail {
  readonly name: string
  readonly takesBatches = true
  readonly sent: LiveAttempt[] = []
  readonly prepared: PayoutInstruction[] = []
  /** Statuses to report instead, by token. */
  readonly sayings = new Map<string, AttemptFinding>()
  refusal: Refusal | undefined
  extraFees: Inspected['extraFees'] = []

  constructor(name = 'paper') {
    this.name = name
  }

  async inspect(
    targets: Target[],
    purpose: InspectionPurpose = 'pay',
  ): Promise<Outcome<Inspected>[]> {
    const isShort = this.refusal?.reason === 'treasury_short'
    const refusal = isShort && purpose === 'price' ? undefined : this.refusal
    return targets.map(({ destination }) => refusal ?? { destination, extraFees: this.extraFees })
  }

  async prepare(instructions: PayoutInstruction[]): Promise<Outcome<PreparedAttempt>[]> {
    this.prepared.push(...instructions)
    return instructions.map((instruction) => {
      const token = `${instruction.reference}-${randomBytes(4).toString('hex')}`
      return this.refusal ?? { token, wire: Buffer.from(token), validUntil: 150n }
    })
  }

  async send(attempts: LiveAttempt[]): Promise<void> {
    this.sent.push(...attempts)
  }

  async check(attempts: LiveAttempt[]): Promise<AttemptFinding[]> {
    return attempts.map(({ token }) => {
      const hasCome = this.sent.some((one) => one.token === token)
      return this.sayings.get(token) ?? { state: hasCome ? 'landed' : 'unseen' }
    })
  }
}

export function paperRefusal(): Refusal {
  return new Refusal('crypto_transfer_failed', {
    reason: 'destination_is_mint',
    message: 'The destination is a mint.',
  })
}
