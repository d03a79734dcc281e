import { strict as assert } from 'node:assert'
import { type RealTime, toEnvironmentTime } from '../../base/clock.js'
import { emitAll, type NewEvent } from '../../events/emit.js'
import { resolveAll } from '../../ledger/resolve.js'
import { assigned, listStatement, unindexed } from '../../postgres/statement.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { followFailedClaims } from '../claims/follow-claims.js'
import {
  nextSequence,
  type Payout,
  type PayoutAttempt,
  payoutKinds,
  payouts,
  sentAttempts,
} from '../payout.js'
import type { LiveAttempt, PreparedAttempt } from '../ports.js'
import { type ProviderFee, recordProviderFees } from '../provider-fees.js'
import { type PayoutRow, payoutColumns, toPayout } from '../records/find-payouts.js'
import { insertAttempts } from '../records/store-payouts.js'
import { showPayout } from '../resource.js'
import { followSettlements, toSettlementEvent } from '../settlements/settlement-events.js'
import { mailPaidSettlements } from '../settlements/settlement-mails.js'
import { type FollowReturns, lockFollowedReturns } from './followed-returns.js'

/**
 * What follows for an attempt from the rail's finding. Every outcome has a word for each reader:
 *
 *     finding          verdict  attempt state  payout status  ledger   event
 *     landed           landed   LANDED         COMPLETED      settle   confirmed or completed
 *     failed           failed   FAILED         FAILED         release  failed
 *     gone             again    DEAD           SUBMITTED      -        -
 *     gone             dead     DEAD           FAILED         release  failed
 *     gone             wait     LIVE           SUBMITTED      -        -     no replacement now
 *     pending, unseen  wait     LIVE           SUBMITTED      -        -
 *
 * The API shows COMPLETED of a crypto transfer as CONFIRMED.
 */
export type AttemptVerdict = { attempt: LiveAttempt } & (
  | {
      verdict: 'landed'
      reason?: string
      sessionId?: string | null
      /** What the provider charged; null: unknown. */
      providerFee?: bigint | null
    }
  | { verdict: 'failed'; reason: string }
  /** It can never land, and the payout fails. */
  | { verdict: 'dead'; reason: string }
  /** It can never land, and another attempt replaces it. */
  | { verdict: 'again'; replacement: PreparedAttempt }
  /** Nothing is known for certain: poll again. */
  | { verdict: 'wait'; dueAt: Date; expiresBy?: bigint | undefined }
)

/** An open payout whose live attempt this transaction has locked. */
export type LockedPayout = Payout & { attempts: PayoutAttempt[]; clockOffsetMs: number }

type LockedRow = PayoutRow & { attempts: string; clockOffsetMs: number }

const key = sentAttempts.types('environmentId', 'payoutId', 'number')

const lockColumns = { ...key, ...sentAttempts.types('polls') }

/** Matches the poll count: a worker whose lease has expired finds no row and concludes nothing. */
const lockPayouts = listStatement<typeof lockColumns, LockedRow>({
  name: 'lock_payouts',
  columns: lockColumns,
  text: (list) => `
    select ${payoutColumns}, (select e.clock_offset_ms::float8 from environments e
        where e.id = p.environment_id) as clock_offset_ms,
      (select json_agg(json_build_object('number', all_of.number, 'token', all_of.token,
        'state', all_of.state, 'createdAt', all_of.created_at) order by all_of.number)
      from payout_attempts all_of
      where all_of.environment_id = p.environment_id and all_of.payout_id = p.id) as attempts
    from ${list}
    join payout_attempts a on a.environment_id = list.environment_id
      and a.payout_id = list.payout_id and a.number = list.number and a.polls = list.polls
    join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
    where ${unindexed('a.state')} = 'LIVE' and ${unindexed('p.status')} = 'SUBMITTED'
    order by p.environment_id, p.id for no key update of p, a`,
})

const endAttempts = listStatement({
  name: 'end_payout_attempts',
  columns: { ...key, state: 'text', outcome: 'text' },
  text: (list, parameter) => `
    update payout_attempts a set state = list.state, outcome = list.outcome,
      ended_at = ${parameter(0)}::timestamptz
    from ${list} where a.environment_id = list.environment_id and a.payout_id = list.payout_id
      and a.number = list.number and ${unindexed('a.state')} = 'LIVE'`,
})

const postpone = listStatement({
  name: 'postpone_payout_attempts',
  columns: { ...lockColumns, dueAt: 'timestamptz', expiresBy: 'int8' },
  // The worker has sent what it had to send, so its lease ends here.
  text: (list) => `
    update payout_attempts a set due_at = list.due_at, leased_until = null,
      expires_by = coalesce(a.expires_by, list.expires_by)
    from ${list} where a.environment_id = list.environment_id and a.payout_id = list.payout_id
      and a.number = list.number and a.polls = list.polls
      and ${unindexed('a.state')} = 'LIVE'`,
})

const finishing = payouts.types(
  'status',
  'failureReason',
  'completedAt',
  'failedAt',
  'eventSequence',
  'bankSessionId',
)

const finishPayouts = listStatement({
  name: 'finish_payouts',
  columns: { environmentId: 'int4', id: 'uuid', ...finishing },
  text: (list) => `
    update payouts p set ${assigned(finishing)}
    from ${list} where p.environment_id = list.environment_id and p.id = list.id
      and ${unindexed('p.status')} = 'SUBMITTED'`,
})

/**
 * Records verdicts: settles or releases the money, changes states, emits events, inserts
 * replacements, and postpones attempts that must wait. Skips attempts that were concluded
 * meanwhile. Returns the payouts that ended.
 */
export async function concludePayouts(
  tx: Tx,
  now: RealTime,
  verdicts: AttemptVerdict[],
  follow?: FollowReturns,
): Promise<Payout[]> {
  const waits = verdicts.filter((one) => one.verdict === 'wait')
  if (waits.length > 0) tx.write(postpone(waits.map(toPostponedRow)))
  const ends = verdicts.filter((one) => one.verdict !== 'wait')
  if (ends.length === 0) return []

  const locked = await lockAll(tx, ends)
  const own = ends.filter(({ attempt }) => locked.has(attempt.payoutId))
  const final = own.filter((one) => one.verdict !== 'again')
  const failed = final.filter(({ verdict }) => verdict !== 'landed')
  const claims = await followFailedClaims(
    tx,
    now,
    failed.map(({ attempt }) => locked.get(attempt.payoutId)!),
  )
  const endReturns = await lockFollowedReturns(
    tx,
    final.map(({ attempt }) => locked.get(attempt.payoutId)!),
    follow,
  )
  const findSettlements = await followSettlements(
    tx,
    final.map(({ attempt }) => locked.get(attempt.payoutId)!),
  )
  const areResolved = await resolveAll(tx, now, final.map(toResolution), claims.reholds)
  assert(areResolved.every(Boolean), 'the money of an open payout is held')

  tx.write(endAttempts(own.map(toEndedRow), now))
  insertAttempts(
    tx,
    now,
    own.flatMap((one) => (one.verdict === 'again' ? [toNextAttempt(now, one, locked)] : [])),
  )
  const finished = final.map((one) => finish(now, locked.get(one.attempt.payoutId)!, one))
  const settlements = findSettlements(finished)
  writeFinished(tx, now, finished, settlements.map(toSettlementEvent))
  claims.write()
  await mailPaidSettlements(tx, now, settlements)
  recordProviderFees(
    tx,
    now,
    own.flatMap((one) => toProviderFee(one, locked.get(one.attempt.payoutId)!)),
  )
  endReturns(
    now,
    finished.filter((payout) => !claims.isReopened(payout)),
  )
  return finished
}

/** Writes the status of payouts that ended, and their events. */
export function writeFinished(
  tx: Tx,
  now: RealTime,
  finished: LockedPayout[],
  moreEvents: NewEvent[] = [],
): void {
  if (finished.length > 0) tx.write(finishPayouts(finished))
  emitAll(tx, now, [...finished.flatMap(toEvent), ...moreEvents])
}

async function lockAll(tx: Tx, ends: AttemptVerdict[]): Promise<Map<string, LockedPayout>> {
  const rows = await tx.rows(lockPayouts(ends.map(({ attempt }) => attempt)))
  return new Map(
    rows.map(({ attempts, clockOffsetMs, ...row }) => {
      const list = JSON.parse(attempts) as (Omit<PayoutAttempt, 'createdAt'> & {
        createdAt: string
      })[]
      const read = list.map((one) => ({ ...one, createdAt: new Date(one.createdAt) }))
      return [row.id, { ...toPayout(row), attempts: read, clockOffsetMs }]
    }),
  )
}

/** In the time of its environment, or it would end before it started. */
export function finish(now: Date, payout: LockedPayout, ending: AttemptVerdict): LockedPayout {
  const endedAt = toEnvironmentTime(now, payout.clockOffsetMs)
  const hasLanded = ending.verdict === 'landed'
  return {
    ...payout,
    attempts: payout.attempts.map((attempt) =>
      attempt.number === ending.attempt.number
        ? { ...attempt, state: endStates[ending.verdict] }
        : attempt,
    ),
    status: hasLanded ? 'COMPLETED' : 'FAILED',
    failureReason: hasLanded ? null : reasonOf(ending),
    completedAt: hasLanded ? endedAt : null,
    failedAt: hasLanded ? null : endedAt,
    eventSequence: nextSequence(payout),
    bankSessionId: payout.bankSessionId ?? (hasLanded ? (ending.sessionId ?? null) : null),
  }
}

function toEvent(payout: LockedPayout) {
  const { environmentId, id, kind, status, eventSequence: sequence, attempts } = payout
  const type = payoutKinds[kind].events?.[status === 'COMPLETED' ? 'landed' : 'failed']
  if (!type) return []
  const data = showPayout(payout, attempts)
  return [{ environmentId, type, resourceId: id, causeId: id, sequence, data }]
}

/** Empty if the rail did not report what it charged. */
export function toProviderFee(ending: AttemptVerdict, payout: Payout): ProviderFee[] {
  if (ending.verdict !== 'landed' || typeof ending.providerFee !== 'bigint') return []
  const { environmentId, id: causeId, rail } = payout
  return [{ environmentId, causeId, rail, amount: ending.providerFee }]
}

function toResolution({ attempt, verdict }: AttemptVerdict) {
  return { environmentId: attempt.environmentId, causeId: attempt.payoutId, verb: verbOf(verdict) }
}

export function verbOf(verdict: AttemptVerdict['verdict']): 'settle' | 'release' {
  return verdict === 'landed' ? 'settle' : 'release'
}

function toNextAttempt(
  now: Date,
  { attempt, replacement }: Extract<AttemptVerdict, { verdict: 'again' }>,
  locked: Map<string, LockedPayout>,
) {
  const payout = locked.get(attempt.payoutId)!
  return { ...replacement, payout, number: attempt.number + 1, createdAt: now }
}

function toPostponedRow({
  attempt,
  dueAt,
  expiresBy,
}: Extract<AttemptVerdict, { verdict: 'wait' }>) {
  return { ...attempt, dueAt, expiresBy: expiresBy ?? null }
}

const endStates = {
  landed: 'LANDED',
  failed: 'FAILED',
  dead: 'DEAD',
  again: 'DEAD',
  wait: 'LIVE',
} as const

/** For the statements that end attempts. */
export function toEndedRow(ending: AttemptVerdict) {
  return { ...ending.attempt, state: endStates[ending.verdict], outcome: reasonOf(ending) }
}

function reasonOf(verdict: AttemptVerdict): string | null {
  return ('reason' in verdict && verdict.reason) || null
}
