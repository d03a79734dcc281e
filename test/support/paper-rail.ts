import { randomBytes } from 'node:crypto'
import { type Outcome, Refusal } from '../../src/base/refusal.js'
import type {
  Finding,
  Inspected,
  LiveAttempt,
  PayoutInstruction,
  PayoutRail,
  Prepared,
  Target,
} from '../../src/payouts/ports.js'

/**
 * A world outside that runs: it keeps what it was sent by token, and says of each attempt what it
 * was told to, or that it landed once it came.
 */
export class PaperRail implements PayoutRail {
  readonly name: string
  readonly sent: LiveAttempt[] = []
  readonly prepared: PayoutInstruction[] = []
  /** What to say of an attempt, by its token, instead of the truth. */
  readonly sayings = new Map<string, Finding>()
  refusal: Refusal | undefined
  extraFees: Inspected['extraFees'] = []

  constructor(name = 'paper') {
    this.name = name
  }

  async inspect(targets: Target[]): Promise<Outcome<Inspected>[]> {
    return targets.map(
      ({ destination }) => this.refusal ?? { destination, extraFees: this.extraFees },
    )
  }

  async prepare(carriages: PayoutInstruction[]): Promise<Outcome<Prepared>[]> {
    this.prepared.push(...carriages)
    return carriages.map((carriage) => {
      const token = `${carriage.reference}-${randomBytes(4).toString('hex')}`
      return this.refusal ?? { token, wire: Buffer.from(token), validUntil: 150n }
    })
  }

  async send(attempts: LiveAttempt[]): Promise<void> {
    this.sent.push(...attempts)
  }

  async check(attempts: LiveAttempt[]): Promise<Finding[]> {
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
