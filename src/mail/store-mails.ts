import type { EnvironmentId } from '../base/environment.js'
import { fromReference, prefixes, unusedId } from '../base/ids.js'
import { notFound } from '../base/refusal.js'
import type { Seal } from '../base/sealed.js'
import type { Database } from '../postgres/database.js'
import { joinRow, type List } from '../postgres/lists/list.js'
import { sql } from '../postgres/sql.js'
import type { Queryable } from '../postgres/transactions/tx.js'
import type { MailContent } from './content.js'
import { type MailKind, mailKindNames } from './kinds.js'
import { mailLimits } from './limits.js'
import { type Mail, type MailState, mailStates, mails } from './mail.js'
import { resealSuppressions } from './suppressions.js'

export type MailFilter = {
  state?: MailState | undefined
  kind?: MailKind | undefined
  recipient?: string | undefined
}

export const mailList: List<MailFilter, Mail> = {
  name: 'list_mails',
  table: 'mails',
  select: mails.of('m'),
  rowsOf: joinRow('mails', 'm'),
  toRows: (_db, rows: Mail[]) => rows,
  keyOf: ({ id }) => id,
  columns: {
    state: { type: 'text', values: mailStates },
    kind: { type: 'text', values: mailKindNames },
    recipient: { type: 'text', isLong: true },
  },
  filters: {
    state: 'state',
    kind: 'kind',
    recipient: (text) => [{ column: 'recipient', values: [text] }],
  },
  indexes: [
    { index: 'mails_by_recipient', serves: ['recipient'] },
    { index: 'mails_by_state', serves: ['state'] },
    { index: 'mails_by_kind', serves: ['kind'] },
    { index: 'mails_of_environment', serves: [] },
  ],
}

export async function getMail(
  db: Queryable,
  { environmentId, reference }: { environmentId: EnvironmentId; reference: string },
): Promise<Mail> {
  const mail = await findMail(db, reference)
  if (mail?.environmentId !== environmentId) throw notFound('mail', reference)
  return mail
}

/** Of any merchant, for operators and notices of the relay. */
export async function findMail(db: Queryable, reference: string): Promise<Mail | undefined> {
  const id = fromReference(prefixes.mail, reference)
  if (!id) return undefined
  const [mail] = await db.rows(sql<Mail>`select ${mails.of('m')} from mails m where id = ${id}`)
  return mail
}

/** The newest mails of all merchants, for operators. */
export function listAllMails(
  db: Queryable,
  { state, limit }: { state?: MailState | undefined; limit: number },
): Promise<Mail[]> {
  return db.rows(sql<Mail>`
    select ${mails.of('m')} from mails m
    where ${state ?? null}::text is null or state = ${state ?? null}
    order by id desc limit ${limit}`)
}

/** Mails that were tried and still wait, although they were written before this time. */
export async function countLateMails(
  db: Queryable,
  writtenBefore: Date,
): Promise<{ late: number; lastError: string | null }> {
  const [row] = await db.rows(sql<{ late: number; lastError: string | null }>`
    select count(*)::int as late, (array_agg(last_error order by id desc))[1] as last_error
    from mails where state = 'WAITING' and attempts > 0 and created_at < ${writtenBefore}`)
  return row!
}

/** Whether mails of live mode were not sent, for want of a relay. */
export async function hasKeptMails(db: Queryable): Promise<boolean> {
  const rows = await db.rows(sql`
    select from mails where state = 'KEPT' and mode = 'live' limit 1`)
  return rows.length > 0
}

export function openContent(seal: Seal, { sealedContent }: Mail): MailContent {
  return JSON.parse(seal.open(sealedContent)) as MailContent
}

/** Seals all contents and addresses with the current secret. Returns how many were changed. */
export async function resealMails(db: Database, seal: Seal): Promise<number> {
  let changed = 0
  for (const resealPage of [resealContents, resealSuppressions]) {
    let last: string | undefined = unusedId
    while (last !== undefined) {
      const from: string = last
      const page = await db.transaction((tx) => resealPage(tx, seal, from))
      changed += page.changed
      last = page.lastId
    }
  }
  return changed
}

const resealContents: typeof resealSuppressions = async (tx, seal, afterId) => {
  const rows = await tx.rows(sql<Pick<Mail, 'id' | 'sealedContent'>>`
    select id, sealed_content from mails where id > ${afterId}
    order by id limit ${mailLimits.resealedPerBatchMax} for no key update`)
  let changed = 0
  for (const { id, sealedContent } of rows) {
    const resealed = seal.reseal(sealedContent)
    if (resealed === undefined) continue
    changed += 1
    tx.write(sql`update mails set sealed_content = ${resealed} where id = ${id}`)
  }
  return { changed, lastId: rows.at(-1)?.id }
}
