import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { fromReference, newId, prefixes } from '../base/ids.js'
import { notFound } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import { joinRow, type List } from '../postgres/lists/list.js'
import { sql } from '../postgres/sql.js'
import { column, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { mailLimits } from './limits.js'

export const suppressionReasons = ['no_mailbox', 'bounce', 'complaint'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

const suppressions = new Table('mail_suppressions', {
  id: column.uuid(),
  environmentId: column.int4<EnvironmentId>().orNull(),
  maskedAddress: column.text(),
  reason: column.text<SuppressionReason>(),
  detail: column.text().orNull(),
  createdAt: column.time(),
})

/** An address that gets no mail. The address itself is not readable here. */
export type Suppression = typeof suppressions.row

export type NewSuppression = {
  /** Null: for all merchants. */
  environmentId: EnvironmentId | null
  address: string
  reason: SuppressionReason
  detail: string | null
}

/** Does nothing for an address that is suppressed already. Returns whether it was added. */
export async function suppress(
  tx: Tx,
  now: RealTime,
  seal: Seal,
  { environmentId, address, reason, detail }: NewSuppression,
): Promise<boolean> {
  const plain = address.toLowerCase()
  const known = await findSuppressed(tx, seal, [{ environmentId, address }])
  if (known.size > 0) return false
  const row = {
    id: newId(now),
    environmentId,
    maskedAddress: maskAddress(plain),
    reason,
    detail: detail?.slice(0, mailLimits.errorLengthMax) ?? null,
    createdAt: now,
  }
  const sealed = { addressHash: seal.hash(hashed(plain)), sealedAddress: seal.seal(plain) }
  const count = await tx.count(sql`
    ${suppressions.insert(row, sealed)} on conflict do nothing`)
  return count > 0
}

/** Its own text, so that the hash of an address is that of nothing else. */
function hashed(address: string): string {
  return `mail suppression/${address.toLowerCase()}`
}

type Recipient = { environmentId: EnvironmentId | null; address: string }

/** Those of the recipients that get no mail, as `nameOf` names them. */
export async function findSuppressed(
  db: Queryable,
  seal: Seal,
  recipients: Recipient[],
): Promise<Set<string>> {
  const byHash = new Map<string, Recipient[]>()
  for (const recipient of recipients) {
    const text = hashed(recipient.address)
    const hashes = [seal.hash(text), ...seal.otherHashes(text).map(({ hash }) => hash)]
    for (const hash of hashes.map((bytes) => bytes.toString('hex')))
      byHash.set(hash, [...(byHash.get(hash) ?? []), recipient])
  }
  const rows = await db.rows(sql<{ hash: string; environmentId: EnvironmentId | null }>`
    select encode(address_hash, 'hex') as hash, environment_id from mail_suppressions
    where address_hash = any (
      select decode(text, 'hex') from unnest(${[...byHash.keys()]}::text[]) as text)`)
  const found = rows.flatMap(({ hash, environmentId }) =>
    byHash
      .get(hash)!
      .filter((recipient) => environmentId === null || environmentId === recipient.environmentId),
  )
  return new Set(found.map(nameOf))
}

export function nameOf({ environmentId, address }: Recipient): string {
  return `${environmentId ?? 0}/${address.toLowerCase()}`
}

/** `ada@shop.example` becomes `a**@shop.example`. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, 1)}**${address.slice(Math.max(at, 1))}`
}

type SuppressionFilter = { reason?: SuppressionReason | undefined }

export const suppressionList: List<SuppressionFilter, Suppression> = {
  name: 'list_suppressions',
  table: 'mail_suppressions',
  select: suppressions.of('s'),
  rowsOf: joinRow('mail_suppressions', 's'),
  toRows: (_db, rows: Suppression[]) => rows,
  keyOf: ({ id }) => id,
  columns: { reason: { type: 'text', values: suppressionReasons } },
  filters: { reason: 'reason' },
  indexes: [{ index: 'suppressions_of_environment', serves: [] }],
}

/** Those for all merchants, newest first, for operators. */
export function listCommonSuppressions(db: Queryable): Promise<Suppression[]> {
  return db.rows(sql<Suppression>`
    select ${suppressions.of('s')} from mail_suppressions s where environment_id is null
    order by id desc limit ${mailLimits.listedMax}`)
}

/** Mails to the address are sent again from now on. Throws refusals. */
export async function removeSuppression(
  tx: Tx,
  { environmentId, reference }: { environmentId: EnvironmentId | null; reference: string },
): Promise<Suppression> {
  const id = fromReference(prefixes.mailSuppression, reference)
  const [removed] = id
    ? await tx.rows(sql<Suppression>`
        delete from mail_suppressions
        where id = ${id} and environment_id is not distinct from ${environmentId}
        returning ${suppressions.columns}`)
    : []
  if (!removed) throw notFound('suppression', reference)
  return removed
}

type SealedSuppression = { id: string; sealedAddress: string }

/** Seals and hashes all addresses with the current secret. Returns how many were changed. */
export async function resealSuppressions(
  tx: Tx,
  seal: Seal,
  afterId: string,
): Promise<{ changed: number; lastId: string | undefined }> {
  const rows = await tx.rows(sql<SealedSuppression>`
    select id, sealed_address from mail_suppressions where id > ${afterId}
    order by id limit ${mailLimits.resealedPerBatchMax} for no key update`)
  let changed = 0
  for (const { id, sealedAddress } of rows) {
    const resealed = seal.reseal(sealedAddress)
    if (resealed === undefined) continue
    changed += 1
    const addressHash = seal.hash(hashed(seal.open(resealed)))
    tx.write(sql`
      update mail_suppressions set sealed_address = ${resealed}, address_hash = ${addressHash}
      where id = ${id}`)
  }
  return { changed, lastId: rows.at(-1)?.id }
}
