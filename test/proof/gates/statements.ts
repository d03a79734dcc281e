/** What the messages of a PostgreSQL client do, as far as gates need to know. */

const writing =
  /(?<!\bfor )(?<!\bkey )(?<!\bdo )\b(?:insert into|update|delete from)\s+(?:only\s+)?([a-z_]+)/g

/** Tables that a statement writes. */
export function findWrittenTables(text: string): string[] {
  return [...text.toLowerCase().matchAll(writing)].map(([, table]) => table!)
}

/** Splits a stream of typed messages. The startup message has no type and must be taken before. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0)

  /** Whole messages, with type and length. */
  read(chunk: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Buffer[] = []
    let start = 0
    while (this.#rest.length - start >= 5) {
      const end = start + 1 + this.#rest.readInt32BE(start + 1)
      if (end > this.#rest.length) break
      messages.push(this.#rest.subarray(start, end))
      start = end
    }
    this.#rest = this.#rest.subarray(start)
    return messages
  }
}

export function typeOf(message: Buffer): string {
  return String.fromCharCode(message[0]!)
}

function readText(message: Buffer, start: number): { text: string; end: number } {
  const end = message.indexOf(0, start)
  return { text: message.toString('utf8', start, end), end: end + 1 }
}

/**
 * Follows one connection: which tables its open transaction has written, and with which message
 * they are committed.
 */
export class StatementReader {
  readonly #texts = new Map<string, string>()
  #isInTransaction = false
  #written = new Set<string>()
  #isCommitting = false

  /**
   * Reads a message of the client. Returns the tables that are committed with the messages so far,
   * when it is the one that makes the server answer.
   */
  read(message: Buffer): string[] | undefined {
    switch (typeOf(message)) {
      case 'P': {
        const { text: name, end } = readText(message, 5)
        this.#texts.set(name, readText(message, end).text)
        return undefined
      }
      case 'B': {
        const portal = readText(message, 5)
        this.#execute(this.#texts.get(readText(message, portal.end).text) ?? '')
        return undefined
      }
      case 'Q':
        for (const statement of readText(message, 5).text.split(';')) this.#execute(statement)
        return this.#end()
      case 'S':
        return this.#end()
      default:
        return undefined
    }
  }

  #execute(text: string): void {
    const statement = text.trim().toLowerCase()
    if (statement === 'begin') {
      this.#isInTransaction = true
      this.#written.clear()
    } else if (statement === 'rollback') {
      this.#isInTransaction = false
      this.#written.clear()
    } else if (statement === 'commit') {
      this.#isInTransaction = false
      this.#isCommitting = true
    } else for (const table of findWrittenTables(statement)) this.#written.add(table)
  }

  #end(): string[] {
    const isCommitted = this.#isCommitting || !this.#isInTransaction
    this.#isCommitting = false
    if (!isCommitted) return []
    const tables = [...this.#written].sort()
    this.#written.clear()
    return tables
  }
}
