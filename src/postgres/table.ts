import type { ColumnType } from './messages.js'
import { toColumn } from './names.js'
import { type Sql, sql } from './sql.js'

/** A column; the type of its values exists for the compiler only. */
type Column<Value = unknown, Type extends ColumnType = ColumnType> = {
  type: Type
  /** Undefined: that of its field, in snake_case. */
  name?: string
  readonly value?: Value
}

export const bool = () => column<boolean, 'bool'>('bool')
export const int2 = () => column<number, 'int2'>('int2')
export const int4 = <Value extends number = number>() => column<Value, 'int4'>('int4')
export const int8 = () => column<bigint, 'int8'>('int8')
export const uuid = () => column<string, 'uuid'>('uuid')
export const text = <Value extends string = string>() => column<Value, 'text'>('text')
export const bytea = () => column<Buffer, 'bytea'>('bytea')
export const time = () => column<Date, 'timestamptz'>('timestamptz')
export const json = <Value extends object>() => column<Value, 'json'>('json')
/** JSON that is returned to merchants as they wrote it. */
export const jsonText = () => column<string, 'jsonText'>('jsonText')

export function orNull<Value, Type extends ColumnType>({
  type,
}: Column<Value, Type>): Column<Value | null, Type> {
  return { type }
}

/** A column whose name differs from its field's. */
export function named<C extends Column>(name: string, column: C): C {
  return { ...column, name }
}

function column<Value, Type extends ColumnType>(type: Type): Column<Value, Type> {
  return { type }
}

type Columns = Record<string, Column>

/** A row as code uses it. */
export type RowOf<T extends Table<Columns>> =
  T extends Table<infer C> ? { [Field in keyof C]: ValueOf<C[Field]> } : never

/** A row as a query returns it: JSON is text. */
export type ReadRowOf<T extends Table<Columns>> =
  T extends Table<infer C> ? { [Field in keyof C]: ReadOf<C[Field]> } : never

type ValueOf<C extends Column> = C extends Column<infer Value> ? Value : never
type ReadOf<C extends Column> = C['type'] extends 'json'
  ? string | (null extends ValueOf<C> ? null : never)
  : ValueOf<C>

/**
 * A table, declared once: the type of its rows, the columns of selects and of list statements, and
 * inserts come from it. Statements are SQL; only lists of columns are derived.
 */
export class Table<C extends Columns> {
  readonly name: string
  readonly #columns: C

  constructor(name: string, columns: C) {
    this.name = name
    this.#columns = columns
  }

  /** `p.environment_id, p.id, …` for a select, of all columns or of those named. */
  of(alias: string, ...fields: (keyof C & string)[]): Sql {
    const chosen = fields.length === 0 ? Object.keys(this.#columns) : fields
    return sql.raw(chosen.map((field) => this.#select(alias, field)).join(', '))
  }

  /** Types of columns that have the names of their fields, for a list statement. */
  types<Field extends keyof C & string>(...fields: Field[]): { [Name in Field]: C[Name]['type'] } {
    const types = fields.map((field) => [field, this.#columns[field]!.type])
    return Object.fromEntries(types)
  }

  /** Inserts one row. Columns that the row lacks get their default. */
  insert(row: Partial<RowOf<Table<C>>>): Sql {
    const given = Object.keys(this.#columns).filter((field) => field in row)
    const columns = sql.raw(given.map((field) => this.#nameOf(field)).join(', '))
    const values = given.map((field) => this.#toSent(field, row[field as keyof typeof row]))
    return sql`insert into ${sql.raw(this.name)} (${columns}) values (${sql.join(values)})`
  }

  /** Parses the JSON of a row that was read. */
  read(row: ReadRowOf<Table<C>>): RowOf<Table<C>> {
    const read: Record<string, unknown> = { ...row }
    for (const [field, { type }] of Object.entries(this.#columns))
      if (type === 'json' && typeof read[field] === 'string') read[field] = JSON.parse(read[field])
    return read as RowOf<Table<C>>
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
