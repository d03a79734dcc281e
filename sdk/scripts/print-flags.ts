import type { Operation } from '../src/operations.js'
import {
  type Described,
  type Document,
  dataOf,
  describedBy,
  header,
  inputOf,
  listRows,
  withoutRefs,
} from './document.js'
import type { Schema } from './print-schema.js'

/** A request field as a command-line flag. */
type Flag = {
  name: string
  kind: string
  about: string
  isRequired: boolean
  isNullable: boolean
  choices: string[]
}

/** sdk/cli/flags.ts: descriptions, flags and amounts of the resource commands. */
export function printFlags(document: Document): string {
  const rows = listRows().map(([name, row]) => {
    const described = describedBy(document, row)
    const input = inputOf(row, described)
    const fields = input ? listFlags(withoutRefs(document, input)) : []
    const flags = fields
      .filter(({ name }) => name !== (row.gives === 'csv' ? 'limit' : 'excel'))
      .map((flag) => `      ${printFlag(flag)},`)
    const list = flags.length === 0 ? '[]' : `[\n${flags.join('\n')}\n    ]`
    const about = describeCommand(row, described).replaceAll('`', '')
    const money = listMoney(document, row, described).map(quote).join(', ')
    const lines = [`about: ${quote(about)}`, `flags: ${list}`, `money: [${money}]`]
    if (takesIdempotencyKey(described)) lines.push('takesIdempotencyKey: true')
    return `  ${quote(name)}: {\n${lines.map((line) => `    ${line},\n`).join('')}  },`
  })
  return [
    header.trimEnd(),
    "import type { Described } from './read-flags.js'",
    '',
    '/** Every operation, by its full name. */',
    'export const described: Record<string, Described> = {',
    ...rows,
    '}\n',
  ].join('\n')
}

/** A list and its export are one operation of the API and two commands. */
function describeCommand(row: Operation, { summary, description }: Described): string {
  const [, things] = /^(?:List|Download|Report) (.+)$/.exec(summary) ?? []
  const [hint = '', what] = / ?Send `Accept: text\/csv` to export ([^.]+)\./.exec(description) ?? []
  const text = description.replace(hint, '')
  if (row.gives === 'csv') {
    const unpaged = text.replace(/ ?A page [^.]+\./, '')
    return `Export ${things ?? summary} as CSV to stdout. ${unpaged}`
  }
  if (row.gives === 'pdf') return `${summary}, to stdout. ${text}`
  return `${summary}. ${text}${what ? ` To export ${what}, use ${exportOf(row)}.` : ''}`
}

/** The command that exports what this one shows. */
function exportOf({ path }: Operation): string {
  const [name = 'csv'] =
    listRows().find(([, row]) => row.gives === 'csv' && row.path === path) ?? []
  return name
    .split('.')
    .at(-1)!
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function takesIdempotencyKey({ parameters = [] }: Described): boolean {
  return parameters.some(({ name, in: place }) => place === 'header' && name === 'Idempotency-Key')
}

function printFlag({ name, kind, about, isRequired, isNullable, choices }: Flag): string {
  const parts = [quote(name), quote(kind), quote(about), String(isRequired), String(isNullable)]
  if (choices.length > 0) parts.push(`[${choices.map(quote).join(', ')}]`)
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
  const isEither = moneyKindOf(plain) === 'amount' && schemas.length > 1
  const about = isEither ? eitherUnit : (schemas[0]!.description ?? '')
  const choices = [...new Set(plain.flatMap((schema) => schema.enum ?? []))].map(String)
  const isSwitch = choices.length === 1 && choices[0] === '1'
  const isListed = choices.length > 0 && !isSwitch
  const text = isListed ? `${about} One of: ${choices.join(', ')}.`.trim() : about
  const isNullable = plain.some(({ type }) => type === 'null')
  const kind = isSwitch ? 'switch' : (moneyKindOf(plain) ?? kindOf(plain))
  const items = plain.flatMap((schema) => schema.items?.enum ?? []).map(String)
  return [
    {
      name,
      kind,
      about: inLagosTime(inNaira(text.replaceAll('`', ''))),
      isRequired,
      isNullable,
      choices: [...new Set([...choices, ...items])],
    },
  ]
}

const eitherUnit = 'Naira for NGN, a decimal amount of the coin for USDC and USDT.'

/** People write naira: the command line converts them to kobo. */
function inNaira(about: string): string {
  return about.replace(/(?:an integer )?in kobo/g, 'in naira').replace(/\bkobo\b/g, 'naira')
}

/** The command line reads times as it prints them. */
function inLagosTime(about: string): string {
  return about.replace('UTC if it names no zone', 'Lagos time if it names no zone')
}

function moneyKindOf(schemas: Schema[]): string | undefined {
  const units = new Set(schemas.flatMap(({ 'x-unit': unit }) => unit?.split(' or ') ?? []))
  if (units.size === 2) return 'amount'
  return units.has('kobo') ? 'naira' : units.has('coin') ? 'coins' : undefined
}

/** The fields of the answer, or of its items, that are amounts: `payments.amount`. */
function listMoney(document: Document, row: Operation, described: Described): string[] {
  if (row.gives === 'nothing' || row.gives === 'csv' || row.gives === 'pdf') return []
  const data = withoutRefs(document, dataOf(described))
  const shown = row.gives === 'data' ? data : data.properties!.items!.items!
  const names = moneyIn(shown)
  const isEvent = shown.properties?.sequence !== undefined
  return isEvent ? [...new Set([...names, ...moneyOfEvents(document)])] : names
}

/** An event is described by its type only where it is sent. */
function moneyOfEvents(document: Document): string[] {
  return Object.values(document.webhooks).flatMap(({ post }) =>
    moneyIn(withoutRefs(document, post.requestBody.content['application/json'].schema)),
  )
}

function moneyIn(schema: Schema, path: string[] = []): string[] {
  if (schema['x-unit']) return [path.join('.')]
  const { anyOf = [], oneOf = [], items, properties = {} } = schema
  const same = [...anyOf, ...oneOf, ...(items ? [items] : [])].flatMap((one) => moneyIn(one, path))
  const inner = Object.entries(properties).flatMap(([name, one]) => moneyIn(one, [...path, name]))
  return [...new Set([...same, ...inner])]
}

/** Fields that every variant requires. */
function inAll(variants: Schema[]): string[] {
  const [first, ...others] = variants.map(({ required = [] }) => required)
  return (first ?? []).filter((name) => others.every((required) => required.includes(name)))
}

function kindOf(schemas: Schema[]): string {
  const kinds = new Set(schemas.filter(({ type }) => type !== 'null').map(kindOfOne))
  return kinds.size === 1 ? [...kinds][0]! : 'text'
}

function kindOfOne({ type, items }: Schema): string {
  if (type === 'integer' || type === 'boolean') return type
  if (type === 'array') return items?.type === 'object' || items?.properties ? 'json' : 'list'
  return type === 'object' ? 'json' : 'text'
}
