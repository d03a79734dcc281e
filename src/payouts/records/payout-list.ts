import type { EnvironmentId } from '../../base/environment.js'
import { fromReference } from '../../base/ids.js'
import { subaccountName } from '../../ledger/accounts.js'
import type { Asset } from '../../money/assets.js'
import {
  type AmountRange,
  type CommonFilter,
  type FilterLookup,
  joinRow,
  type List,
  matchTerms,
  type Restriction,
  withinAmounts,
} from '../../postgres/lists/list.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import {
  type Payout,
  type PayoutKind,
  type PayoutStatus,
  payoutKinds,
  payoutStatuses,
  referenceOf,
} from '../payout.js'
import { type PayoutWithAttempts, packedPayouts, unpackPayouts } from './find-payouts.js'

export type TransferKind = Extract<PayoutKind, 'bank_transfer' | 'crypto_transfer'>

export const transferKinds: TransferKind[] = ['bank_transfer', 'crypto_transfer']

export type PayoutFilter = CommonFilter & {
  kinds: readonly TransferKind[]
  status?: PayoutStatus | undefined
  currency?: Asset | undefined
  amounts?: AmountRange | undefined
  createdByKey?: string | undefined
  createdByUser?: string | undefined
  /** The sub-account that pays, by its id. */
  subaccountId?: string | undefined
  /** The saved recipient, by its id. */
  recipientId?: string | undefined
  /** Words of the recipient's name, or the account number or address. */
  recipient?: string | undefined
  merchantReference?: string | undefined
  /** Any of: a reference, the merchant's reference, an account number, words of a name. */
  text?: string | undefined
}

const holdsTransfers = { kind: transferKinds }

export const payoutList: List<PayoutFilter, PayoutWithAttempts> = {
  name: 'list_payouts',
  table: 'payouts',
  select: packedPayouts,
  rowsOf: joinRow('payouts', 'p'),
  toRows: unpackPayouts,
  keyOf: ({ payout }) => payout.id,
  columns: {
    kind: { type: 'text' },
    status: { type: 'text', values: payoutStatuses },
    asset: { type: 'text' },
    amount: { type: 'int8' },
    created_by_key: { type: 'uuid' },
    created_by_user: { type: 'uuid' },
    takes_from: { type: 'text' },
    recipient_id: { type: 'uuid' },
  },
  filters: {
    kinds: (_kinds, { filter }) => [{ column: 'kind', values: kindsOf(filter) }],
    status: 'status',
    // The kind of bank transfers says that they are in naira.
    currency: (currency) => (currency === 'NGN' ? [] : [{ column: 'asset', values: [currency] }]),
    amounts: withinAmounts,
    createdByKey: 'created_by_key',
    createdByUser: 'created_by_user',
    subaccountId: (id) => [{ column: 'takes_from', values: [subaccountName(id)] }],
    recipientId: 'recipient_id',
    recipient: matchTerms('payout'),
    merchantReference: async (reference, { db, environmentId, filter }) => [
      {
        column: 'id',
        values: await findByReference(db, environmentId, kindsOf(filter), reference),
      },
    ],
    text: restrictText,
  },
  indexes: [
    { index: 'search_terms_pkey', serves: ['terms'] },
    {
      index: 'payouts_by_amount',
      serves: ['asset', 'amount'],
      where: sql`kind in ('bank_transfer', 'crypto_transfer')`,
      holds: holdsTransfers,
    },
    {
      index: 'payouts_by_subaccount',
      serves: ['takes_from'],
      where: sql`left(takes_from, 4) = 'sub:'`,
    },
    {
      index: 'payouts_by_recipient',
      serves: ['recipient_id', 'status'],
      where: sql`recipient_id is not null`,
    },
    {
      index: 'payouts_by_key',
      serves: ['created_by_key'],
      where: sql`created_by_key is not null`,
    },
    {
      index: 'payouts_by_user',
      serves: ['created_by_user'],
      where: sql`created_by_user is not null`,
    },
    { index: 'payouts_by_status', serves: ['kind', 'status'] },
  ],
}

function kindsOf({ kinds, currency }: PayoutFilter): TransferKind[] {
  return kinds.filter(
    (kind) => currency === undefined || (kind === 'bank_transfer') === (currency === 'NGN'),
  )
}

async function restrictText(
  text: string,
  lookup: FilterLookup<PayoutFilter>,
): Promise<Restriction[]> {
  const { db, environmentId, filter } = lookup
  const kinds = kindsOf(filter)
  const own = kinds.map((kind) => fromReference(payoutKinds[kind].prefix, text)).find(Boolean)
  const ids = own ? [own] : await findByReference(db, environmentId, kinds, text)
  return ids.length > 0 ? [{ column: 'id', values: ids }] : matchTerms('payout')(text, lookup)
}

/**
 * A reference belongs to at most one payout of a kind. Reads the next reference at or after it, as
 * `selectReferences` does and for the same reason.
 */
async function findByReference(
  db: Queryable,
  environmentId: EnvironmentId,
  kinds: readonly TransferKind[],
  reference: string,
): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select found.id from unnest(${kinds}::text[]) wanted (kind)
    cross join lateral (
      select id, merchant_reference from payouts
      where environment_id = ${environmentId} and kind = wanted.kind
        and merchant_reference is not null and merchant_reference >= ${reference}
      order by environment_id, kind, merchant_reference limit 1) found
    where found.merchant_reference = ${reference}`)
  return rows.map(({ id }) => id)
}

const signature = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/**
 * The reference of the transfer or return that a transaction on the chain belongs to. Jumps from
 * rail to rail in the index of signatures: there are few rails.
 */
export async function findPayoutBySignature(
  db: Queryable,
  environmentId: EnvironmentId,
  text: string,
): Promise<string | undefined> {
  if (!signature.test(text)) return undefined
  const nextRail = (after: Sql) => sql`
    select rail from payout_attempts where valid_until is not null and ${after}
    order by rail limit 1`
  const [found] = await db.rows(sql<Pick<Payout, 'id' | 'kind'>>`
    with recursive rails as (
      (${nextRail(sql`true`)})
      union all
      select (${nextRail(sql`rail > rails.rail`)}) from rails where rails.rail is not null)
    select p.id, p.kind from rails
    join payout_attempts a
      on a.rail = rails.rail and a.token = ${text} and a.valid_until is not null
    join payouts p on p.environment_id = a.environment_id and p.id = a.payout_id
    where a.environment_id = ${environmentId}`)
  return found && referenceOf(found)
}
