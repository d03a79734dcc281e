import { strict as assert } from 'node:assert'

/** A piece of SQL with its values. The row type exists for the compiler only. */
export class Sql<Row = unknown> {
  declare readonly row: Row
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }

  /** The text with numbered parameters ($1, $2…). */
  compile(): { text: string; values: unknown[] } {
    const values: unknown[] = []
    return { text: compileInto(values, this), values }
  }

  /** For texts of list statements, whose parts have no values. */
  toString(): string {
    const { text, values } = this.compile()
    assert(values.length === 0, 'a part of a text has no values')
    return text
  }
}

/** Values become parameters; nested SQL is inserted as is. */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return new Sql<Row>(texts, values)
}

/** For text from this program only, never from outside. */
sql.raw = <Row = unknown>(text: string): Sql<Row> => new Sql<Row>([text], [])

/** A table or column, quoted. */
sql.identifier = (name: string): Sql =>
  sql.raw(
    name
      .split('.')
      .map((part) => `"${part.replaceAll('"', '""')}"`)
      .join('.'),
  )

sql.join = (items: readonly unknown[], separator: Sql = sql.raw(', ')): Sql => {
  assert(items.length > 0, 'an empty list has no SQL')
  const values = items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]))
  return new Sql(['', ...values.map(() => '')], values)
}

function compileInto(parameters: unknown[], { texts, values }: Sql): string {
  let text = texts[0]!
  for (const [index, value] of values.entries()) {
    text += value instanceof Sql ? compileInto(parameters, value) : `$${parameters.push(value)}`
    text += texts[index + 1]!
  }
  return text
}
