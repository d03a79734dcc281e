import { type Document, describedBy, header, inputOf, listRows, withoutRefs } from './document.js'
import type { Schema } from './print-schema.js'

/** A field of a request as the command line takes it. */
type Flag = { name: string; kind: string; about: string; isRequired: boolean; isNullable: boolean }

/** sdk/cli/flags.ts: what the commands of the resources say and take, from the document. */
export function printFlags(document: Document): string {
  const rows = listRows().map(([name, row]) => {
    const described = describedBy(document, row)
    const input = inputOf(row, described)
    const flags = input
      ? listFlags(withoutRefs(document, input)).map((flag) => `      ${printFlag(flag)},`)
      : []
    const list = flags.length === 0 ? '[]' : `[\n${flags.join('\n')}\n    ]`
    const { summary, description } = described
    const about = `${summary}. ${description}`.replaceAll('`', '')
    return `  ${quote(name)}: {\n    about: ${quote(about)},\n    flags: ${list},\n  },`
  })
  return [
    header.trimEnd(),
    "import type { Flag } from './read-flags.js'",
    '',
    '/** Every operation of the table, by its full name: what it does, and what it can be told. */',
    'export const described: Record<string, { about: string; flags: Flag[] }> = {',
    ...rows,
    '}\n',
  ].join('\n')
}

function printFlag({ name, kind, about, isRequired, isNullable }: Flag): string {
  const says = [quote(name), quote(kind), quote(about), String(isRequired), String(isNullable)]
  return `[${says.join(', ')}]`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Fields of fields have a name with points; of variants, all fields of any. */
function listFlags(schema: Schema, prefix = '', isParentRequired = true): Flag[] {
  const variants = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const fields = new Map<string, Schema[]>()
  for (const { properties } of variants)
    for (const [name, field] of Object.entries(properties ?? {}))
      fields.set(name, [...(fields.get(name) ?? []), field])
  return [...fields].flatMap(([name, schemas]) => {
    const isRequired = isParentRequired && (schema.required ?? []).includes(name)
    return toFlags({ name: prefix + name, schemas, isRequired })
  })
}

function toFlags(field: { name: string; schemas: Schema[]; isRequired: boolean }): Flag[] {
  const { name, schemas, isRequired } = field
  const plain = schemas.flatMap((one) => one.anyOf ?? one.oneOf ?? [one])
  const nested = plain.filter(({ properties }) => Object.keys(properties ?? {}).length > 0)
  if (nested.length > 0)
    return listFlags({ anyOf: nested, required: inAll(nested) }, `${name}.`, isRequired)
  const about = schemas[0]!.description ?? ''
  const choices = [...new Set(plain.flatMap((one) => one.enum ?? []))].map(String)
  const said = choices.length > 0 ? `${about} One of: ${choices.join(', ')}.`.trim() : about
  const isNullable = plain.some(({ type }) => type === 'null')
  return [{ name, kind: kindOf(plain), about: said.replaceAll('`', ''), isRequired, isNullable }]
}

/** What is required whichever variant it is. */
function inAll(variants: Schema[]): string[] {
  const [first, ...others] = variants.map(({ required = [] }) => required)
  return (first ?? []).filter((name) => others.every((required) => required.includes(name)))
}

function kindOf(schemas: Schema[]): string {
  const kinds = new Set(schemas.filter(({ type }) => type !== 'null').map(kindOfOne))
  return kinds.size === 1 ? [...kinds][0]! : kinds.has('integer') ? 'amount' : 'text'
}

function kindOfOne({ type, items }: Schema): string {
  if (type === 'integer' || type === 'boolean') return type
  if (type === 'array') return items?.type === 'object' || items?.properties ? 'json' : 'list'
  return type === 'object' ? 'json' : 'text'
}
