import type { EnvironmentId, Mode } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { invalidField } from '../../base/refusal.js'
import { getEnvironment } from '../../merchants/environments.js'
import type { SearchKind } from '../../postgres/lists/search-terms.js'
import { type Sql, sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** Identifies a person. A bank account is `058:0123456789`. */
export type Selector = {
  kind: 'email' | 'phone' | 'bank_account' | 'wallet' | 'customer' | 'name'
  value: string
}

/** The environments in which a person is searched. */
export type SearchScope = {
  merchantId: string | null
  environments: { id: EnvironmentId; mode: Mode; merchantId: string; clockOffsetMs: number }[]
}

type Key = { environmentId: EnvironmentId; id: string }

/** How texts name a person, compared without case; numbers are those of bank accounts. */
export type Identifiers = {
  emails: string[]
  phones: string[]
  numbers: string[]
  wallets: string[]
  names: string[]
}

/** Rows of a person, and how these name the person and those who paid for it. */
export type Person = Identifiers & {
  customers: Key[]
  sessions: Key[]
  accounts: Key[]
  payments: Key[]
  payouts: Key[]
  claims: Key[]
  returns: Key[]
  recipients: Key[]
  /** Items of batches that were not paid out. */
  batches: Key[]
  /** What the operator typed, which is searched everywhere in the scope. */
  typed: Identifiers
  /** Of the person, and searched only at merchants where the person has rows; names are not. */
  found: Identifiers
  merchantIds: Set<string>
  /** Ids of the person's rows, and references of sessions: where found names are searched. */
  own: Set<string>
  /** Sessions of the person, their accounts and payments: what payers answered is theirs. */
  answered: string[]
  /** Without the names that were typed, which others may share. */
  withoutNames?: Person
}

/** Refuses a text that could mean several things. */
export function readSelector(text: string, field: 'payer' | 'subject'): Selector {
  const value = text.trim()
  if (/^name:/.test(value)) {
    const name = value.slice(5).trim().replace(/\s+/g, ' ').toLowerCase()
    if (field === 'payer' && !isFullName(name))
      throw invalidField(
        field,
        'must be a whole name, such as name:Ada Obi: at least two words of two letters each. Many people share less',
      )
    return { kind: 'name', value: name }
  }
  if (/^\S+@\S+$/.test(value)) return { kind: 'email', value: value.toLowerCase() }
  if (fromReference(prefixes.customer, value)) return { kind: 'customer', value }
  if (/^[0-9A-Za-z]{3,9}[:/]\d{10}$/.test(value))
    return { kind: 'bank_account', value: value.replace('/', ':') }
  if (/^\+\d{7,15}$|^\d{7,9}$|^\d{11,15}$/.test(value)) return { kind: 'phone', value }
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(value)) return { kind: 'wallet', value }
  throw invalidField(
    field,
    'must be an e-mail address, a phone number, 058:0123456789 (bank code and account number), a wallet address, cus_… or name:Ada Obi',
  )
}

/** One word alone, such as "Grace", names too many. */
function isFullName(text: string): boolean {
  return text.split(/\s+/).filter((word) => /\p{L}.*\p{L}/u.test(word)).length >= 2
}

export async function readScope(db: Queryable, merchant: string | undefined): Promise<SearchScope> {
  const merchantId = merchant
    ? (await getEnvironment(db, { merchant, mode: 'live' })).merchantId
    : null
  const environments = await db.rows(sql<SearchScope['environments'][number]>`
    select id, mode, merchant_id, clock_offset_ms::float8 as clock_offset_ms from environments
    where ${merchantId}::uuid is null or merchant_id = ${merchantId} order by id`)
  return { merchantId, environments }
}

/**
 * Finds the rows of a person by index: those that a selector names, those of its customers, and the
 * payments of its sessions and accounts. The account of such a payment does not lead to other
 * payments: it may belong to an agent who pays for many.
 */
export async function findPerson(
  db: Queryable,
  scope: SearchScope,
  selectors: Selector[],
): Promise<Person> {
  const { environments } = scope
  const ids = environments.map(({ id }) => id)
  const valuesOf = (kind: Selector['kind']) =>
    selectors.filter((selector) => selector.kind === kind).map(({ value }) => value)
  const names = valuesOf('name')
  const accounts = valuesOf('bank_account')
  const wallets = valuesOf('wallet')
  const customerIds = valuesOf('customer').map((value) => fromReference(prefixes.customer, value))
  const found = new IdentifierSets()
  for (const { kind, value } of selectors) found.add(kind, value)
  const typed = found.list()
  const words = await searchWords(db, names)
  const having = (kind: SearchKind, terms: string[]) => sql`
    select environment_id, id from search_terms
    where environment_id = any (${ids}) and kind = ${kind} and term = any (${terms}::text[])`

  const customers = await db.rows(
    sql<Key & { name: string; email: string | null; phone: string | null }>`
    select environment_id, id, name, email, phone from customers
    where environment_id = any (${ids}) and (id = any (${customerIds}::uuid[])
      or (environment_id, id) in (
        ${having('customer', [...valuesOf('email'), ...valuesOf('phone'), ...words])}))
      and (id = any (${customerIds}::uuid[]) or lower(email) = any (${valuesOf('email')}::text[])
        or phone = any (${valuesOf('phone')}::text[]) or lower(name) = any (${names}::text[]))`,
  )
  for (const { name, email, phone } of customers) found.addAll({ name, email, phone })
  const merchantOf = new Map(environments.map(({ id, merchantId }) => [id, merchantId]))
  const merchantsOf = (rows: Key[]) =>
    new Set(rows.map(({ environmentId }) => merchantOf.get(environmentId)!))
  // What a customer's row says counts, at its merchant, as if the operator had typed it.
  const { emails, phones } = found.list()
  const known = merchantsOf(customers)
  const knownIds = environments.filter(({ merchantId }) => known.has(merchantId))
  const isOneOf = (column: Sql, all: string[], given: string[]) => sql`(
    ${column} = any (${given}::text[])
    or environment_id = any (${knownIds.map(({ id }) => id)}) and ${column} = any (${all}::text[]))`
  const isEmail = (column: Sql) => isOneOf(column, emails, typed.emails)
  const ownCustomers = customers.map(({ id }) => id)

  const sessions = await db.rows(
    sql<Key & SessionRow>`
    select environment_id, id, reference, customer_name as name, customer_email as email,
      account_id, wallet_id
    from checkout_sessions where environment_id = any (${ids})
      and ((environment_id, id) in (${having('session', [...emails, ...words])})
          and (${isEmail(sql`lower(customer_email)`)}
            or lower(customer_name) = any (${names}::text[]))
        or (environment_id, id) in (select a.environment_id, a.session_id from collection_accounts a
          where a.environment_id = any (${ids}) and a.customer_id = any (${ownCustomers}::uuid[])
            and a.session_id is not null))`,
  )
  for (const { name, email } of sessions) found.addAll({ name, email })

  const dedicated = await db.rows(sql<Key & { customer: string | null }>`
    select environment_id, id, customer::text as customer from collection_accounts
    where environment_id = any (${ids}) and (customer_id = any (${ownCustomers}::uuid[])
      or kind = 'dedicated_account' and (${isEmail(sql`lower(customer ->> 'email')`)}
        or ${isOneOf(sql`customer ->> 'phone'`, phones, typed.phones)}
        or lower(customer ->> 'name') = any (${names}::text[])))`)
  for (const { customer } of dedicated) found.addAll(JSON.parse(customer ?? '{}'))
  const ofSessions = sessions
    .flatMap(({ accountId, walletId }) => [accountId, walletId])
    .filter((id) => id !== null)
  const ownAccounts = [...dedicated.map(({ id }) => id), ...ofSessions]

  const selects = (column: Sql) => sql`(
    (${column} ->> 'bankCode') || ':' || (${column} ->> 'accountNumber') = any (${accounts}::text[])
    or ${column} ->> 'address' = any (${wallets}::text[])
    or lower(coalesce(${column} ->> 'accountName', ${column} ->> 'name'))
      = any (${names}::text[]))`
  const exact = [...accounts.map((account) => account.split(':')[1]!), ...wallets, ...words]
  const payments = await db.rows(
    sql<Key & { accountId: string; sender: string; isSelected: boolean }>`
    select environment_id, id, account_id, sender::text as sender,
      ${selects(sql`p.sender`)} as is_selected from payments p
    where environment_id = any (${ids})
      and ((environment_id, id) in (${having('payment', exact)})
          and ${selects(sql`p.sender`)}
        or customer_id = any (${ownCustomers}::uuid[])
        or account_id = any (${ownAccounts}::uuid[]))`,
  )
  // Others may have paid for the person, from accounts that pay for many.
  const ofOthers = new IdentifierSets()
  const add = (text: string, isSelected: boolean) => {
    const fields: Fields = JSON.parse(text)
    const isOwn = isSelected || found.hasName(fields.name ?? fields.accountName)
    ;(isOwn ? found : ofOthers).addAll(fields)
  }
  for (const { sender, isSelected } of payments) add(sender, isSelected)
  const ownPayments = payments.map(({ id }) => id)

  const claimed = await db.rows(
    sql<Key & { payoutId: string | null; name: string | null; email: string | null }>`
    select environment_id, id, payout_id, recipient_name as name, email from claims
    where environment_id = any (${ids}) and (${isEmail(sql`lower(email)`)}
      or lower(recipient_name) = any (${names}::text[])
      or (environment_id, payout_id) in (select environment_id, id from payouts p
        where (environment_id, id) in (${having('payout', exact)})
          and ${selects(sql`p.destination`)}))`,
  )
  for (const { name, email } of claimed) found.addAll({ name, email })
  const returns = await db.rows(sql<Key>`
    select environment_id, id from payment_returns
    where environment_id = any (${ids}) and payment_id = any (${ownPayments}::uuid[])`)
  const returned = new Set(returns.map(({ id }) => id))
  const paid = [...claimed.flatMap(({ payoutId }) => (payoutId ? [payoutId] : [])), ...returned]
  const payouts = await db.rows(
    sql<Key & { destination: string; isSelected: boolean }>`
    select environment_id, id, destination::text as destination,
      ${selects(sql`p.destination`)} as is_selected from payouts p
    where environment_id = any (${ids}) and (id = any (${paid}::uuid[])
      or (environment_id, id) in (${having('payout', exact)})
        and ${selects(sql`p.destination`)})`,
  )
  for (const { id, destination, isSelected } of payouts)
    add(destination, isSelected || !returned.has(id))
  const batches = await db.rows(sql<Key>`
    select distinct i.environment_id, i.batch_id as id from payout_batch_items i
    where i.environment_id = any (${ids}) and i.payout_id is null
      and ${selects(sql`i.destination`)}`)
  const ownPayouts = payouts.map(({ id }) => id)
  const recipients = await db.rows(sql<Key & { accountName: string | null }>`
    select environment_id, id, account_name from recipients
    where environment_id = any (${ids})
      and (bank_code || ':' || account_number = any (${accounts}::text[])
        or address = any (${wallets}::text[]) or lower(account_name) = any (${names}::text[])
        or (environment_id, id) in (select environment_id, recipient_id from payouts
          where environment_id = any (${ids}) and id = any (${ownPayouts}::uuid[])))`)
  for (const { accountName } of recipients) found.addAll({ accountName })
  const rows = {
    customers,
    sessions,
    accounts: dedicated,
    payments,
    payouts,
    claims: claimed,
    returns,
    recipients,
  }
  const keys: Key[] = Object.values(rows).flat()
  const fromSessions = new Set(ofSessions)
  const answeredPayments = payments.filter(({ accountId }) => fromSessions.has(accountId))
  const others = selectors.filter(({ kind }) => kind !== 'name')
  return {
    ...rows,
    batches,
    ...merge(found.list(), ofOthers.list()),
    typed,
    found: found.list(),
    merchantIds: merchantsOf([...keys, ...batches]),
    own: new Set([
      ...keys.map(({ id }) => id),
      ...ownAccounts,
      ...sessions.map(({ reference }) => reference),
    ]),
    answered: [
      ...sessions.map(({ id }) => id),
      ...ofSessions,
      ...answeredPayments.map(({ id }) => id),
    ],
    ...(names.length > 0 && { withoutNames: await findPerson(db, scope, others) }),
  }
}

function merge(left: Identifiers, right: Identifiers): Identifiers {
  const join = (kind: keyof Identifiers) => [...new Set([...left[kind], ...right[kind]])]
  return {
    emails: join('emails'),
    phones: join('phones'),
    numbers: join('numbers'),
    wallets: join('wallets'),
    names: join('names'),
  }
}

type SessionRow = {
  reference: string
  name: string
  email: string
  accountId: string | null
  walletId: string | null
}

async function searchWords(db: Queryable, names: string[]): Promise<string[]> {
  const rows = await db.rows(sql<{ word: string }>`
    select distinct unnest(search_words(name)) as word from unnest(${names}::text[]) names (name)`)
  return rows.map(({ word }) => word)
}

type Fields = Partial<
  Record<'name' | 'accountName' | 'email' | 'phone' | 'accountNumber' | 'address', string | null>
>

/** What texts are searched for. */
class IdentifierSets {
  readonly #emails = new Set<string>()
  readonly #phones = new Set<string>()
  readonly #numbers = new Set<string>()
  readonly #wallets = new Set<string>()
  readonly #names = new Set<string>()

  add(kind: Selector['kind'], value: string): void {
    if (kind === 'email') this.#emails.add(value)
    if (kind === 'phone') this.#phones.add(value)
    if (kind === 'bank_account') this.#numbers.add(value.split(':')[1]!)
    if (kind === 'wallet') this.#wallets.add(value)
    if (kind === 'name') this.#names.add(value)
  }

  addAll({ name, accountName, email, phone, accountNumber, address }: Fields): void {
    for (const text of [name, accountName])
      if (text && isFullName(text)) this.#names.add(text.toLowerCase())
    if (email?.includes('@')) this.#emails.add(email.toLowerCase())
    if (phone && /\d{7}/.test(phone)) this.#phones.add(phone)
    if (accountNumber && /^\d{10}$/.test(accountNumber)) this.#numbers.add(accountNumber)
    if (address && /^\w{32,44}$/.test(address)) this.#wallets.add(address)
  }

  hasName(text: string | null | undefined): boolean {
    return this.#names.has(text?.toLowerCase() ?? '')
  }

  list(): Identifiers {
    return {
      emails: [...this.#emails],
      phones: [...this.#phones],
      numbers: [...this.#numbers],
      wallets: [...this.#wallets],
      names: [...this.#names],
    }
  }
}
