import { after, type Clock } from '../../base/clock.js'
import type { Logger } from '../../base/log.js'
import { listStatement, unindexed } from '../../postgres/statement.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'
import { sentAttempts } from '../payout.js'
import type { AttemptFinding, PayoutRail } from '../ports.js'
import type { ConcludingLane, SentPayout, SentVerdict } from './conclude-sent.js'
import { isShortfall } from './failure-reasons.js'
import { logPayouts } from './log-payouts.js'

type Followed = SentPayout & { checkAtMs: number; leaveAtMs: number }

type SentPayoutsDependencies = {
  db: Queryable
  clock: Clock
  logger: Logger
  laneOf: (rail: PayoutRail) => Pick<ConcludingLane, 'run'>
}

const key = sentAttempts.types('environmentId', 'payoutId', 'number')

/** Only those that no worker has claimed. */
const makeDue = listStatement({
  name: 'make_sent_attempts_due',
  columns: key,
  text: (list, parameter) => `
    update payout_attempts a set due_at = ${parameter(0)}::timestamptz
    from ${list} where a.environment_id = list.environment_id and a.payout_id = list.payout_id
      and a.number = list.number and a.polls = 0 and ${unindexed('a.state')} = 'LIVE'`,
})

/**
 * The payouts that this process has just sent. It keeps them in memory, checks with the rail
 * when they have usually ended, and ends those that have: most payouts are never claimed or read
 * back. Whatever does not end that way is left to the workers, which poll it from its row a few
 * seconds later. The same happens if this process dies.
 */
export class SentPayouts {
  readonly #dependencies: SentPayoutsDependencies
  readonly #followed = new Map<PayoutRail, Followed[]>()
  readonly #checking = new Map<PayoutRail, Promise<void>>()
  readonly #timer: NodeJS.Timeout
  #isStopping = false

  constructor(dependencies: SentPayoutsDependencies) {
    this.#dependencies = dependencies
    this.#timer = setInterval(() => void this.checkDue(), payoutLimits.followIntervalMs)
  }

  add(rail: PayoutRail, sent: SentPayout[]): void {
    const nowMs = this.#dependencies.clock.elapsedMs()
    const followed = this.#followed.get(rail) ?? []
    this.#followed.set(rail, followed)
    const beyond: SentPayout[] = []
    for (const payout of sent) {
      const { checkAfterMs } = payout.sent
      if (checkAfterMs === undefined) continue
      const leaveAtMs = nowMs + checkAfterMs + payoutLimits.followedPollDelayMs / 2
      const isFollowed = !this.#isStopping && followed.length < payoutLimits.followedMax
      if (isFollowed) followed.push({ ...payout, checkAtMs: nowMs + checkAfterMs, leaveAtMs })
      else beyond.push(payout)
    }
    void this.leave(beyond)
  }

  /** Has workers poll them in a moment instead of in some seconds. Never fails. */
  async leave(sent: SentPayout[]): Promise<void> {
    const rows = sent
      .filter(({ sent: { checkAfterMs } }) => checkAfterMs !== undefined)
      .map(({ attempt }) => attempt)
    if (rows.length === 0) return
    const { db, clock, logger } = this.#dependencies
    const dueAt = after(clock.now(), payoutLimits.firstPollDelayMs)
    await db
      .rows(makeDue(rows, dueAt))
      .catch((error: unknown) => logger.warn({ err: error }, 'payouts are polled later than usual'))
  }

  /** Leaves the payouts that have not ended to the workers. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await Promise.all(this.#checking.values())
    await this.leave([...this.#followed.values()].flat())
    this.#followed.clear()
  }

  /** Checks the payouts of each rail that are due for it, and ends those that have ended. */
  async checkDue(): Promise<void> {
    for (const rail of this.#followed.keys()) {
      if (this.#checking.has(rail)) continue
      const checking = this.#checkRail(rail).finally(() => this.#checking.delete(rail))
      this.#checking.set(rail, checking)
    }
    await Promise.all(this.#checking.values())
  }

  async #checkRail(rail: PayoutRail): Promise<void> {
    const { clock, logger } = this.#dependencies
    while (!this.#isStopping) {
      const due = this.#takeDue(rail, clock.elapsedMs())
      if (due.length === 0) return
      try {
        await this.#conclude(rail, due)
      } catch (error) {
        logger.warn({ err: error, rail: rail.name }, 'sent payouts are left to the workers')
      }
    }
  }

  /** They are in order: all of a rail are checked the same time after they were sent. */
  #takeDue(rail: PayoutRail, nowMs: number): Followed[] {
    const followed = this.#followed.get(rail)!
    const isLater = ({ checkAtMs }: Followed) => checkAtMs > nowMs
    const first = followed.findIndex(isLater)
    const count = first < 0 ? followed.length : first
    return followed.splice(0, Math.min(count, payoutLimits.attemptsPerBatchMax))
  }

  async #conclude(rail: PayoutRail, due: Followed[]): Promise<void> {
    const { db, logger, laneOf } = this.#dependencies
    const findings = await rail.check(due.map(({ attempt }) => attempt))
    const verdicts: SentVerdict[] = []
    const unresolved: Followed[] = []
    for (const [index, followed] of due.entries()) {
      const verdict = toVerdict(followed, findings[index]!)
      if (verdict) verdicts.push(verdict)
      else if (findings[index]!.state !== 'pending') unresolved.push(followed)
      else this.#checkAgain(rail, followed)
    }
    await this.leave(unresolved)
    const lane = laneOf(rail)
    const concluded = await Promise.allSettled(verdicts.map((verdict) => lane.run(verdict)))
    const ended = concluded.flatMap((result) => {
      if (result.status === 'fulfilled') return result.value ?? []
      // Its row is due in a few seconds, and then a worker tries.
      logger.warn({ err: result.reason }, 'a sent payout is left to the workers')
      return []
    })
    logPayouts({ db, logger }, ended)
  }

  #checkAgain(rail: PayoutRail, followed: Followed): void {
    const checkAtMs = followed.checkAtMs + payoutLimits.pollIntervalMs
    if (checkAtMs > followed.leaveAtMs) return
    const others = this.#followed.get(rail)!
    const index = others.findLastIndex((other) => other.checkAtMs <= checkAtMs)
    others.splice(index + 1, 0, { ...followed, checkAtMs })
  }
}

/**
 * Undefined: not for this process. Disputes between nodes, and funds that the operator lacks, have
 * to be recorded, which workers do.
 */
function toVerdict(
  { sent, attempt }: SentPayout,
  finding: AttemptFinding,
): SentVerdict | undefined {
  if (finding.disputedBy && finding.disputedBy.length > 0) return undefined
  if (finding.state === 'landed')
    return {
      sent,
      attempt,
      verdict: 'landed',
      sessionId: finding.sessionId ?? null,
      providerFee: finding.providerFee ?? null,
    }
  if (finding.state === 'failed' && !isShortfall(finding.reason))
    return { sent, attempt, verdict: 'failed', reason: finding.reason }
  return undefined
}
