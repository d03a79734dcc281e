import type { Replica } from '../../postgres/replica.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** Where one page of a list is read. */
export type PageSource = {
  db: Queryable
  /** The cursor as the list wrote it. */
  cursor: string | undefined
  /** The cursor of the next page, to be called once the page is read. */
  toNext<Cursor extends string | null>(cursor: Cursor): Cursor
}

export type OpenPage = (cursor: string | undefined) => PageSource

/** Contains a dot, which base64url does not use, so no other cursor starts with it. */
const replicaMark = 'r.'

/**
 * The first page of a list is read from the replica if that is usable. Later pages are, only if the
 * page before them was: a replica behind the primary lacks rows that come after the primary's page,
 * and the caller would never see them.
 */
export function createPageSources(db: Queryable, replica: Replica | undefined): OpenPage {
  return (sent) => {
    const isMarked = sent?.startsWith(replicaMark) ?? false
    const cursor = isMarked ? sent!.slice(replicaMark.length) : sent
    if (!replica || (cursor !== undefined && !isMarked))
      return { db, cursor, toNext: (next) => next }
    const reader = replica.startReading()
    return {
      db: reader,
      cursor,
      toNext: (next) =>
        (next !== null && reader.isOnReplica ? replicaMark + next : next) as typeof next,
    }
  }
}
