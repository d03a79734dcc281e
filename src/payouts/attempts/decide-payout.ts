import { strict as assert } from 'node:assert'
import { after, type RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import { fromReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { payoutLimits } from '../limits.js'
import { bankKinds, type Payout, payoutKinds } from '../payout.js'
import type { AttemptFinding, Examined, LiveAttempt } from '../ports.js'
import { type AttemptVerdict, concludePayouts } from './conclude-payouts.js'
import { operatorDecision } from './failure-reasons.js'
import type { FollowReturns } from './followed-returns.js'
import { readLiveAttempts } from './live-attempts.js'

export type Decision = {
  reference: string
  hasLanded: boolean
  /** For a payout on a chain: what the endpoints just reported about the attempt. */
  examined?: Examined | undefined
  /** For a payout to a bank: what the bank just reported about the attempt. */
  atBank?: AttemptFinding['state'] | 'not_configured' | undefined
  /** The operator confirms that it did not land, although an RPC node or the bank knows it. */
  isConfirmedNotLanded?: boolean | undefined
  /** The operator confirms that it landed, although no RPC node knows it. */
  isConfirmedLanded?: boolean | undefined
}

/**
 * Ends a payout whose outcome an operator has found out. Refuses one that has ended.
 *
 * Money is released only when no process can be about to send the attempt: not during the lease of
 * a worker, and not just after creation, when the API sends it. The attempt stays locked until the
 * commit, so no worker can claim it, and a worker whose lease has expired sends nothing
 * (`poll-payouts.ts`). On a chain the attempt must also have expired, whatever the operator knows:
 * an attempt that can still land could be paid twice.
 */
export async function decidePayout(
  tx: Tx,
  now: RealTime,
  decision: Decision,
  follow?: FollowReturns,
): Promise<Payout> {
  const { reference, hasLanded } = decision
  const name = await findName(tx, reference, { isLocked: true })
  const leasedUntil = await lockAttempt(tx, name)
  const [attempt] = await readLiveAttempts(tx, [name])
  if (!attempt) throw notOpen(name, reference)
  const mayBeSentUntil = laterOf(leasedUntil, after(attempt.createdAt, payoutLimits.leaseMs))
  if (!hasLanded && mayBeSentUntil > now) throw isBeingSent(name, reference, mayBeSentUntil)
  const isOnChain = attempt.validUntil !== null
  if (isOnChain) judgeOnChain(tx, name, attempt, decision)
  else judgeAtBank(name, decision)
  const failed = isOnChain ? 'dead' : 'failed'
  const verdict: AttemptVerdict = hasLanded
    ? { attempt, verdict: 'landed', reason: operatorDecision }
    : { attempt, verdict: failed, reason: operatorDecision }
  const [ended] = await concludePayouts(tx, now, [verdict], follow)
  if (!ended) throw refuse(name, `${reference} has already ended.`)
  return ended
}

/** What an operator sees of a payout before deciding it. */
export type OpenPayout = Pick<
  Payout,
  'environmentId' | 'asset' | 'amount' | 'destination' | 'status'
> & {
  mode: Mode
  merchantName: string
}

export async function findOpenPayout(db: Queryable, reference: string): Promise<OpenPayout> {
  const { environmentId, id } = await findName(db, reference)
  const [row] = await db.rows(sql<OpenPayout>`
    select p.environment_id, p.asset, p.amount, p.destination, p.status, e.mode, m.display_name as
      merchant_name
    from payouts p join environments e on e.id = p.environment_id
    join merchants m on m.id = e.merchant_id
    where p.environment_id = ${environmentId} and p.id = ${id}`)
  return row!
}

/** The live attempt of a payout on a chain; undefined for a bank transfer. */
export async function findChainAttempt(
  db: Queryable,
  reference: string,
): Promise<(LiveAttempt & { rail: string }) | undefined> {
  const name = await findName(db, reference)
  if (bankKinds.includes(name.kind)) return undefined
  const [attempt] = await readLiveAttempts(db, [name])
  if (!attempt) throw notOpen(name, reference)
  return attempt
}

/** The live attempt of a payout to a bank; undefined for one on a chain. */
export async function findBankAttempt(
  db: Queryable,
  reference: string,
): Promise<(LiveAttempt & { rail: string }) | undefined> {
  const name = await findName(db, reference)
  return bankKinds.includes(name.kind) ? (await readLiveAttempts(db, [name]))[0] : undefined
}

/** Refuses a decision that the bank contradicts. */
function judgeAtBank(name: Name, decision: Decision): void {
  const { reference, hasLanded, atBank, isConfirmedNotLanded } = decision
  if (hasLanded && atBank === 'failed')
    throw refuse(name, `The bank reports ${reference} as failed. A worker records that soon.`)
  if (hasLanded) return
  if (atBank === 'landed')
    throw refuse(name, `The bank reports ${reference} as completed. A worker records that soon.`)
  const isOpen = atBank === 'pending' || atBank === 'not_configured'
  if (!isOpen || isConfirmedNotLanded) return
  const why =
    atBank === 'pending'
      ? 'has not decided it, or does not answer'
      : 'is not configured, so that it cannot be queried'
  throw refuse(
    name,
    `The bank of ${reference} ${why}: it may still pay. Have it cancelled there; then repeat with ` +
      '--confirm-not-landed.',
  )
}

/**
 * Refuses a decision that the endpoints contradict, and a failure while the attempt can still land.
 * The database enforces the latter, too: `operator_fails_only_what_cannot_land`.
 */
function judgeOnChain(tx: Tx, name: Name, attempt: LiveAttempt, decision: Decision): void {
  const { hasLanded, examined, isConfirmedNotLanded, isConfirmedLanded, reference } = decision
  assert(examined, 'an attempt on a chain is examined first')
  const { finding, isExpired, height, validUntil, knownBy } = examined
  if (examined.token !== attempt.token)
    throw refuse(name, `${reference} was signed again meanwhile. Try again.`)
  const isContradicted = hasLanded
    ? finding.state === 'failed' || finding.state === 'gone'
    : finding.state === 'landed'
  if (isContradicted)
    throw refuse(
      name,
      `A majority of the endpoints reports that ${reference} is ${finding.state}. ` +
        'A worker will conclude it; run `manilla work`.',
    )
  if (hasLanded && knownBy.length === 0 && !isConfirmedLanded)
    throw refuse(
      name,
      `No endpoint knows ${attempt.token}. Check a block explorer; if it landed, repeat with ` +
        '--confirm-landed.',
    )
  if (hasLanded) return
  if (!isExpired || height === undefined)
    throw refuse(
      name,
      `${reference} can still land: a majority of the endpoints must have finalized a block after ` +
        `${validUntil + BigInt(limits.solana.finalizedAfter)}; they are at ` +
        `${height ?? 'no block that they agree on'}. Try again later.`,
    )
  if (knownBy.length > 0 && !isConfirmedNotLanded)
    throw refuse(
      name,
      `${knownBy.join(', ')} knows ${attempt.token}. Check a block explorer; if it did not land, ` +
        'repeat with --confirm-not-landed.',
    )
  const { environmentId, id } = name
  tx.write(sql`
    update payout_attempts set failed_at_height = ${height}
    where environment_id = ${environmentId} and payout_id = ${id} and state = 'LIVE'`)
}

type Name = Pick<Payout, 'environmentId' | 'id' | 'kind' | 'status'>

async function findName(
  db: Queryable,
  reference: string,
  { isLocked = false } = {},
): Promise<Name> {
  const id = Object.values(payoutKinds)
    .map(({ prefix }) => fromReference(prefix, reference))
    .find((found) => found !== undefined)
  const [row] = id
    ? await db.rows(sql<Name>`
        select environment_id, id, kind, status from payouts
        where id = ${id} ${isLocked ? sql`for no key update` : sql``}`)
    : []
  const isFound = row && fromReference(payoutKinds[row.kind].prefix, reference) === id
  if (!isFound) throw new Refusal('not_found', { message: `No payout ${reference} exists.` })
  return row
}

/** Returns until when the worker that claimed it may send it; null: not claimed. */
async function lockAttempt(tx: Tx, { environmentId, id }: Name): Promise<Date | null> {
  const [row] = await tx.rows(sql<{ leasedUntil: Date | null }>`
    select leased_until from payout_attempts
    where environment_id = ${environmentId} and payout_id = ${id} and state = 'LIVE'
    for no key update`)
  return row?.leasedUntil ?? null
}

function laterOf(one: Date | null, other: Date): Date {
  return one && one > other ? one : other
}

function isBeingSent(name: Name, reference: string, until: Date): Refusal {
  const recipient = bankKinds.includes(name.kind) ? 'the bank' : 'the chain'
  return refuse(
    name,
    `${reference} may be on its way to ${recipient} right now; try again after ${until.toISOString()}.`,
  )
}

function notOpen(name: Name, reference: string): Refusal {
  return refuse(name, describeNotOpen(reference, name.status))
}

/** Why a payout that is not submitted has no outcome to decide about. */
export function describeNotOpen(reference: string, status: Payout['status']): string {
  return status === 'PENDING'
    ? `${reference} was not sent yet: it waits for approval. Its merchant decides; if it waits for screening only, run \`manilla payouts release\` or \`reject\`.`
    : `${reference} has already ended: it is ${status}.`
}

function refuse({ kind }: Name, message: string): Refusal {
  return new Refusal(payoutKinds[kind].refusal, { reason: 'invalid_state', message })
}
