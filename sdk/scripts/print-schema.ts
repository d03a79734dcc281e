/** The part of JSON Schema that openapi.json uses. */
export type Schema = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  description?: string
  examples?: unknown[]
  /** The unit of an amount of money. */
  'x-unit'?: 'kobo' | 'coin' | 'kobo or coin'
}

/**
 * A schema as TypeScript. Optional input fields accept `undefined`, which is left out of the JSON,
 * so that callers with `exactOptionalPropertyTypes` need no conditional objects.
 */
export function printSchema(schema: Schema, isInput = false, indent = ''): string {
  if (schema.$ref) return nameOf(schema.$ref)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) {
    const printed = choices.map((choice) => printSchema(choice, isInput, indent))
    return [...new Set(printed)].join(' | ')
  }
  if (schema.type === 'array') return printArray(schema, isInput, indent)
  if (schema.type === 'object') return printObject(schema, isInput, indent)
  const scalars: Record<string, string> = { integer: 'number', number: 'number', null: 'null' }
  const printed = scalars[schema.type ?? ''] ?? schema.type
  if (printed === undefined) throw new Error(`No type for ${JSON.stringify(schema)}`)
  return printed
}

export function nameOf(ref: string): string {
  return ref.split('/').at(-1)!
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function printArray(schema: Schema, isInput: boolean, indent: string): string {
  const { items = {} } = schema
  const isAnything = Object.keys(items).length === 0
  const item = isAnything ? 'unknown' : printSchema(items, isInput, indent)
  return /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`
}

function printObject(schema: Schema, isInput: boolean, indent: string): string {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0)
    return schema.additionalProperties ? 'Record<string, unknown>' : 'Record<string, never>'
  const inner = `${indent}  `
  const lines = fields.flatMap(([name, field]) => {
    const isOptional = !schema.required?.includes(name)
    const mark = isOptional ? '?' : ''
    const type = printSchema(field, isInput, inner) + (isOptional && isInput ? ' | undefined' : '')
    return [...printComment(describe(field), inner), `${inner}${quote(name)}${mark}: ${type}`]
  })
  return ['{', ...lines, `${indent}}`].join('\n')
}

/** The description of a field, or else an example. */
function describe({ description, examples, type }: Schema): string {
  const hasExample = type === 'string' && typeof examples?.[0] === 'string'
  return description ?? (hasExample ? `Such as \`${examples[0]}\`.` : '')
}

export function quote(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
}

/** Wraps paragraphs into a doc comment of at most 100 columns. */
export function printComment(text: string, indent: string): string[] {
  if (text === '') return []
  const single = `${indent}/** ${text} */`
  if (single.length <= 100 && !text.includes('\n')) return [single]
  const lines = text.split('\n').flatMap((paragraph) => wrap(paragraph, 97 - indent.length))
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd())
  return [`${indent}/**`, ...body, `${indent} */`]
}

export function wrap(paragraph: string, width: number): string[] {
  const lines = ['']
  for (const word of paragraph.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart()
    if (longer.length > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}
