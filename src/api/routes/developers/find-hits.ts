import type { EnvironmentId } from '../../../base/environment.js'
import { fromReference, prefixes, toReference } from '../../../base/ids.js'
import { type AccountKind, accountKinds, isWallet } from '../../../collections/accounts/account.js'
import { accountList } from '../../../collections/accounts/account-list.js'
import { findAccountIds } from '../../../collections/accounts/find-account-ids.js'
import type { ListedPayment } from '../../../collections/payments/find-payments.js'
import {
  type PaymentStatus,
  paymentStatuses,
  paymentStatusOf,
} from '../../../collections/payments/payment.js'
import { paymentList } from '../../../collections/payments/payment-list.js'
import { sessionList } from '../../../collections/sessions/session-list.js'
import type { EventType } from '../../../events/catalogue.js'
import { seesEvent } from '../../../events/filter.js'
import { formatMoney, parseMoney } from '../../../money/amounts.js'
import type { Asset } from '../../../money/assets.js'
import { type PayoutStatus, payoutStatuses, referenceOf } from '../../../payouts/payout.js'
import type { PayoutWithAttempts } from '../../../payouts/records/find-payouts.js'
import {
  findPayoutBySignature,
  payoutList,
  transferKinds,
} from '../../../payouts/records/payout-list.js'
import { transferStatus } from '../../../payouts/resource.js'
import { listLimits } from '../../../postgres/limits.js'
import { findIds, readList } from '../../../postgres/lists/find-ids.js'
import { sql } from '../../../postgres/sql.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import { type Permissions, type ResourceKind, sees } from '../../../team/seen-with.js'
import { parseSearch, type SearchText } from '../../parse/search-text.js'

export const hitKinds = [
  'payment',
  'bank_transfer',
  'crypto_transfer',
  'checkout_session',
  'virtual_account',
  'dedicated_account',
  'crypto_wallet',
  'dedicated_crypto_wallet',
  'return',
  'event',
  'webhook_endpoint',
  'request',
] as const satisfies ResourceKind[]

export type Hit = {
  kind: (typeof hitKinds)[number]
  reference: string
  title: string
  subtitle: string
  status: string | null
}

type Search = {
  db: Queryable
  environmentId: EnvironmentId
  wanted: SearchText
  /** The caller may not see payers, so their names find nothing. */
  hidesPayers: boolean
  /** The caller finds only what it may see. */
  permissions: Permissions
}

const { hitsMax } = listLimits
const hitsPerGroup = hitsMax / 4
const firstPage = { before: undefined, limit: hitsMax }

/** The newest resources that a text names, by kind; those with that very name first. */
export async function findHits(
  db: Queryable,
  environmentId: EnvironmentId,
  { typed, ...caller }: { typed: string } & Pick<Search, 'hidesPayers' | 'permissions'>,
): Promise<Hit[]> {
  const wanted = parseSearch(typed)
  const hits = await findAll({ db, environmentId, wanted, ...caller })
  // A plain number names something, or is an amount.
  const isNumber = /^[\d,]+(\.\d{1,2})?$/.test(wanted.text)
  if (hits.length > 0 || !isNumber) return hits
  const byAmount = { ...wanted, text: '', amount: wanted.text }
  return findAll({ db, environmentId, wanted: byAmount, ...caller })
}

async function findAll(search: Search): Promise<Hit[]> {
  const { db, environmentId, wanted, permissions } = search
  const signed = await findPayoutBySignature(db, environmentId, wanted.text)
  const payoutSearch =
    signed === undefined ? search : { ...search, wanted: { ...wanted, text: signed } }
  const groups = [
    await findNamed(payoutSearch),
    sees(permissions, 'payment') ? await findPaymentHits(search) : [],
    sees(permissions, 'bank_transfer') ? await findPayoutHits(payoutSearch) : [],
    sees(permissions, 'checkout_session') ? await findSessionHits(search) : [],
    sees(permissions, 'virtual_account') ? await findAccountHits(search) : [],
  ].map((hits) => hits.filter(({ kind }) => sees(permissions, kind)))
  // Many payments leave room for the others.
  const first = groups.flatMap((hits) => hits.slice(0, hitsPerGroup))
  const rest = groups.flatMap((hits) => hits.slice(hitsPerGroup))
  const distinct = new Map([...first, ...rest].map((hit) => [hit.reference, hit]))
  return [...distinct.values()].slice(0, hitsMax)
}

/** What a reference or request id names directly and no list below finds. */
async function findNamed(search: Search): Promise<Hit[]> {
  const { db, environmentId, permissions } = search
  const { text } = search.wanted
  const toHitOf = (kind: Hit['kind']) => (row: Omit<Hit, 'kind' | 'reference'>) => ({
    kind,
    reference: text,
    ...row,
  })
  const eventId = fromReference(prefixes.event, text)
  if (eventId) {
    const rows = await db.rows(sql<Omit<Hit, 'kind' | 'reference'>>`
      select type as title, null as status,
        to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as subtitle
      from events where environment_id = ${environmentId} and id = ${eventId}`)
    return rows
      .filter(({ title }) => seesEvent(permissions, title as EventType))
      .map(toHitOf('event'))
  }
  const endpointId = fromReference(prefixes.webhookEndpoint, text)
  if (endpointId) {
    const rows = await db.rows(sql<Omit<Hit, 'kind' | 'reference'>>`
      select url as title, description as subtitle,
        case when is_enabled then 'enabled' else 'disabled' end as status
      from webhook_endpoints where environment_id = ${environmentId} and id = ${endpointId}
        and deleted_at is null`)
    return rows.map(toHitOf('webhook_endpoint'))
  }
  const returnId = fromReference(prefixes.paymentReturn, text)
  if (returnId) {
    const rows = await db.rows(sql<{
      amount: bigint
      asset: Asset
      state: string
      paymentId: string
    }>`
      select amount, asset, state, payment_id from payment_returns
      where environment_id = ${environmentId} and (id = ${returnId} or claim_id = (
        select claim_id from claim_holds
        where environment_id = ${environmentId} and payout_id = ${returnId}))`)
    return rows.map(({ amount, asset, state, paymentId }) => ({
      kind: 'return',
      reference: text,
      title: `${formatMoney(amount, asset)} back to the payer`,
      subtitle: toReference(prefixes.payment, paymentId),
      status: state,
    }))
  }
  if (text === '' || text.includes(' ')) return []
  const rows = await db.rows(sql<Omit<Hit, 'kind' | 'reference'>>`
    select method || ' ' || path as title, key_name as subtitle, status::text as status
    from request_logs where environment_id = ${environmentId} and request_id = ${text}
    order by id desc limit 1`)
  return rows.map(toHitOf('request'))
}

async function findPaymentHits({ db, environmentId, wanted, hidesPayers }: Search): Promise<Hit[]> {
  const { text, payer, recipient, order } = wanted
  const status =
    wanted.status && paymentStatuses.find((known) => known === wanted.status?.toUpperCase())
  if (recipient !== undefined || (wanted.status !== undefined && !status) || isEmpty(wanted))
    return []
  const amount = readAmount(wanted)
  if (amount === null) return []
  const filter = {
    sender: payer,
    hidesPayers,
    merchantReference: order,
    status: status as PaymentStatus | undefined,
    text: text === '' ? undefined : text,
    ...amount,
  }
  const { rows } = await readList(db, paymentList, { environmentId, filter }, firstPage)
  return rows.map(toPaymentHit)
}

function toPaymentHit(payment: ListedPayment): Hit {
  const { asset, amount, sender, merchantReference } = payment
  const from = 'name' in sender ? sender.name : (sender.address ?? 'an unknown wallet')
  return {
    kind: 'payment',
    reference: toReference(prefixes.payment, payment.id),
    title: `${formatMoney(amount, asset)} from ${from}`,
    subtitle: [merchantReference, payment.createdAt.toISOString()].filter(Boolean).join(' · '),
    status: paymentStatusOf(payment),
  }
}

async function findPayoutHits({ db, environmentId, wanted }: Search): Promise<Hit[]> {
  const { text, payer, recipient, order } = wanted
  const named = wanted.status?.toUpperCase().replace('CONFIRMED', 'COMPLETED')
  const status = payoutStatuses.find((known) => known === named)
  if (payer !== undefined || (named !== undefined && !status) || isEmpty(wanted)) return []
  const amount = readAmount(wanted)
  if (amount === null) return []
  const filter = {
    kinds: transferKinds,
    recipient,
    merchantReference: order,
    status: status as PayoutStatus | undefined,
    text: text === '' ? undefined : text,
    ...amount,
  }
  const { rows } = await readList(db, payoutList, { environmentId, filter }, firstPage)
  return rows.map(toPayoutHit)
}

function toPayoutHit({ payout }: PayoutWithAttempts): Hit {
  const { destination, kind, asset, amount, merchantReference } = payout
  const to = destination.kind === 'wallet' ? destination.address : destination.accountName
  return {
    kind: kind as Hit['kind'],
    reference: referenceOf(payout),
    title: `${formatMoney(amount, asset)} to ${to}`,
    subtitle: [merchantReference, payout.createdAt.toISOString()].filter(Boolean).join(' · '),
    status: transferStatus(payout),
  }
}

async function findSessionHits({ db, environmentId, wanted, hidesPayers }: Search): Promise<Hit[]> {
  const { text, order } = wanted
  if (isEmpty(wanted) || hasOther(wanted)) return []
  const filter = { merchantReference: order, text: text === '' ? undefined : text, hidesPayers }
  const { ids } = await findIds(db, sessionList, { environmentId, filter }, firstPage)
  return db.rows(sql<Hit>`
    select 'checkout_session' as kind, reference, description as title,
      customer_name || ' · ' || customer_email as subtitle, status
    from checkout_sessions where environment_id = ${environmentId} and id = any (${ids}::uuid[])
    order by id desc`)
}

type AccountHit = {
  id: string
  kind: AccountKind
  number: string
  accountName: string
  bankName: string
  merchantReference: string
  status: string
}

async function findAccountHits(search: Search): Promise<Hit[]> {
  const { db, environmentId, wanted } = search
  const name = wanted.order ?? wanted.text
  if (name === '' || hasOther(wanted)) return []
  const named = await findAccountIds(db, environmentId, name)
  const ids = named.length > 0 ? named : await findAccountsByName(search)
  const rows = await db.rows(sql<AccountHit>`
    select id, kind, number, account_name, bank_name, merchant_reference, status
    from collection_accounts
    where environment_id = ${environmentId} and id = any (${ids}::uuid[]) and session_id is null
    order by id desc limit ${hitsMax}`)
  return rows.map((row) => ({
    kind: row.kind,
    reference: toReference(accountKinds[row.kind].prefix, row.id),
    title: isWallet(row) ? row.number : `${row.number} · ${row.bankName}`,
    subtitle: [row.merchantReference, row.accountName].filter(Boolean).join(' · '),
    status: row.status,
  }))
}

/** Only dedicated accounts have the name of a customer. */
async function findAccountsByName(search: Search): Promise<string[]> {
  const { db, environmentId, wanted, hidesPayers } = search
  if (wanted.order !== undefined) return []
  const filter = { kind: 'dedicated_account', text: wanted.text, hidesPayers } as const
  const { ids } = await findIds(db, accountList, { environmentId, filter }, firstPage)
  return ids
}

function isEmpty({ text, payer, recipient, order, status, amount }: SearchText): boolean {
  return (
    text === '' && [payer, recipient, order, status, amount].every((filter) => filter === undefined)
  )
}

/** Filters that only payments and payouts have. */
function hasOther({ payer, recipient, status, amount }: SearchText): boolean {
  return [payer, recipient, status, amount].some((filter) => filter !== undefined)
}

/** Null: not an amount, so nothing has it. */
function readAmount({ amount }: SearchText) {
  if (amount === undefined) return {}
  const [, sign, first = '', second] = /^([<>]=?)?(.+?)(?:\.\.(.+))?$/.exec(amount) ?? []
  const from = parseMoney(first, 'NGN')
  const to = second === undefined ? from : parseMoney(second, 'NGN')
  if (typeof from !== 'bigint' || typeof to !== 'bigint') return null
  const inNaira = (range: { min?: bigint; max?: bigint }) =>
    ({ currency: 'NGN', amounts: { assets: ['NGN'], ...range } }) as const
  if (sign === undefined) return inNaira({ min: from, max: to })
  const beyond = sign.length === 2 ? 0n : 1n
  return inNaira(sign.startsWith('>') ? { min: from + beyond } : { max: from - beyond })
}
