import type { RealTime } from '../../base/clock.js'
import {
  fromReference,
  fromReferenceOfAnyKind,
  newId,
  prefixes,
  toReference,
} from '../../base/ids.js'
import { invalidField, notFound } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import { column, Table } from '../../postgres/table.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { type Person, readSelector, type Selector } from './person.js'

const legalHolds = new Table('legal_holds', {
  id: column.uuid(),
  kind: column.text<Exclude<Selector['kind'], 'name'> | 'resource'>(),
  subject: column.text(),
  resourceId: column.uuid().orNull(),
  merchantId: column.uuid().orNull(),
  caseReference: column.text().orNull(),
  reason: column.text(),
  placedBy: column.text(),
  placedAt: column.time(),
  until: column.time().orNull(),
  releasedBy: column.text().orNull(),
  releasedAt: column.time().orNull(),
})

/** Keeps the data of a person, or of one payment, payout or other resource, for a case. */
export type LegalHold = typeof legalHolds.row

export function holdReference({ id }: Pick<LegalHold, 'id'>): string {
  return toReference(prefixes.legalHold, id)
}

/** Refuses names, which many people share. */
export function readSubject(text: string): Pick<LegalHold, 'kind' | 'subject' | 'resourceId'> {
  const resourceId = fromReferenceOfAnyKind(text)
  if (resourceId) {
    const isCustomer = fromReference(prefixes.customer, text) !== undefined
    return { kind: isCustomer ? 'customer' : 'resource', subject: text, resourceId }
  }
  const { kind, value } = readSelector(text, 'subject')
  if (kind === 'name') throw invalidField('subject', 'must not be a name: many people share one')
  return { kind, subject: value, resourceId: null }
}

type NewHold = Pick<
  LegalHold,
  'kind' | 'subject' | 'resourceId' | 'merchantId' | 'caseReference' | 'reason' | 'until'
>

export function placeHold(tx: Tx, now: RealTime, placedBy: string, hold: NewHold): LegalHold {
  if (hold.until && hold.until <= now) throw invalidField('until', 'must be in the future')
  const released = { releasedBy: null, releasedAt: null }
  const placed: LegalHold = { id: newId(now), placedBy, placedAt: now, ...hold, ...released }
  tx.write(legalHolds.insert(placed))
  return placed
}

/** Releases one hold, or all of a case. Refuses if none is in force. */
export async function releaseHolds(
  tx: Tx,
  now: RealTime,
  { releasedBy, holdOrCase }: { releasedBy: string; holdOrCase: string },
): Promise<LegalHold[]> {
  const id = fromReference(prefixes.legalHold, holdOrCase) ?? null
  const released = await tx.rows(sql<LegalHold>`
    update legal_holds set released_by = ${releasedBy}, released_at = ${now}
    where released_at is null and (id = ${id}::uuid or case_reference = ${holdOrCase})
    returning ${legalHolds.columns}`)
  if (released.length === 0) throw notFound('legal hold', holdOrCase)
  return released
}

/** `is_held` decides the same. */
const isInForce = (now: RealTime) => sql`released_at is null and (until is null or until > ${now})`

/** Those in force, newest first; with `all` the others, too. */
export function listHolds(
  db: Queryable,
  now: RealTime,
  { all, limit }: { all: boolean; limit: number },
): Promise<LegalHold[]> {
  return db.rows(sql<LegalHold>`
    select ${legalHolds.columns} from legal_holds
    where ${all} or ${isInForce(now)}
    order by id desc limit ${limit}`)
}

/** The holds in force that keep everything of a person. */
export async function findHoldsOf(
  db: Queryable,
  now: RealTime,
  { merchantId, person }: { merchantId: string | null; person: Person },
): Promise<LegalHold[]> {
  const { emails, phones, numbers, wallets, customers } = person
  return db.rows(sql<LegalHold>`
    select ${legalHolds.columns} from legal_holds
    where ${isInForce(now)}
      and (merchant_id is null or ${merchantId}::uuid is null or merchant_id = ${merchantId})
      and (kind = 'bank_account' and split_part(subject, ':', 2) = any (${numbers}::text[])
        or kind <> 'bank_account' and subject = any (${[...emails, ...phones, ...wallets]}::text[])
        or resource_id = any (${customers.map(({ id }) => id)}::uuid[]))
    order by id`)
}
