import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound, Refusal } from '../../base/refusal.js'
import { type CommonFilter, joinRow, type List } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { hashToken } from '../../team/sessions.js'
import {
  type Claim,
  type ClaimHold,
  type ClaimStatus,
  claimHolds,
  claimStatuses,
  claims,
} from './claim.js'

export type ClaimName = { environmentId: EnvironmentId; reference: string }

type ReadClaim = typeof claims.readRow

const selectAll = sql`select ${claims.of('c')} from claims c`

export async function getClaim(db: Queryable, name: ClaimName): Promise<Claim> {
  return findOrRefuse(name, (id) => findClaimById(db, { environmentId: name.environmentId, id }))
}

export async function lockClaim(tx: Tx, name: ClaimName): Promise<Claim> {
  return findOrRefuse(name, (id) => lockClaimById(tx, { environmentId: name.environmentId, id }))
}

async function findOrRefuse(
  { reference }: ClaimName,
  find: (id: string) => Promise<Claim | undefined>,
): Promise<Claim> {
  const id = fromReference(prefixes.claim, reference)
  const found = id === undefined ? undefined : await find(id)
  if (!found) throw notFound('claim', reference)
  return found
}

type ClaimKey = Pick<Claim, 'environmentId' | 'id'>

async function findClaimById(
  db: Queryable,
  { environmentId, id }: ClaimKey,
): Promise<Claim | undefined> {
  const [row] = await db.rows(sql<ReadClaim>`
    ${selectAll} where environment_id = ${environmentId} and id = ${id}`)
  return row && claims.read(row)
}

/** Lock a claim before changing it: payouts, claims, returns, payments, ledger accounts. */
export async function lockClaimById(
  tx: Tx,
  { environmentId, id }: ClaimKey,
): Promise<Claim | undefined> {
  const [row] = await tx.rows(sql<ReadClaim>`
    ${selectAll} where environment_id = ${environmentId} and id = ${id} for no key update`)
  return row && claims.read(row)
}

/** The claim whose link contains this token. */
export async function findClaimByToken(db: Queryable, token: string): Promise<Claim | undefined> {
  const [row] = await db.rows(sql<ReadClaim>`
    ${selectAll} where token_hash = ${hashToken(token)}`)
  return row && claims.read(row)
}

/** The claims that these payouts pay, locked. */
export async function lockClaimsOf(
  tx: Tx,
  payouts: { environmentId: EnvironmentId; id: string }[],
): Promise<Claim[]> {
  const environmentIds = payouts.map(({ environmentId }) => environmentId)
  const ids = payouts.map(({ id }) => id)
  const rows = await tx.rows(sql<ReadClaim>`
    ${selectAll}
    where (environment_id, payout_id) in (
      select * from unnest(${environmentIds}::int4[], ${ids}::uuid[]))
    order by environment_id, id for no key update`)
  return rows.map((row) => claims.read(row))
}

/** Open claims whose time is over in their environments, of one environment or of all; locked. */
export async function lockExpiredClaims(
  tx: Tx,
  now: Date,
  { environmentId, limit }: { environmentId: EnvironmentId | undefined; limit: number },
): Promise<(Claim & { clockOffsetMs: number })[]> {
  const own = environmentId === undefined ? sql`` : sql`and c.environment_id = ${environmentId}`
  const rows = await tx.rows(sql<ReadClaim & { clockOffsetMs: number }>`
    select ${claims.of('c')}, e.clock_offset_ms::float8 as clock_offset_ms
    from claims c join environments e on e.id = c.environment_id
    where c.status = 'OPEN' ${own}
      and c.expires_at <= ${now}::timestamptz + e.clock_offset_ms * interval '1 millisecond'
    order by c.environment_id, c.id limit ${limit}
    for no key update of c skip locked`)
  return rows.map((row) => claims.read(row))
}

/** What is set aside for these open claims, which are locked. */
export async function findOpenHolds(tx: Tx, open: ClaimKey[]): Promise<Map<string, ClaimHold>> {
  const environmentIds = open.map(({ environmentId }) => environmentId)
  const ids = open.map(({ id }) => id)
  const rows = await tx.rows(sql<ClaimHold>`
    select ${claimHolds.of('h')} from claim_holds h
    where (environment_id, claim_id) in (
      select * from unnest(${environmentIds}::int4[], ${ids}::uuid[]))
      and ended_as is null`)
  return new Map(rows.map((row) => [row.claimId, row]))
}

/** Refuses a reference that another claim has. */
export async function refuseUsedReference(
  tx: Tx,
  { environmentId, merchantReference }: Pick<Claim, 'environmentId' | 'merchantReference'>,
): Promise<void> {
  if (merchantReference === null) return
  if ((await findNamed(tx, environmentId, merchantReference)).length === 0) return
  throw new Refusal('claim_failed', {
    reason: 'duplicate_reference',
    message: `merchantReference ${merchantReference} was already used. Send a new one, or none.`,
  })
}

/** The id of the claim with this reference of the merchant: at most one. */
async function findNamed(
  db: Queryable,
  environmentId: EnvironmentId,
  merchantReference: string,
): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select id from claims
    where environment_id = ${environmentId} and merchant_reference = ${merchantReference}`)
  return rows.map(({ id }) => id)
}

/** Writes what changes of a claim that is locked, if it still has the status it had. */
export function updateClaim(tx: Tx, before: Claim, changed: Claim): void {
  const { environmentId, id, status, openings, payoutId, eventSequence } = changed
  tx.write(sql`
    update claims set status = ${status}, openings = ${openings}, payout_id = ${payoutId},
      guesses = ${changed.guesses}, lookups = ${changed.lookups},
      event_sequence = ${eventSequence}, claimed_at = ${changed.claimedAt},
      ended_at = ${changed.endedAt}
    where environment_id = ${environmentId} and id = ${id} and status = ${before.status}`)
}

export type ClaimFilter = CommonFilter & {
  status?: ClaimStatus | undefined
  merchantReference?: string | undefined
}

export const claimList: List<ClaimFilter, Claim> = {
  name: 'list_claims',
  table: 'claims',
  select: claims.of('c'),
  rowsOf: joinRow('claims', 'c'),
  toRows: (_db, rows: ReadClaim[]) => rows.map((row) => claims.read(row)),
  keyOf: ({ id }) => id,
  columns: {
    status: { type: 'text', values: claimStatuses },
  },
  filters: {
    status: 'status',
    merchantReference: async (reference, { db, environmentId }) => [
      { column: 'id', values: await findNamed(db, environmentId, reference) },
    ],
  },
  indexes: [
    { index: 'claims_by_status', serves: ['status'] },
    { index: 'claims_pkey', serves: [] },
  ],
}
