/** Rows with consecutive ids, oldest first, found by id or by one key. */
export class Table<Row extends { id: number }> {
  readonly rows: Row[] = []
  readonly #firstId: number
  readonly #keyOf: (row: Row) => string
  readonly #byKey = new Map<string, Row>()

  constructor(firstId: number, keyOf: (row: Row) => string) {
    this.#firstId = firstId
    this.#keyOf = keyOf
  }

  get nextId(): number {
    return this.#firstId + this.rows.length
  }

  add(row: Row): Row {
    this.rows.push(row)
    this.#byKey.set(this.#keyOf(row), row)
    return row
  }

  byId(id: number): Row | undefined {
    return this.rows[id - this.#firstId]
  }

  /** The newest row with this key. */
  byKey(key: string): Row | undefined {
    return this.#byKey.get(key)
  }
}
