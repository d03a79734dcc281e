import { fromReference, type Prefix, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'

/** Where a page ended, as an opaque text that callers pass back. */
export function writeCursor(position: Record<string, string>): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

export function readCursor(cursor: string): Record<string, string> {
  try {
    const position: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (isPosition(position) && writeCursor(position) === cursor) return position
  } catch {
    // Falls through: we did not create this cursor.
  }
  throw wrongCursor('cursor is not valid. Pass the `nextCursor` of the previous page, unchanged.')
}

/** How the cursors of a list name its rows. Cursors of other lists are refused. */
export type CursorFormat = {
  write(key: string): string
  read(cursor: string): string
}

/** A cursor after one resource. */
export function cursorOf(prefix: Prefix): CursorFormat {
  return {
    write: (id) => writeCursor({ before: toReference(prefix, id) }),
    read(cursor) {
      const id = fromReference(prefix, readCursor(cursor).before ?? '')
      if (id) return id
      throw anotherList()
    },
  }
}

/** A cursor after a number of at most `max`, under a name that no other list has. */
export function numberCursor(name: string, max: bigint): CursorFormat {
  return {
    write: (number) => writeCursor({ [name]: number }),
    read(cursor) {
      const number = readCursor(cursor)[name] ?? ''
      if (/^\d{1,19}$/.test(number) && BigInt(number) <= max) return number
      throw anotherList()
    },
  }
}

export function anotherList(): Refusal {
  return wrongCursor('cursor belongs to another list. Start again without it.')
}

export function wrongCursor(message: string): Refusal {
  return new Refusal('validation_failed', {
    message,
    details: [{ field: 'cursor', issue: 'must be the nextCursor of the previous page' }],
  })
}

function isPosition(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((field) => typeof field === 'string')
  )
}
