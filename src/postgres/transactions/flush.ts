import type pg from 'pg'
import { toField } from '../names.js'
import type { Statement } from '../statement.js'
import { types } from '../wire/connection.js'
import { Messages } from '../wire/messages.js'

/** The result of one statement. Rows are parsed; the tag is such as `INSERT 0 3`. */
export type Result = { rows: Record<string, unknown>[]; tag: string }

type Column = { name: string; parse: (text: string) => unknown }

/** The named statements that a connection has prepared, with their result columns. */
const preparedOn = new WeakMap<object, Map<string, Column[]>>()

/**
 * Sends statements in one write and reads their results: the part of a transaction between two
 * waits. After a statement that fails the server skips the rest.
 *
 * Implements the interface through which pg runs queries of other packages; pg keeps the
 * connection, TLS, authentication and timeouts.
 */
export class Flush implements pg.Submittable {
  /** Results so far: when a statement fails, those of the statements before it. */
  readonly results: Result[] = []
  /** Read by pg: how long the whole flush may take. Undefined: the default of the connection. */
  readonly query_timeout: number | undefined
  /** Called once; wrapped by pg, which stops its timer in it. */
  callback: (error: unknown) => void
  readonly statements: readonly Statement<unknown>[]
  #prepared: Map<string, Column[]> | undefined
  #columns: Column[] | undefined
  #rows: Record<string, unknown>[] = []

  constructor(
    statements: readonly Statement<unknown>[],
    { callback, timeoutMs }: { callback: (error: unknown) => void; timeoutMs?: number | undefined },
  ) {
    this.statements = statements
    this.callback = callback
    this.query_timeout = timeoutMs
  }

  /** Returns an error if the statements cannot be written; then none was sent. */
  submit(connection: pg.Connection): Error | undefined {
    const prepared = preparedOn.get(connection) ?? new Map<string, Column[]>()
    preparedOn.set(connection, prepared)
    this.#prepared = prepared
    const messages = new Messages()
    try {
      for (const statement of this.statements) write(messages, statement, prepared)
    } catch (error) {
      return error as Error
    }
    messages.sync()
    connection.stream.write(messages.take())
    this.#expectNext()
    return undefined
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name: toField(name),
      parse: types.getTypeParser(dataTypeID, 'text') as Column['parse'],
    }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const columns = this.#columns!
    const row: Record<string, unknown> = {}
    for (let index = 0; index < columns.length; index += 1) {
      const { name, parse } = columns[index]!
      const text = fields[index]
      row[name] = text === null || text === undefined ? null : parse(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name } = this.statements[this.results.length]!
    if (name !== undefined) this.#prepared!.set(name, this.#columns ?? [])
    this.results.push({ rows: this.#rows, tag: text })
    this.#expectNext()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleReadyForQuery(): void {
    this.callback(undefined)
  }

  handleError(error: unknown): void {
    this.callback(error)
  }

  #expectNext(): void {
    const next = this.statements[this.results.length]
    this.#rows = []
    this.#columns = next?.name === undefined ? undefined : this.#prepared!.get(next.name)
  }
}

/** Runs one statement outside of a transaction. */
export function runAlone(client: pg.ClientBase, statement: Statement<unknown>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const flush = new Flush([statement], {
      callback: (error) => (error === undefined ? resolve(flush.results[0]!) : reject(error)),
    })
    client.query(flush)
  })
}

/** Parses and describes a statement only once per connection. */
function write(
  messages: Messages,
  { name, text, values }: Statement<unknown>,
  prepared: ReadonlyMap<string, unknown>,
): void {
  const serverName = name ?? ''
  const isPrepared = name !== undefined && prepared.has(name)
  if (!isPrepared) messages.prepare(serverName, text)
  messages.bind(serverName, values)
  if (!isPrepared) messages.describe()
  messages.execute()
}
