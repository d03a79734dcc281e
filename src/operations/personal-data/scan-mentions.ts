import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'
import { type Sql, sql } from '../../postgres/sql.js'
import { personalDataLimits } from '../limits.js'
import { type Form, retentionClasses } from './classes.js'
import type { Mentions } from './mentions.js'
import type { SearchScope } from './person.js'

/** Columns of a table whose texts may name a person. SQL is about a row `t`. */
type Target = {
  table: string
  columns: Record<string, Form>
  /** Rows that are searched; by default all. */
  where?: Sql
  /** Of a merchant's environments. False: only a search of the whole installation reads it. */
  ofEnvironments: ((ids: number[]) => Sql) | false
  isOpen?: Sql
  /** In live mode the law keeps it: since when. Null: test mode. */
  recordedAt?: Sql
  isSealed?: Sql
  environment: Sql
  /** By default the one of the environment. */
  merchant?: Sql
  /** Resources that it belongs to; a legal hold may name one. */
  ids: Sql
  /** See `createMentions`. */
  isCopy?: boolean
  hasAnswers?: boolean
}

export type MentioningRow = {
  key: string[]
  /** By column; null or the text, opened. */
  texts: (string | null)[]
  /** The same without the person. */
  erased: (string | null)[]
  merchantId: string | null
  ids: string[]
  /** See `createMentions`. */
  isByName: boolean
  isSealed: boolean
  state: 'free' | 'open' | 'held' | 'early'
  recordedAt: Date | null
}

export type ScannedTable = Target & { keys: TypedColumn[]; typed: TypedColumn[] }

type TypedColumn = { name: string; type: string }

const noIds = sql`array[]::uuid[]`
const byEnvironment = (ids: number[]) => sql`t.environment_id = any (${ids})`
const own = { ofEnvironments: byEnvironment, environment: sql`t.environment_id`, ids: noIds }
const shared = { environment: sql`null::integer`, ids: noIds }

const ofMerchants = (ids: number[]) => sql`t.merchant_id in (
  select e.merchant_id from environments e where e.id = any (${ids}))`
/** Rows of a rail are known by the payment, account or payout that they are about. */
const noticed = sql`from payments p where p.rail = t.rail and p.rail_id = t.id`
const opened = sql`from collection_accounts a
  where a.rail = t.rail and a.rail_account = t.reference`
const attempted = sql`from payout_attempts a where a.rail = t.rail and a.token = t.token`

const special: Record<string, Partial<Target>> = {
  payment_returns: { ids: sql`array[t.id, t.payment_id]` },
  payouts: { ids: sql`array[t.id]` },
  payout_batch_items: { ids: sql`array[t.payout_id]`, isCopy: true },
  payout_batches: { ids: sql`array[t.id]` },
  payout_approvals: { ids: sql`array[t.payout_id]` },
  payout_checks: { ids: sql`array[t.payout_id]` },
  payout_batch_approvals: { ids: sql`array[t.batch_id]` },
  collection_accounts: { ids: sql`array[t.id, t.session_id, t.customer_id]`, hasAnswers: true },
  checkout_sessions: { ids: sql`array[t.id, t.account_id, t.wallet_id]`, hasAnswers: true },
  claims: { ids: sql`array[t.id, t.payout_id, t.payment_id]` },
  payment_links: { ids: sql`array[t.id]` },
  invoices: { ids: sql`array[t.id, t.customer_id]` },
  invoice_schedules: { ids: sql`array[t.id, t.customer_id]` },
  credit_notes: {
    ids: sql`array(select i.customer_id from invoices i
      where i.environment_id = t.environment_id and i.id = t.invoice_id) || t.invoice_id`,
  },
  reallocations: { ids: sql`array[t.payment_id]` },
  payment_requests: { ids: sql`array[t.payment_id]` },
  events: { ids: sql`array[t.resource_id]`, isCopy: true, hasAnswers: true },
  delivery_attempts: {
    ids: sql`array(select e.resource_id from events e
      where e.environment_id = t.environment_id and e.id = t.event_id)`,
    isCopy: true,
  },
  request_logs: { ids: sql`coalesce(t.resource_ids, '{}')`, isCopy: true },
  notes: {
    ids: sql`array(select i.resource_id from case_items i
      where i.environment_id = t.environment_id and i.case_id = t.resource_id) || t.resource_id`,
  },
  cases: {
    ids: sql`array(select i.resource_id from case_items i
      where i.environment_id = t.environment_id and i.case_id = t.id) || t.id`,
  },
  recipients: { ids: sql`array[t.id]` },
  mails: { isOpen: sql`t.state = 'WAITING'`, ids: sql`array[t.cause_id]`, isCopy: true },
  idempotency_keys: { isSealed: sql`t.is_sealed`, isCopy: true },
  audit_lines: { ofEnvironments: ofMerchants, merchant: sql`t.merchant_id`, isCopy: true },
  legal_holds: {
    ...shared,
    isOpen: sql`t.released_at is null`,
    ofEnvironments: ofMerchants,
    merchant: sql`t.merchant_id`,
    ids: sql`array[t.resource_id]`,
    isCopy: true,
  },
  notices: {
    isOpen: sql`t.state in ('WAITING', 'UNMATCHED')`,
    recordedAt: sql`case when t.mode = 'live' then t.received_at end`,
    environment: sql`(select p.environment_id ${noticed})`,
    ids: sql`array(select p.id ${noticed})`,
    isCopy: true,
    ofEnvironments: (ids) => sql`exists (select ${noticed} and p.environment_id = any (${ids}))`,
  },
  opened_bank_accounts: {
    environment: sql`(select a.environment_id ${opened})`,
    ids: sql`array(select unnest(array[a.id, a.session_id, a.customer_id]) ${opened})`,
    ofEnvironments: (ids) => sql`exists (select ${opened} and a.environment_id = any (${ids}))`,
  },
  bank_orders: {
    environment: sql`(select a.environment_id ${attempted} limit 1)`,
    ids: sql`array(select a.payout_id ${attempted})`,
    isCopy: true,
    ofEnvironments: (ids) => sql`exists (select ${attempted} and a.environment_id = any (${ids}))`,
  },
  notice_hints: {
    environment: sql`(select p.environment_id ${noticed})`,
    ids: sql`array(select p.id ${noticed})`,
    isCopy: true,
    ofEnvironments: false,
  },
  sandbox_payments: {
    ...shared,
    ids: sql`array(select p.id from payments p where p.rail_id = t.id)`,
    isCopy: true,
    ofEnvironments: false,
  },
  sandbox_transfers: { ...shared, isCopy: true, ofEnvironments: false },
  sandbox_accounts: {
    ...shared,
    ids: sql`array(select unnest(array[a.id, a.session_id, a.customer_id])
      from collection_accounts a where a.rail_account = t.reference)`,
    ofEnvironments: false,
  },
}

/** Replaced with the row they are in, not by what they mention: see units.ts and customers. */
const elsewhere = new Set(['customers', 'mail_suppressions', 'search_terms'])

const targets: Target[] = [
  ...retentionClasses
    .filter(({ table }) => !elsewhere.has(table))
    .flatMap(({ table, columns }): Target[] => {
      const mentioning = Object.fromEntries(
        Object.entries(columns).filter(([, form]) => form === 'mention' || form === 'sealed'),
      )
      const isOfPayers = Object.keys(mentioning).length > 0 && table !== 'operator_actions'
      return isOfPayers ? [{ table, columns: mentioning, ...own, ...special[table] }] : []
    })
    .filter(({ columns }) => !('sealed_form' in columns || 'sealed_customer' in columns))
    .filter(({ table }) => table !== 'kyc_documents'),
  {
    table: 'payout_batch_items',
    columns: { destination: 'mention', account_name: 'mention' },
    ...own,
    where: sql`t.payout_id is null`,
    isOpen: sql`exists (select from payout_batches b where b.environment_id = t.environment_id
      and b.id = t.batch_id and b.ended_at is null)`,
    recordedAt: sql`(select b.ended_at from payout_batches b
      where b.environment_id = t.environment_id and b.id = t.batch_id and b.mode = 'live')`,
    ids: sql`array[t.batch_id]`,
    isCopy: true,
  },
]

/** The tables that are searched. A live installation may have no simulated bank. */
export async function listTargets(db: Database, scope: SearchScope): Promise<ScannedTable[]> {
  const columns = await db.rows(
    sql<{ table: string; name: string; type: string; place: number | null }>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      array_position(i.indkey::int2[], a.attnum) as place
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'public'::regnamespace and not a.attisdropped`,
  )
  return targets
    .filter(({ ofEnvironments }) => scope.merchantId === null || ofEnvironments)
    .flatMap((target) => {
      const known = columns.filter(({ table }) => table === target.table)
      if (known.length === 0) return []
      const keys = known
        .filter(({ place }) => place !== null)
        .toSorted((left, right) => left.place! - right.place!)
      const typed = Object.keys(target.columns).map(
        (column) => known.find(({ name }) => name === column)!,
      )
      return [{ ...target, keys, typed }]
    })
}

type Search = {
  scope: SearchScope
  mentions: Mentions
  seal: Seal
  now: Date
  /** What the law keeps in live mode is younger than this. */
  before: Date
}

/**
 * Reads a table page by page, by its primary key, and returns the rows that name the person. No
 * statement reads more than a page, however few rows match.
 */
export async function* scanMentions(
  db: Database,
  target: ScannedTable,
  search: Search,
): AsyncGenerator<MentioningRow[]> {
  const { rowsScannedPerPage } = personalDataLimits
  const keys = sql.join(target.keys.map(({ name }) => sql`t.${sql.identifier(name)}`))
  const keyTexts = sql.join(target.keys.map(({ name }) => sql`t.${sql.identifier(name)}::text`))
  const toKey = (key: string[]) =>
    sql.join(target.keys.map(({ type }, at) => sql`${key[at]}::${sql.raw(type)}`))
  const table = sql.identifier(target.table)
  let after: string[] | undefined
  for (;;) {
    const from = after ? sql`(${keys}) > (${toKey(after)})` : sql`true`
    const [last] = await db.rows(sql<{ key: string[] }>`
      select array[${keyTexts}] as key from ${table} t where ${from}
      order by ${keys} offset ${rowsScannedPerPage - 1} limit 1`)
    const range = last ? sql`${from} and (${keys}) <= (${toKey(last.key)})` : from
    const found = await db.rows(readPage(target, search, { keyTexts, range }))
    const named = found
      .map((row) => open(target, search, row))
      .filter(({ texts, erased }) => texts.some((text, at) => text !== erased[at]))
    if (named.length > 0) yield named
    if (!last) return
    after = last.key
  }
}

function readPage(
  target: ScannedTable,
  { scope, mentions, now, before }: Search,
  { keyTexts, range }: { keyTexts: Sql; range: Sql },
): Sql<FoundRow> {
  const { where, ofEnvironments, isOpen, recordedAt, isSealed, environment, ids } = target
  const texts = sql.join(target.typed.map(({ name }) => sql`t.${sql.identifier(name)}::text`))
  const all = sql`lower(concat_ws(chr(10), ${texts}))`
  const hasSealed = Object.values(target.columns).includes('sealed')
  // Sealed texts are searched by this process.
  const mayName = hasSealed
    ? sql`true`
    : sql`(${isSealed ?? sql`false`} or exists (
        select from unnest(${mentions.patterns}::text[]) part where strpos(${all}, part) > 0))`
  const isAnswered =
    target.hasAnswers && mentions.answered.length > 0
      ? sql`strpos(${all}, '"answers"') > 0 and ${ids} && ${mentions.answered}::uuid[]`
      : sql`false`
  const environments = scope.environments.map(({ id }) => id)
  const merchantOf = sql`(
    select e.merchant_id from environments e where e.id = ${environment})`
  return sql<FoundRow>`
    select array[${keyTexts}] as key, array[${texts}] as texts,
      ${target.merchant ?? merchantOf}
        as merchant_id,
      array_remove(${ids}, null)::text[] as ids,
      ${isSealed ?? sql`false`} as is_sealed,
      ${recordedAt ?? sql`null::timestamptz`} as recorded_at,
      case when ${isOpen ?? sql`false`} then 'open'
        when is_held(${now}, ${environment}, ${all}, ${ids}) then 'held'
        when ${recordedAt ?? sql`null::timestamptz`} >= ${before} then 'early'
        else 'free' end as state
    from ${sql.identifier(target.table)} t
    where ${range} and ${where ?? sql`true`} and (${mayName} or ${isAnswered})
      and ${scope.merchantId && ofEnvironments ? ofEnvironments(environments) : sql`true`}`
}

type FoundRow = Omit<MentioningRow, 'erased' | 'isByName'>

function open(target: ScannedTable, { seal, mentions }: Search, row: FoundRow): MentioningRow {
  const texts = row.texts.map((text, at) =>
    text !== null && isSealedColumn(target, row, at) ? seal.open(text) : text,
  )
  const opened = { ...row, texts }
  return {
    ...opened,
    erased: mentions.erase(opened, target),
    isByName: mentions.isByName(opened, target),
  }
}

export function isSealedColumn(
  { columns, typed }: ScannedTable,
  { isSealed }: Pick<MentioningRow, 'isSealed'>,
  at: number,
): boolean {
  const { name } = typed[at]!
  return columns[name] === 'sealed' || (isSealed && name === 'answer')
}
