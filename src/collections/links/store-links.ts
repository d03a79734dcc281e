import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound } from '../../base/refusal.js'
import { type CommonFilter, joinRow, type List } from '../../postgres/lists/list.js'
import { sql } from '../../postgres/sql.js'
import { assigned, listStatement } from '../../postgres/statement.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { paymentLinkLimits } from '../limits.js'
import { type PaymentLink, paymentLinks, slugPattern, type UsedLink } from './link.js'

export type LinkName = { environmentId: EnvironmentId; reference: string }

type ReadLink = typeof paymentLinks.readRow

const selectAll = sql`select ${paymentLinks.of('l')} from payment_links l`

export async function getLink(db: Queryable, name: LinkName): Promise<UsedLink> {
  const link = await findOrRefuse(name, (id) =>
    db.rows(sql<ReadLink>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}`),
  )
  return withUses(db, link)
}

export async function lockLink(tx: Tx, name: LinkName): Promise<UsedLink> {
  const link = await findOrRefuse(name, (id) =>
    tx.rows(sql<ReadLink>`
      ${selectAll} where environment_id = ${name.environmentId} and id = ${id}
      for no key update`),
  )
  return withUses(tx, link)
}

async function findOrRefuse(
  { reference }: LinkName,
  find: (id: string) => Promise<ReadLink[]>,
): Promise<PaymentLink> {
  const id = fromReference(prefixes.paymentLink, reference)
  const [row] = id ? await find(id) : []
  if (!row) throw notFound('payment link', reference)
  return paymentLinks.read(row)
}

const isSlug = new RegExp(slugPattern)

/** The link of any merchant with this slug. Malformed ones are not queried. */
export async function findLinkBySlug(db: Queryable, slug: string): Promise<UsedLink | undefined> {
  if (!isSlug.test(slug)) return undefined
  const [row] = await db.rows(sql<ReadLink>`${selectAll} where slug = ${slug}`)
  return row && withUses(db, paymentLinks.read(row))
}

export async function isSlugUsed(db: Queryable, slug: string): Promise<boolean> {
  const rows = await db.rows(sql`select from payment_links where slug = ${slug}`)
  return rows.length > 0
}

async function withUses(db: Queryable, link: PaymentLink): Promise<UsedLink> {
  const [used] = await countUses(db, [link])
  return used!
}

const named = { environmentId: 'int4', id: 'uuid' } as const

/**
 * Counts sessions instead of keeping a sum: a sum would be one row that the payments of all payers
 * of a link wait for.
 */
const countPaid = listStatement<typeof named, { id: string; uses: number }>({
  name: 'count_uses_of_links',
  columns: named,
  text: (list) => `
    select list.id, counted.uses from ${list} cross join lateral (
      select count(*)::int as uses from (
        select from checkout_sessions s
        where s.environment_id = list.environment_id and s.payment_link_id = list.id
          and s.status = 'paid'
        limit ${paymentLinkLimits.usesCountedMax}) paid) counted`,
})

async function countUses(db: Queryable, links: PaymentLink[]): Promise<UsedLink[]> {
  if (links.length === 0) return []
  const counted = await db.rows(countPaid(links))
  const usesById = new Map(counted.map(({ id, uses }) => [id, uses]))
  return links.map((link) => ({ ...link, uses: usesById.get(link.id)! }))
}

export function insertLink(tx: Tx, link: PaymentLink): void {
  tx.write(paymentLinks.insert(link))
}

const changing = paymentLinks.typesWithout('environmentId', 'id', 'slug', 'url', 'createdAt')

const update = listStatement({
  name: 'update_payment_links',
  columns: { ...named, ...changing },
  text: (list) => `
    update payment_links l set ${assigned(changing)} from ${list}
    where l.environment_id = list.environment_id and l.id = list.id`,
})

export function updateLink(tx: Tx, link: PaymentLink): void {
  tx.write(update([link]))
}

export const linkList: List<CommonFilter, UsedLink> = {
  name: 'list_payment_links',
  table: 'payment_links',
  select: paymentLinks.of('l'),
  rowsOf: joinRow('payment_links', 'l'),
  toRows: (db, rows: ReadLink[]) =>
    countUses(
      db,
      rows.map((row) => paymentLinks.read(row)),
    ),
  keyOf: ({ id }) => id,
  columns: {},
  filters: {},
  indexes: [{ index: 'payment_links_pkey', serves: [] }],
}
