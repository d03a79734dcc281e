import type pg from 'pg'
import type { Clock, RealTime } from '../../base/clock.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import { accountsOf } from '../../ledger/move.js'
import { resolveWith } from '../../ledger/resolve.js'
import { listStatement, unindexed } from '../../postgres/statement.js'
import { environmentKey } from '../../postgres/transactions/busy.js'
import { type OpenedLane, openLane } from '../../postgres/transactions/lane.js'
import type { Turns } from '../../postgres/transactions/turns.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { type Payout, sentAttempts } from '../payout.js'
import type { LiveAttempt } from '../ports.js'
import { recordProviderFees } from '../provider-fees.js'
import { type NewPayout, toHoldMovement } from '../requests/create-payouts.js'
import {
  type AttemptVerdict,
  finish,
  type LockedPayout,
  toEndedRow,
  toProviderFee,
  verbOf,
  writeFinished,
} from './conclude-payouts.js'

/** A payout that this process created, committed and sent. */
export type SentPayout = { sent: NewPayout; attempt: LiveAttempt }

/** Only what a rail reports for good ends a payout from memory. */
export type SentVerdict = SentPayout & Extract<AttemptVerdict, { verdict: 'landed' | 'failed' }>

type ChangingRow = Pick<Payout, 'id' | 'isReviewRequired' | 'eventSequence' | 'bankSessionId'> & {
  clockOffsetMs: number
}

const ended = {
  ...sentAttempts.types('environmentId', 'payoutId', 'number'),
  state: 'text',
  outcome: 'text',
} as const

/**
 * Ends attempts that no worker has polled. Returns their payouts, with what may have changed since
 * they were created: everything else of an open payout is as its process has it in memory.
 */
const endSentAttempts = listStatement<typeof ended, ChangingRow>({
  name: 'end_sent_attempts',
  columns: ended,
  text: (list, parameter) => `
    with locked as materialized (
      select p.environment_id, p.id, p.is_review_required, p.event_sequence, p.bank_session_id
      from ${list}
      join payout_attempts a on a.environment_id = list.environment_id
        and a.payout_id = list.payout_id and a.number = list.number and a.polls = 0
      join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
      where ${unindexed('a.state')} = 'LIVE' and ${unindexed('p.status')} = 'SUBMITTED'
      order by p.environment_id, p.id for no key update of p, a),
    ended as (
      update payout_attempts a set state = list.state, outcome = list.outcome,
        ended_at = ${parameter(0)}::timestamptz
      from ${list} join locked
        on locked.environment_id = list.environment_id and locked.id = list.payout_id
      where a.environment_id = list.environment_id and a.payout_id = list.payout_id
        and a.number = list.number)
    select id, is_review_required, event_sequence, bank_session_id,
      (select e.clock_offset_ms::float8 from environments e
        where e.id = environment_id) as clock_offset_ms
    from locked`,
})

/**
 * Like `concludePayouts`, for payouts that the process has in memory: it claims nothing and reads
 * neither payout nor hold. Skips those that a worker has polled meanwhile; the worker ends them.
 * Returns the payouts that ended.
 */
export async function concludeSent(
  tx: Tx,
  now: RealTime,
  verdicts: SentVerdict[],
): Promise<Payout[]> {
  const holds = new Map(verdicts.map(({ sent }) => [sent.payout.id, toHoldMovement(sent)]))
  const [found, book] = await Promise.all([
    tx.rows(endSentAttempts(verdicts.map(toEndedRow), now)),
    lockLedgerAccounts(tx, [...holds.values()].flatMap(accountsOf)),
  ])
  const byId = new Map(found.map((row) => [row.id, row]))
  const own = verdicts.filter(({ sent }) => byId.has(sent.payout.id))
  const finished = own.map((verdict) =>
    finish(now, toLockedPayout(verdict, byId.get(verdict.sent.payout.id)!), verdict),
  )
  resolveWith(
    tx,
    now,
    book,
    own.map(({ sent, verdict }) => ({ hold: holds.get(sent.payout.id)!, verb: verbOf(verdict) })),
  )
  writeFinished(tx, now, finished)
  recordProviderFees(
    tx,
    now,
    own.flatMap((ending) => toProviderFee(ending, ending.sent.payout)),
  )
  return finished
}

function toLockedPayout({ sent, attempt }: SentPayout, row: ChangingRow): LockedPayout {
  const { number, token, createdAt } = attempt
  return {
    ...sent.payout,
    isReviewRequired: row.isReviewRequired,
    eventSequence: row.eventSequence,
    bankSessionId: row.bankSessionId,
    clockOffsetMs: row.clockOffsetMs,
    attempts: [{ number, token, state: 'LIVE', createdAt }],
  }
}

/** Returns undefined if a worker has claimed the attempt. */
export type ConcludingLane = OpenedLane<SentVerdict, Payout | undefined>

export function createConcludingLane(dependencies: {
  connect: () => Promise<pg.Client>
  clock: Clock
  turns?: Turns
}): ConcludingLane {
  const { connect, clock, turns } = dependencies
  return openLane<SentVerdict, Payout | undefined>({
    connect,
    turns,
    sideLanes: { nameOf: ({ attempt }) => environmentKey(attempt.environmentId) },
    async work(tx, verdicts) {
      const ended = await concludeSent(tx, clock.now(), verdicts)
      const byId = new Map(ended.map((payout) => [payout.id, payout]))
      return verdicts.map(({ attempt }) => byId.get(attempt.payoutId))
    },
  })
}
