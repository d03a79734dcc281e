import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { fromReference, newId, prefixes, toReference } from '../base/ids.js'
import { notFound, Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import { column, Table } from '../postgres/table.js'
import type { Queryable, Tx } from '../postgres/transactions/tx.js'
import { noteLimits } from './limits.js'

const notes = new Table('notes', {
  id: column.uuid(),
  authorId: column.uuid(),
  /** Null: withdrawn. */
  text: column.text().orNull(),
  createdAt: column.time(),
  withdrawnAt: column.time().orNull(),
})

/** What a member wrote about a payment, payout or case, for the team of the merchant. */
export type Note = Omit<typeof notes.row, 'id' | 'authorId'> & {
  reference: string
  author: { id: string; name: string }
}

/** The payment, payout or case that notes are about. */
export type NoteSubject = { environmentId: EnvironmentId; id: string }

type Row = typeof notes.row & { authorName: string }

const columns = sql`${notes.of('n')}, u.name as author_name`

/** Newest first. */
export async function listNotes(
  db: Queryable,
  { environmentId, id }: NoteSubject,
): Promise<Note[]> {
  const rows = await db.rows(sql<Row>`
    select ${columns} from notes n join users u on u.id = n.author_id
    where n.environment_id = ${environmentId} and n.resource_id = ${id}
    order by n.id desc limit ${noteLimits.perResourceMax}`)
  return rows.map(toNote)
}

/** Refuses more notes than a list shows. */
export async function writeNote(
  tx: Tx,
  now: RealTime,
  subject: NoteSubject,
  { author, text }: Pick<Note, 'author'> & { text: string },
): Promise<Note> {
  const { environmentId, id: resourceId } = subject
  const { perResourceMax } = noteLimits
  if ((await listNotes(tx, subject)).length >= perResourceMax)
    throw new Refusal('validation_failed', {
      message: `There are already ${perResourceMax} notes. No more can be written here.`,
    })
  const note = { id: newId(now), authorId: author.id, text, createdAt: now, withdrawnAt: null }
  tx.write(notes.insert(note, { environmentId, resourceId }))
  return toNote({ ...note, authorName: author.name })
}

/** Removes the text of a note; a repeat changes nothing. Refuses everyone but its author. */
export async function withdrawNote(
  tx: Tx,
  now: RealTime,
  { environmentId, id: resourceId }: NoteSubject,
  { reference, userId }: { reference: string; userId: string },
): Promise<Note> {
  const id = fromReference(prefixes.note, reference)
  const [row] = await tx.rows(sql<Row>`
    select ${columns} from notes n join users u on u.id = n.author_id
    where n.environment_id = ${environmentId} and n.id = ${id ?? null}
      and n.resource_id = ${resourceId} for no key update of n`)
  if (!row) throw notFound('note', reference)
  if (row.authorId !== userId)
    throw new Refusal('forbidden', {
      message: `Only ${row.authorName} can withdraw this note.`,
      nextStep: 'Ask the author to withdraw it.',
    })
  const note = toNote(row)
  if (note.withdrawnAt) return note
  tx.write(sql`
    update notes set text = null, withdrawn_at = ${now}
    where environment_id = ${environmentId} and id = ${row.id} and withdrawn_at is null`)
  return { ...note, text: null, withdrawnAt: now }
}

function toNote({ id, authorId, authorName, text, createdAt, withdrawnAt }: Row): Note {
  return {
    reference: toReference(prefixes.note, id),
    author: { id: authorId, name: authorName },
    text,
    createdAt,
    withdrawnAt,
  }
}
