type Key = string | number

/** Follows from the rows of a table, so that the file of the books leaves it out. */
export class Index<Value> extends Map<Key, Value> {
  toJSON(): undefined {
    return undefined
  }
}

/** Rows with consecutive ids, oldest first, and indexes that follow them. */
export class Table<Row> {
  readonly rows: Row[] = []
  readonly #firstId: number
  readonly #followers: ((row: Row) => void)[] = []

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

  /**
   * The newest row with each key, the key that got its row longest ago first. A row without a key is
   * left out.
   */
  indexBy(keyOf: (row: Row) => Key | undefined): Index<Row> {
    const index = new Index<Row>()
    this.#followers.push((row) => {
      const key = keyOf(row)
      if (key === undefined) return
      index.delete(key)
      index.set(key, row)
    })
    return index
  }

  /** All rows with each key, oldest first. */
  groupBy(keyOf: (row: Row) => Key): Index<Row[]> {
    const groups = new Index<Row[]>()
    this.#followers.push((row) => {
      const group = groups.get(keyOf(row))
      if (group) group.push(row)
      else groups.set(keyOf(row), [row])
    })
    return groups
  }

  toJSON(): Row[] {
    return this.rows
  }
}
