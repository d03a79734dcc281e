import type { JsonText } from '../base/json-text.js'
import { toColumn } from './names.js'
import { type Sql, sql } from './sql.js'
import type { ColumnType } from './wire/messages.js'

/** Arrays of text are for single rows: a list statement cannot send them. */
type StoredType = ColumnType | 'text[]'

/** A column; the type of its values exists for the compiler only. */
class Column<Value = unknown, Type extends StoredType = StoredType> {
  declare readonly value: Value
  readonly type: Type
  /** Undefined: that of its field, in snake_case. */
  readonly name: string | undefined
  readonly isNullable: boolean

  constructor(
    type: Type,
    { name, isNullable = false }: { name?: string; isNullable?: boolean } = {},
  ) {
    this.type = type
    this.name = name
    this.isNullable = isNullable
  }

  orNull(): Column<Value | null, Type> {
    return new Column(this.type, { ...this, isNullable: true })
  }

  /** For a column whose name differs from its field's. */
  named(name: string): Column<Value, Type> {
    return new Column(this.type, { ...this, name })
  }
}

export const column = {
  bool: () => new Column<boolean, 'bool'>('bool'),
  bytea: () => new Column<Buffer, 'bytea'>('bytea'),
  int2: () => new Column<number, 'int2'>('int2'),
  int4: <Value extends number = number>() => new Column<Value, 'int4'>('int4'),
  int8: () => new Column<bigint, 'int8'>('int8'),
  uuid: () => new Column<string, 'uuid'>('uuid'),
  text: <Value extends string = string>() => new Column<Value, 'text'>('text'),
  texts: <Value extends string = string>() => new Column<Value[], 'text[]'>('text[]'),
  time: () => new Column<Date, 'timestamptz'>('timestamptz'),
  json: <Value extends object>() => new Column<Value, 'json'>('json'),
  /** JSON that is returned to merchants as they wrote it. */
  jsonText: () => new Column<JsonText, 'jsonText'>('jsonText'),
}

type Columns = Record<string, Column>

type Row<C extends Columns> = { [Field in keyof C]: ValueOf<C[Field]> }
type ReadRow<C extends Columns> = { [Field in keyof C]: ReadOf<C[Field]> }

type ValueOf<C extends Column> = C extends Column<infer Value> ? Value : never
type ReadOf<C extends Column> = C['type'] extends 'json'
  ? string | (null extends ValueOf<C> ? null : never)
  : ValueOf<C>

type Types<C extends Columns, Field extends keyof C> = {
  [Name in Field]: C[Name]['type'] | { type: C[Name]['type']; name: string }
}

/** How values of a packed row are restored; others are as JSON has them. */
const unpackers: { [Type in StoredType]?: (value: string) => unknown } = {
  int8: BigInt,
  timestamptz: (value) => new Date(value),
  bytea: (value) => Buffer.from(value.slice(2), 'hex'),
}

/** A test compares them with the schema. */
export const declaredTables: Pick<Table<Columns>, 'name' | 'describe'>[] = []

/**
 * A table, declared once: the type of its rows, the columns of selects and of list statements, and
 * inserts come from it. Statements are SQL; only lists of columns are derived.
 */
export class Table<C extends Columns> {
  /** A row as code uses it, for the compiler only: `typeof payouts.row`. */
  declare readonly row: Row<C>
  /** A row as a query returns it: JSON is text. */
  declare readonly readRow: ReadRow<C>
  readonly name: string
  readonly #columns: C
  readonly #unpackers: { field: string; convert: ((value: string) => unknown) | undefined }[]

  constructor(name: string, columns: C) {
    this.name = name
    this.#columns = columns
    declaredTables.push(this)
    this.#unpackers = Object.entries(columns).map(([field, { type }]) => ({
      field,
      convert: unpackers[type],
    }))
  }

  get fields(): (keyof C & string)[] {
    return Object.keys(this.#columns)
  }

  /** All columns, for a statement that gives the table no alias. */
  get columns(): Sql {
    return this.of(this.name)
  }

  /** `p.environment_id, p.id, …` for a select, of all columns or of those named. */
  of(alias: string, ...fields: (keyof C & string)[]): Sql {
    const chosen = fields.length === 0 ? this.fields : fields
    return sql.raw(chosen.map((field) => this.#select(alias, field)).join(', '))
  }

  /** Columns for a list statement. */
  types<Field extends keyof C & string>(...fields: Field[]): Types<C, Field> {
    const types = fields.map((field) => {
      const { type, name } = this.#columns[field]!
      return [field, name === undefined ? type : { type, name }]
    })
    return Object.fromEntries(types)
  }

  typesWithout<Field extends keyof C & string>(
    ...fields: Field[]
  ): Types<C, Exclude<keyof C & string, Field>> {
    type Rest = Exclude<keyof C & string, Field>
    const isLeftOut = new Set<string>(fields)
    return this.types(...(this.fields.filter((field) => !isLeftOut.has(field)) as Rest[]))
  }

  /** Inserts one row. Columns that the row lacks get their default; `more` are others. */
  insert(row: Partial<Row<C>>, more: Record<string, unknown> = {}): Sql {
    const given = this.fields.filter((field) => field in row)
    const values = given.map((field) => [this.#nameOf(field), this.#toSent(field, row[field])])
    return insertInto(this.name, { ...Object.fromEntries(values), ...more })
  }

  /** Parses the JSON of a row that was read; fields of other tables stay as they are. */
  read<Read extends ReadRow<C>>(row: Read): Omit<Read, keyof C> & Row<C> {
    const read: Record<string, unknown> = { ...row }
    for (const [field, { type }] of Object.entries(this.#columns))
      if (type === 'json' && typeof read[field] === 'string') read[field] = JSON.parse(read[field])
    return read as Omit<Read, keyof C> & Row<C>
  }

  /**
   * A row as one JSON array: the driver spends more time on twenty columns than JSON.parse on one.
   * Numbers of 64 bits are text, because a JSON number is not exact; so is JSON that is kept as it
   * was written.
   */
  packed(alias: string): string {
    const values = Object.entries(this.#columns).map(([field, { type }]) => {
      const name = `${alias}.${this.#nameOf(field)}`
      return type === 'int8' || type === 'jsonText' ? `${name}::text` : name
    })
    return `json_build_array(${values.join(', ')})`
  }

  unpack(packed: readonly unknown[]): Row<C> {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < this.#unpackers.length; index += 1) {
      const { field, convert } = this.#unpackers[index]!
      const value = packed[index]
      row[field] = convert && value !== null ? convert(value as string) : value
    }
    return row as Row<C>
  }

  describe(): { name: string; type: StoredType; isNullable: boolean }[] {
    return Object.entries(this.#columns).map(([field, { type, isNullable }]) => ({
      name: this.#nameOf(field),
      type,
      isNullable,
    }))
  }

  #select(alias: string, field: string): string {
    const name = this.#nameOf(field)
    const column = toColumn(field)
    return name === column ? `${alias}.${name}` : `${alias}.${name} as ${column}`
  }

  #nameOf(field: string): string {
    return this.#columns[field]!.name ?? toColumn(field)
  }

  #toSent(field: string, value: unknown): unknown {
    const isJson = this.#columns[field]!.type === 'json'
    return isJson && value !== null ? JSON.stringify(value) : value
  }
}

/** Inserts the row of a key, or replaces these values of it. */
export function upsert(
  table: string,
  key: Record<string, unknown>,
  values: Record<string, unknown>,
): Sql {
  const names = Object.keys(key).map(toColumn).join(', ')
  const replaced = Object.keys(values)
    .map(toColumn)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')
  return sql`${insertInto(table, { ...key, ...values })}
    on conflict (${sql.raw(names)}) do update set ${sql.raw(replaced)}`
}

/** Inserts one row into a table that needs no declaration, because little of it is read. */
export function insertInto(table: string, row: Record<string, unknown>): Sql {
  const names = Object.keys(row).map(toColumn).join(', ')
  return sql`insert into ${sql.raw(`${table} (${names})`)} values (${sql.join(Object.values(row))})`
}
