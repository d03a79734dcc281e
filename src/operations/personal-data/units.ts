import type { RetentionPeriods } from '../../base/config.js'
import type { EnvironmentId } from '../../base/environment.js'
import type { SearchKind } from '../../postgres/lists/search-terms.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { erasedText } from './mentions.js'

/** What replaces a value, as a literal: indexes compare with it. */
export const erased = sql.raw(`'${erasedText}'`)

/**
 * Rows whose person is replaced together, in one transaction: a payment with its notice, a payout
 * with what the bank was asked and its item of a batch. All SQL is about a row `t`.
 */
export type Unit = {
  table: string
  /** Test mode has no legal records: there, `PERSONAL_DATA_DAYS` applies. */
  keeps: 'AML_RECORD_DAYS' | 'PERSONAL_DATA_DAYS'
  /** Its purpose has not ended: money may still have to be sent to the person. */
  isOpen: Sql
  /** When the period begins. */
  endedAt: Sql
  /** For legal holds: what says who the person is, and the resources that it belongs to. */
  text: Sql
  ids: Sql
  search?: { kind: SearchKind; terms: Sql }
  /** The row has nothing left to replace. */
  isErased: Sql
  erase(chosen: Chosen): Sql[]
}

type Chosen = { environmentId: EnvironmentId; ids: string[] }

/** Assignments of an update, whose table has the alias `row`. */
const replaced = (column: string, row = 't') => {
  const [name, old] = [sql.identifier(column), sql.identifier(`${row}.${column}`)]
  return sql`${name} = case when ${old} is null then null else ${erased} end`
}
const withoutPerson = (column: string, row = 't') => {
  const [name, old] = [sql.identifier(column), sql.identifier(`${row}.${column}`)]
  return sql`${name} = erase_fields(${old}::jsonb)::json`
}
const these = ({ environmentId, ids }: Chosen) =>
  sql`t.environment_id = ${environmentId} and t.id = any (${ids}::uuid[])`

const payments: Unit = {
  table: 'payments',
  keeps: 'AML_RECORD_DAYS',
  isOpen: sql`t.amount_held > 0 or t.amount_returning > 0`,
  endedAt: sql`t.created_at`,
  text: sql`concat(t.sender, t.narration)`,
  ids: sql`array[t.id, t.account_id, t.customer_id]`,
  isErased: sql`coalesce(t.sender ->> 'name', t.sender ->> 'address', ${erased}) = ${erased}`,
  search: {
    kind: 'payment',
    terms: sql`search_words(coalesce(t.sender ->> 'name', ''))
      || array[t.sender ->> 'accountNumber', t.sender ->> 'address']`,
  },
  erase: (chosen) => [
    sql`update notices n set ${withoutPerson('report', 'n')}, ${replaced('body', 'n')}
      from payments t join environments e on e.id = t.environment_id
      where ${these(chosen)} and n.rail = t.rail and n.mode = e.mode and n.id = t.rail_id`,
    sql`update payments t set ${withoutPerson('sender')}, ${replaced('narration')}
      where ${these(chosen)}`,
  ],
}

const returns: Unit = {
  table: 'payment_returns',
  keeps: 'AML_RECORD_DAYS',
  isOpen: sql`t.state in ('WAITING', 'SENT')`,
  endedAt: sql`t.created_at`,
  text: sql`t.destination::text`,
  ids: sql`array[t.id, t.payment_id]`,
  isErased: sql`coalesce(t.destination ->> 'accountNumber', t.destination ->> 'address')
    = ${erased}`,
  erase: (chosen) => [
    sql`update payment_returns t set ${withoutPerson('destination')} where ${these(chosen)}`,
  ],
}

const payouts: Unit = {
  table: 'payouts',
  keeps: 'AML_RECORD_DAYS',
  isOpen: sql`t.status in ('PENDING', 'SUBMITTED')`,
  endedAt: sql`coalesce(t.reversed_at, t.completed_at, t.failed_at)`,
  text: sql`t.destination::text`,
  ids: sql`array[t.id, t.batch_id]`,
  isErased: sql`coalesce(t.destination ->> 'accountNumber', t.destination ->> 'address')
    = ${erased}`,
  search: {
    kind: 'payout',
    terms: sql`search_words(coalesce(t.destination ->> 'accountName', ''))
      || array[t.destination ->> 'accountNumber', t.destination ->> 'address']`,
  },
  erase: (chosen) => [
    // An instruction to a bank is JSON. A signed transaction is public, and stays.
    sql`update payout_attempts a
      set wire = convert_to(erase_fields(convert_from(wire, 'UTF8')::jsonb)::text, 'UTF8')
      where a.environment_id = ${chosen.environmentId} and a.payout_id = any (${chosen.ids}::uuid[])
        and substring(wire from 1 for 1) = '{'`,
    sql`update payout_batch_items i
      set ${withoutPerson('destination', 'i')}, ${replaced('account_name', 'i')}
      from payouts t where ${these(chosen)} and i.environment_id = t.environment_id
        and i.batch_id = t.batch_id and i.number = t.batch_item`,
    sql`update payouts t set ${withoutPerson('destination')} where ${these(chosen)}`,
  ],
}

/** Items of batches that were not paid out. */
const batches: Unit = {
  table: 'payout_batches',
  keeps: 'AML_RECORD_DAYS',
  isOpen: sql`t.ended_at is null`,
  endedAt: sql`t.ended_at`,
  text: sql`(select string_agg(i.destination::text, ' ') from payout_batch_items i
    where i.environment_id = t.environment_id and i.batch_id = t.id and i.payout_id is null)`,
  ids: sql`array[t.id]`,
  isErased: sql`not exists (select from payout_batch_items i
    where i.environment_id = t.environment_id and i.batch_id = t.id and i.payout_id is null
      and coalesce(i.destination ->> 'accountNumber', i.destination ->> 'address') <> ${erased})`,
  erase: ({ environmentId, ids }) => [
    sql`update payout_batch_items i
      set ${withoutPerson('destination', 'i')}, ${replaced('account_name', 'i')}
      where i.environment_id = ${environmentId} and i.batch_id = any (${ids}::uuid[])
        and i.payout_id is null`,
  ],
}

const accounts: Unit = {
  table: 'collection_accounts',
  keeps: 'AML_RECORD_DAYS',
  isOpen: sql`t.status = 'ACTIVE' or t.amount_held > 0 or t.amount_returning > 0`,
  endedAt: sql`t.ended_at`,
  text: sql`concat(t.customer, t.account_name)`,
  ids: sql`array[t.id, t.customer_id]`,
  isErased: sql`t.account_name = ${erased}`,
  search: { kind: 'account', terms: sql`search_words(t.account_name)` },
  erase: (chosen) => [
    sql`update collection_accounts t set ${withoutPerson('customer')}, account_name = ${erased}
      where ${these(chosen)}`,
  ],
}

const sessions: Unit = {
  table: 'checkout_sessions',
  keeps: 'PERSONAL_DATA_DAYS',
  isOpen: sql`t.status = 'pending'`,
  endedAt: sql`t.created_at`,
  text: sql`concat_ws(' ', t.customer_name, t.customer_email)`,
  ids: sql`array[t.id, t.account_id, t.wallet_id]`,
  isErased: sql`t.customer_email in ('', ${erased})`,
  search: {
    kind: 'session',
    terms: sql`search_words(t.customer_name) || array[lower(t.customer_email)]`,
  },
  erase: (chosen) => [
    sql`update checkout_sessions t set customer_name = ${erased}, customer_email = ${erased}
      where ${these(chosen)}`,
  ],
}

const claims: Unit = {
  table: 'claims',
  keeps: 'PERSONAL_DATA_DAYS',
  // A payout that fails opens its claim again.
  isOpen: sql`t.status = 'OPEN' or exists (select from payouts p
    where p.environment_id = t.environment_id and p.id = t.payout_id
      and p.status in ('PENDING', 'SUBMITTED'))`,
  endedAt: sql`coalesce(t.ended_at, t.claimed_at)`,
  text: sql`concat_ws(' ', t.recipient_name, t.email)`,
  ids: sql`array[t.id, t.payout_id]`,
  isErased: sql`coalesce(t.recipient_name, ${erased}) = ${erased}
    and coalesce(t.email, ${erased}) = ${erased}`,
  erase: (chosen) => [
    sql`update claims t set ${replaced('recipient_name')}, ${replaced('email')}
      where ${these(chosen)}`,
  ],
}

/** Only erased on request: a merchant may pay a recipient for years. Where it is paid stays. */
export const savedRecipients: Unit = {
  table: 'recipients',
  keeps: 'PERSONAL_DATA_DAYS',
  // A payout must name the holder as the recipient does.
  isOpen: sql`t.status = 'ACTIVE'`,
  endedAt: sql`null::timestamptz`,
  text: sql`concat_ws(' ', t.account_name, t.account_number, t.address, t.label)`,
  ids: sql`array[t.id]`,
  isErased: sql`coalesce(t.account_name, ${erased}) = ${erased}
    and coalesce(t.label, ${erased}) = ${erased}`,
  search: {
    kind: 'recipient',
    terms: sql`search_words(concat_ws(' ', t.account_name, t.label))`,
  },
  erase: (chosen) => [
    sql`update recipients t set ${replaced('account_name')}, ${replaced('label')}
      where ${these(chosen)}`,
  ],
}

export const units = {
  payments,
  returns,
  payouts,
  batches,
  accounts,
  sessions,
  claims,
} satisfies Record<string, Unit>

export type UnitName = keyof typeof units

/** `early`: the law, or the purpose, keeps it until later. */
type RowState = 'due' | 'open' | 'held' | 'early' | 'erased'

type JudgedRow = { id: string; state: RowState; endedAt: Date | null }

/** Locks rows and decides about each. Rows that ended at or after `before` are early. */
export function judgeRows(
  tx: Tx,
  { table, isOpen, isErased, endedAt, text, ids }: Unit,
  { environmentId, rows, now, before }: ToJudge,
): Promise<JudgedRow[]> {
  return tx.rows(sql<JudgedRow>`
    select t.id, ${endedAt} as ended_at, case
      when ${isErased} then 'erased'
      when ${isOpen} then 'open'
      when is_held(${now}, t.environment_id, ${text}, ${ids}) then 'held'
      when ${endedAt} >= ${before} then 'early'
      else 'due' end as state
    from ${sql.identifier(table)} t
    where t.environment_id = ${environmentId} and t.id = any (${rows}::uuid[])
    order by t.id for no key update of t`)
}

type ToJudge = { environmentId: EnvironmentId; rows: string[]; now: Date; before: Date }

/** Replaces what says who the person is, and removes the terms by which searches find the rows. */
export async function pseudonymise(tx: Tx, unit: Unit, chosen: Chosen): Promise<void> {
  if (chosen.ids.length === 0) return
  await startErasing(tx)
  if (unit.search)
    await tx.rows(sql`
      delete from search_terms s using (
        select t.id, word.term from ${sql.identifier(unit.table)} t
        cross join lateral unnest(${unit.search.terms}) word (term) where ${these(chosen)}) old
      where s.environment_id = ${chosen.environmentId} and s.kind = ${unit.search.kind}
        and s.term = old.term and s.id = old.id`)
  for (const statement of unit.erase(chosen)) await tx.rows(statement)
  await stopErasing(tx)
}

/**
 * Triggers refuse to edit most of these rows. While a transaction erases, they let it replace texts
 * in the columns with personal data, and nothing else (`only_erase` in the database).
 */
export async function startErasing(tx: Tx): Promise<void> {
  await tx.rows(sql`select set_config('manilla.erasing', 'on', true)`)
}

async function stopErasing(tx: Tx): Promise<void> {
  await tx.rows(sql`select set_config('manilla.erasing', 'off', true)`)
}

/** Days for which a unit is kept in a mode. */
export function retentionDays(
  { keeps }: Unit,
  mode: 'test' | 'live',
  periods: RetentionPeriods,
): number {
  return periods[mode === 'test' ? 'PERSONAL_DATA_DAYS' : keeps]
}
