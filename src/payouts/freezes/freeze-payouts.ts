import type { RealTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, newId, prefixes, toReference } from '../../base/ids.js'
import { invalidField, notFound, Refusal } from '../../base/refusal.js'
import { lockLedgerAccounts, lockLedgerAccountsOfAll } from '../../ledger/lock-accounts.js'
import { findKeyNames } from '../../merchants/keys/find-key-names.js'
import { assetNames } from '../../money/assets.js'
import { findAddressBytes } from '../../money/solana-address.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { findApprovingTeam, judgeApprovers } from '../../team/approvers.js'
import { explainWait } from '../../team/shared-access.js'
import { type Freeze, type FreezeKind, freezeReference, payoutFreezes } from './freeze.js'

/**
 * What is frozen, as the table has it. Callers name keys and members by reference, bank accounts as
 * `bankCode/accountNumber`. A mistyped name would freeze nothing, so it is refused.
 */
export async function readFreezeSubject(
  db: Queryable,
  { environmentId, kind, named }: { environmentId: EnvironmentId; kind: FreezeKind; named: string },
  isRailKnown: (rail: string) => boolean | Promise<boolean>,
): Promise<string> {
  if (kind === 'merchant') {
    if (named !== '') throw invalidField('subject', 'must be left out for a merchant')
    return ''
  }
  if (kind === 'rail') {
    if (await isRailKnown(named)) return named
    throw invalidField('subject', 'must be the name of a bank or chain that pays out')
  }
  if (kind === 'recipient') {
    if (/^[0-9A-Za-z]{3,9}\/\d{10}$/.test(named) || findAddressBytes(named)) return named
    throw invalidField('subject', 'must be bankCode/accountNumber or the address of a wallet')
  }
  const id = fromReference(kind === 'key' ? prefixes.apiKey : prefixes.user, named)
  const isKnown = id !== undefined && (await isOurs(db, environmentId, kind, id))
  if (isKnown) return id
  throw invalidField(
    'subject',
    kind === 'key' ? 'must be one of the API keys' : 'must be a member of the team',
  )
}

async function isOurs(
  db: Queryable,
  environmentId: EnvironmentId,
  kind: 'key' | 'member',
  id: string,
): Promise<boolean> {
  if (kind === 'key') return (await findKeyNames(db, environmentId, [id])).has(id)
  const rows = await db.rows(sql`
    select from memberships m join environments e on e.merchant_id = m.merchant_id
    where e.id = ${environmentId} and m.user_id = ${id}`)
  return rows.length > 0
}

/** The reverse of `readFreezeSubject`. */
export function showFreezeSubject({ kind, subject }: Pick<Freeze, 'kind' | 'subject'>): string {
  if (kind === 'key') return toReference(prefixes.apiKey, subject)
  if (kind === 'member') return toReference(prefixes.user, subject)
  return subject
}

type NewFreeze = Pick<
  Freeze,
  'environmentId' | 'kind' | 'subject' | 'reason' | 'frozenBy' | 'isOfOperators'
>

/**
 * Freezes payouts. Payouts lock a ledger account before they read freezes, and so does this:
 * when it is committed, no payout that has not seen it can still commit. Those that were submitted
 * before are sent. Throws a refusal if the same is frozen already.
 */
export async function freezePayouts(
  tx: Tx,
  now: RealTime,
  { environmentId, kind, subject, reason, frozenBy, isOfOperators }: NewFreeze,
): Promise<Freeze> {
  if (environmentId === null) await lockLedgerAccountsOfAll(tx, ['available', 'suspense'])
  else
    await lockLedgerAccounts(
      tx,
      assetNames.map((asset) => ({ environmentId, asset, name: 'available' })),
      // Returns pay from it. Where it does not exist, there is nothing to return.
      assetNames.map((asset) => ({ environmentId, asset, name: 'suspense' })),
    )
  const freeze: Freeze = {
    id: newId(now),
    environmentId,
    kind,
    subject,
    reason,
    frozenBy,
    isOfOperators,
    frozenAt: now,
    thawAskedBy: null,
    thawAskedAt: null,
    thawedBy: null,
    thawedAt: null,
  }
  const rows = await tx.rows(sql`
    ${payoutFreezes.insert(freeze)} on conflict do nothing returning id`)
  if (rows.length > 0) return freeze
  throw new Refusal('validation_failed', {
    reason: 'invalid_state',
    message: 'Payouts of this are already frozen.',
  })
}

export type FreezeName = {
  /** Null: an operator names it, whatever its environment. */
  environmentId: EnvironmentId | null
  reference: string
}

export async function getFreeze(
  db: Queryable,
  { environmentId, reference }: FreezeName,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<Freeze> {
  const id = fromReference(prefixes.payoutFreeze, reference)
  const [row] =
    id === undefined
      ? []
      : await db.rows(sql<Freeze>`
          select ${payoutFreezes.of('f')} from payout_freezes f
          where f.id = ${id}
            ${environmentId === null ? sql`` : sql`and f.environment_id = ${environmentId}`}
          ${isLocked ? sql`for no key update` : sql``}`)
  if (!row) throw notFound('freeze', reference)
  return row
}

/**
 * A member asks to thaw, or thaws what another member asked for. Members who froze it never thaw
 * it; if one of them agrees with a request, that becomes their own, so that the one who asked first
 * can thaw it: two members decide in any case. The request of a member who may no longer freeze
 * becomes that of the next one. Throws refusals.
 */
export async function thawAsMember(
  tx: Tx,
  now: RealTime,
  { name, userId }: { name: FreezeName & { environmentId: EnvironmentId }; userId: string },
): Promise<Freeze> {
  const freeze = await lockOpen(tx, name)
  if (freeze.isOfOperators)
    throw new Refusal('forbidden', {
      message: 'The operator froze this.',
      nextStep: 'Ask the operator to thaw it.',
    })
  refuseFrozenMember(freeze, userId)
  const { frozenBy, thawAskedBy, thawAskedAt } = freeze
  if (thawAskedBy === userId) throw secondRequired('member')
  if (thawAskedBy === null || frozenBy === userId) return askToThaw(tx, now, freeze, userId)
  const subject = { creators: [frozenBy, thawAskedBy], approvedBy: [], waitsSince: thawAskedAt! }
  const team = await findApprovingTeam(tx, name.environmentId, [subject], 'payouts.freeze')
  // A request counts while its member may still make it.
  if (!team.members.some(({ id }) => id === thawAskedBy)) return askToThaw(tx, now, freeze, userId)
  const own = judgeApprovers(team, subject).find(({ id }) => id === userId)
  if (own && own.from > now)
    throw new Refusal('forbidden', {
      reason: 'shared_access',
      message: `You may thaw this ${explainWait(own, { userId, at: now })}. Until then another owner or admin must.`,
    })
  return thaw(tx, now, freeze, userId)
}

/**
 * An operator thaws it. `askedBy` is the operator who proposed it in the console; null on the
 * server, where one operator suffices if another one has frozen it.
 */
export async function thawAsOperator(
  tx: Tx,
  now: RealTime,
  { reference, thawedBy, askedBy }: { reference: string; thawedBy: string; askedBy: string | null },
): Promise<Freeze> {
  const freeze = await lockOpen(tx, { environmentId: null, reference })
  refuseFrozenMember(freeze, thawedBy)
  const asked = askedBy ?? (freeze.thawAskedBy === thawedBy ? null : freeze.thawAskedBy)
  if (askedBy !== null) refuseFrozenMember(freeze, askedBy)
  if (thawedBy === freeze.frozenBy || thawedBy === askedBy) throw secondRequired('operator')
  const waiting = { ...freeze, thawAskedBy: asked, thawAskedAt: asked === null ? null : now }
  return thaw(tx, now, waiting, thawedBy)
}

async function lockOpen(tx: Tx, name: FreezeName): Promise<Freeze> {
  const freeze = await getFreeze(tx, name, { isLocked: true })
  if (freeze.thawedAt === null) return freeze
  throw new Refusal('validation_failed', {
    reason: 'invalid_state',
    message: `${freezeReference(freeze)} was already thawed.`,
  })
}

function refuseFrozenMember({ kind, subject }: Freeze, who: string): void {
  if (kind !== 'member' || subject !== who) return
  throw new Refusal('forbidden', {
    reason: 'second_member_required',
    message: 'Your own payouts are frozen. Two others must thaw them.',
  })
}

function secondRequired(who: 'member' | 'operator'): Refusal {
  return new Refusal('forbidden', {
    reason: 'second_member_required',
    message: `You froze this or asked to thaw it. Another ${who} must thaw it.`,
  })
}

function askToThaw(tx: Tx, now: RealTime, freeze: Freeze, askedBy: string): Freeze {
  tx.write(sql`
    update payout_freezes set thaw_asked_by = ${askedBy}, thaw_asked_at = ${now}
    where id = ${freeze.id} and thawed_at is null`)
  return { ...freeze, thawAskedBy: askedBy, thawAskedAt: now }
}

function thaw(tx: Tx, now: RealTime, freeze: Freeze, thawedBy: string): Freeze {
  const { id, thawAskedBy, thawAskedAt } = freeze
  tx.write(sql`
    update payout_freezes set thaw_asked_by = ${thawAskedBy}, thaw_asked_at = ${thawAskedAt},
      thawed_by = ${thawedBy}, thawed_at = ${now}
    where id = ${id} and thawed_at is null`)
  return { ...freeze, thawedBy, thawedAt: now }
}

type FreezeFilter = {
  environmentId: EnvironmentId
  isOpen: boolean | undefined
  limit: number
}

/** Newest first. A merchant sees rails that are frozen for all, too. */
export async function listFreezes(
  db: Queryable,
  { environmentId, isOpen, limit }: FreezeFilter,
): Promise<Freeze[]> {
  return db.rows(sql<Freeze>`
    select ${payoutFreezes.of('f')} from payout_freezes f
    where (f.environment_id = ${environmentId} or f.environment_id is null)
      ${isOpen === undefined ? sql`` : sql`and (f.thawed_at is null) = ${isOpen}`}
    order by f.id desc limit ${limit}`)
}
