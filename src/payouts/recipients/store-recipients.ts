import type { EnvironmentId } from '../../base/environment.js'
import { firstIdAt, fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import { type CommonFilter, joinRow, type List, matchTerms } from '../../postgres/lists/list.js'
import { writeTerms } from '../../postgres/lists/write-terms.js'
import { sql } from '../../postgres/sql.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import { environmentKey, throwIfHeld } from '../../postgres/transactions/busy.js'
import { keyedRead } from '../../postgres/transactions/keyed-read.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { destinationKey } from '../describe-destination.js'
import type { Destination } from '../ports.js'
import {
  destinationOfRecipient,
  type Recipient,
  type RecipientKind,
  type RecipientStatus,
  recipientKinds,
  recipientStatuses,
  recipients,
  type ShownRecipient,
} from './recipient.js'

export type RecipientName = { environmentId: EnvironmentId; reference: string }

/** The recipients with these keys, in their order. */
export const findRecipients = keyedRead<Recipient, Recipient>({
  name: 'read_recipients',
  columns: recipients.of('r'),
  table: 'recipients',
  alias: 'r',
  toValues: (_db, rows) => rows,
  keyOf: (found) => found,
})

export async function getRecipient(db: Queryable, name: RecipientName): Promise<Recipient> {
  const id = fromReference(prefixes.recipient, name.reference)
  const [found] = id ? await findRecipients(db, [{ environmentId: name.environmentId, id }]) : []
  if (!found) throw notFound('recipient', name.reference)
  return found
}

/** Locked until the end of the transaction, as no payout to it holds it; see `lockRecipientsOf`. */
export async function lockRecipient(tx: Tx, name: RecipientName): Promise<Recipient> {
  const id = fromReference(prefixes.recipient, name.reference)
  const [row] = id
    ? await tx.rows(sql<Recipient>`
        select ${recipients.of('r')} from recipients r
        where environment_id = ${name.environmentId} and id = ${id} for no key update`)
    : []
  if (!row) throw notFound('recipient', name.reference)
  return row
}

/** The saved recipient with this account or wallet. Each destination is saved at most once. */
export async function findRecipientOf(
  db: Queryable,
  environmentId: EnvironmentId,
  destination: Destination,
): Promise<Recipient | undefined> {
  const [found] = await findRecipientsOf(db, environmentId, [destination])
  return found
}

/** The saved recipients of these destinations, in their order. */
export async function findRecipientsOf(
  db: Queryable,
  environmentId: EnvironmentId,
  destinations: Destination[],
): Promise<(Recipient | undefined)[]> {
  const rows = destinations.map((destination) => toRow({ environmentId, destination }))
  const isWallet = destinations.some(({ kind }) => kind === 'wallet')
  const isAccount = destinations.some(({ kind }) => kind === 'bank_account')
  const found = [
    ...(isWallet ? await db.rows(selectWallets(rows)) : []),
    ...(isAccount ? await db.rows(selectAccounts(rows)) : []),
  ]
  const byKey = new Map(
    found.map((recipient) => [destinationKey(destinationOfRecipient(recipient, null)), recipient]),
  )
  return destinations.map((destination) => byKey.get(destinationKey(destination)))
}

type Paid = { environmentId: EnvironmentId; destination: Destination }

function toRow({ environmentId, destination }: Paid) {
  return {
    environmentId: environmentId as number,
    bankCode: destination.kind === 'wallet' ? null : destination.bankCode,
    accountNumber: destination.kind === 'wallet' ? null : destination.accountNumber,
    address: destination.kind === 'wallet' ? destination.address : null,
  }
}

/**
 * Locks the saved recipients of these payouts, before ledger accounts are locked, and returns the
 * payouts whose recipient is disabled. Payouts share the lock; a change of a recipient waits for
 * them, or they see it.
 */
export async function lockRecipientsOf<P extends Paid & { recipientId: string | null }>(
  tx: Tx,
  paid: P[],
): Promise<ReadonlySet<P>> {
  if (paid.length === 0) return new Set()
  const keyOf = ({ environmentId, destination }: Paid) =>
    `${environmentId} ${destinationKey(destination)}`
  // Together, so that they leave before the locks of ledger accounts.
  const rows = await Promise.all(
    recipientKinds.map((kind) => {
      const wanted = paid.filter(({ destination }) => destination.kind === kind).map(toRow)
      const lock = tx.waitsForLocks ? locks[kind].waiting : locks[kind].skipping
      return wanted.length === 0 ? [] : tx.rows(lock(wanted))
    }),
  )
  const found = new Map(
    rows.flat().map((recipient) => {
      const destination = destinationOfRecipient(recipient, null)
      return [keyOf({ environmentId: recipient.environmentId, destination }), recipient]
    }),
  )
  // Recipients are never deleted: one that is missing is locked by another transaction.
  if (!tx.waitsForLocks)
    throwIfHeld(
      paid.map((payout) => ({
        ...payout,
        isHeld: payout.recipientId !== null && !found.has(keyOf(payout)),
      })),
      ({ environmentId }) => environmentKey(environmentId),
    )
  return new Set(paid.filter((payout) => found.get(keyOf(payout))?.status === 'DISABLED'))
}

const destinationColumns = {
  environmentId: 'int4',
  bankCode: 'text',
  accountNumber: 'text',
  address: 'text',
} as const

const joinAccounts = `join recipients r
      on r.environment_id = list.environment_id and r.bank_code = list.bank_code
      and r.account_number = list.account_number and r.kind = 'bank_account'`

const joinWallets = `join recipients r
      on r.environment_id = list.environment_id and r.address = list.address
      and r.kind = 'wallet'`

const selectAccounts = listStatement<typeof destinationColumns, Recipient>({
  name: 'find_recipients_of_accounts',
  columns: destinationColumns,
  text: (list) => `
    select distinct on (r.id) ${recipients.of('r')} from ${list} ${joinAccounts}`,
})

const selectWallets = listStatement<typeof destinationColumns, Recipient>({
  name: 'find_recipients_of_wallets',
  columns: destinationColumns,
  text: (list) => `
    select distinct on (r.id) ${recipients.of('r')} from ${list} ${joinWallets}`,
})

const lockOf = (name: string, join: string, waiting = '') =>
  listStatement<typeof destinationColumns, Recipient>({
    name,
    columns: destinationColumns,
    text: (list) => `
      select ${recipients.of('r')} from ${list} ${join}
      order by r.environment_id, r.id for share of r ${waiting}`,
  })

const locks = {
  bank_account: {
    waiting: lockOf('lock_recipients_of_accounts', joinAccounts),
    skipping: lockOf('lock_unheld_recipients_of_accounts', joinAccounts, 'skip locked'),
  },
  wallet: {
    waiting: lockOf('lock_recipients_of_wallets', joinWallets),
    skipping: lockOf('lock_unheld_recipients_of_wallets', joinWallets, 'skip locked'),
  },
}

const named = { environmentId: 'int4', id: 'uuid', since: 'uuid' } as const

/** By the index of the recipient and status: the oldest completed one since then. */
const selectFirstPaid = listStatement<typeof named, { id: string; paidAt: Date }>({
  name: 'find_first_payouts_of_recipients',
  columns: named,
  text: (list) => `
    select list.id, first.completed_at as paid_at from ${list} cross join lateral (
      select p.completed_at from payouts p
      where p.environment_id = list.environment_id and p.recipient_id = list.id
        and p.status = 'COMPLETED' and p.id >= list.since
      order by p.id limit 1) first`,
})

/** A transfer that the bank returned does not count as paid. */
export async function withFirstPaid(db: Queryable, found: Recipient[]): Promise<ShownRecipient[]> {
  if (found.length === 0) return []
  const rows = await db.rows(
    selectFirstPaid(
      found.map(({ environmentId, id, activeSince }) => ({
        environmentId,
        id,
        since: firstIdAt(activeSince),
      })),
    ),
  )
  const paidAt = new Map(rows.map((row) => [row.id, row.paidAt]))
  return found.map((recipient) => ({ ...recipient, firstPaidAt: paidAt.get(recipient.id) ?? null }))
}

export function insertRecipient(tx: Tx, recipient: Recipient): void {
  tx.write(recipients.insert(recipient))
  writeTerms(tx, 'recipient', [toSearchable(recipient)])
}

const changing = recipients.types(
  'bankName',
  'accountName',
  'label',
  'metadata',
  'status',
  'activeSince',
  'eventSequence',
)

const update = listStatement({
  name: 'update_recipients',
  columns: { ...recipients.types('environmentId', 'id'), ...changing },
  text: (list) => `
    update recipients r set ${assigned(changing)} from ${list}
    where r.environment_id = list.environment_id and r.id = list.id`,
})

export function updateRecipient(tx: Tx, recipient: Recipient): void {
  const { environmentId, id } = recipient
  tx.write(update([recipient]))
  tx.write(sql`
    delete from search_terms
    where environment_id = ${environmentId} and kind = 'recipient' and id = ${id}`)
  writeTerms(tx, 'recipient', [toSearchable(recipient)])
}

/** Found by words of the name and the label, and by account number or address. */
function toSearchable({ environmentId, id, accountName, label, ...place }: Recipient) {
  const name = [accountName, label].filter((text) => text !== null).join(' ')
  return { environmentId, id, name: name || null, exact: [place.accountNumber, place.address] }
}

export type RecipientFilter = CommonFilter & {
  text?: string | undefined
  kind?: RecipientKind | undefined
  status?: RecipientStatus | undefined
}

export const recipientList: List<RecipientFilter, ShownRecipient> = {
  name: 'list_recipients',
  table: 'recipients',
  select: recipients.of('r'),
  rowsOf: joinRow('recipients', 'r'),
  toRows: (db, rows: Recipient[]) => withFirstPaid(db, rows),
  keyOf: ({ id }) => id,
  columns: {
    kind: { type: 'text', values: recipientKinds },
    status: { type: 'text', values: recipientStatuses },
  },
  filters: { text: matchTerms('recipient'), kind: 'kind', status: 'status' },
  indexes: [
    { index: 'search_terms_pkey', serves: ['terms'] },
    { index: 'recipients_by_kind_and_status', serves: ['kind', 'status'] },
    { index: 'recipients_pkey', serves: [] },
  ],
}
