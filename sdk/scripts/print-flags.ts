import { type Document, describedBy, header, inputOf, listRows, withoutRefs } from './document.js'
import type { Schema } from './print-schema.js'

/** A request field as a command-line flag. */
type Flag = { name: string; kind: string; about: string; isRequired: boolean; isNullable: boolean }

/** sdk/cli/flags.ts: descriptions and flags of the resource commands. */
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
    '/** Description and flags of every operation, by its full name. */',
    'export const described: Record<string, { about: string; flags: Flag[] }> = {',
    ...rows,
    '}\n',
  ].join('\n')
}

function printFlag({ name, kind, about, isRequired, isNullable }: Flag): string {
  const parts = [quote(name), quote(kind), quote(about), String(isRequired), String(isNullable)]
  return `[${parts.join(', ')}]`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Nested fields get dotted names; variants contribute all their fields. */
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
  const plain = schemas.flatMap((schema) => schema.anyOf ?? schema.oneOf ?? [schema])
  const nested = plain.filter(({ properties }) => Object.keys(properties ?? {}).length > 0)
  if (nested.length > 0)
    return listFlags({ anyOf: nested, required: inAll(nested) }, `${name}.`, isRequired)
  const about = schemas[0]!.description ?? ''
  const choices = [...new Set(plain.flatMap((schema) => schema.enum ?? []))].map(String)
  const text = choices.length > 0 ? `${about} One of: ${choices.join(', ')}.`.trim() : about
  const isNullable = plain.some(({ type }) => type === 'null')
  return [{ name, kind: kindOf(plain), about: text.replaceAll('`', ''), isRequired, isNullable }]
}

/** Fields that every variant requires. */
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
