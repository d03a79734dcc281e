type Key = string | number

/** Follows from the rows of a table, so that the file of the books leaves it out. */
export class Index<Value> extends Map<unknown, Value> {
  toJSON(): undefined {
    return undefined
  }
}

/** Rows with consecutive ids, oldest first, found by any column that does not change. */
export class Table<Row> {
  readonly rows: Row[] = []
  readonly #firstId: number
  readonly #followers: ((row: Row) => void)[] = []
  readonly #byColumn = new Map<keyof Row, Index<Row[]>>()

  constructor(firstId = 1) {
    this.#firstId = firstId
  }

  get nextId(): number {
    return this.#firstId + this.rows.length
  }

  add(row: Row): Row {
    this.rows.push(row)
    for (const follow of this.#followers) follow(row)
    return row
  }

  /** The newest row with this value. */
  find<Column extends keyof Row>(column: Column, value: Row[Column]): Row | undefined {
    return this.findAll(column, value).at(-1)
  }

  /** Every row with this value, oldest first. */
  findAll<Column extends keyof Row>(column: Column, value: Row[Column]): Row[] {
    const groups = this.#byColumn.get(column) ?? this.groupBy((row) => row[column])
    this.#byColumn.set(column, groups)
    return groups.get(value) ?? []
  }

  groupBy(keyOf: (row: Row) => unknown): Index<Row[]> {
    const groups = new Index<Row[]>()
    this.#follow((row) => {
      const group = groups.get(keyOf(row))
      if (group) group.push(row)
      else groups.set(keyOf(row), [row])
    })
    return groups
  }

  /**
   * The newest row with each key; the key that got its row longest ago comes first. Rows without a
   * key are left out.
   */
  indexBy(keyOf: (row: Row) => Key | undefined): Index<Row> {
    const index = new Index<Row>()
    this.#follow((row) => {
      const key = keyOf(row)
      if (key === undefined) return
      index.delete(key)
      index.set(key, row)
    })
    return index
  }

  toJSON(): Row[] {
    return this.rows
  }

  #follow(follow: (row: Row) => void): void {
    for (const row of this.rows) follow(row)
    this.#followers.push(follow)
  }
}
