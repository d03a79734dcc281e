import { type Html, html } from '../../base/html.js'
import { type ApiDocument, follow, type Parameter, type Schema } from './document.js'

/** Deeper objects are shown by the example only. */
const depthMax = 4

/** Text with code in backticks. */
export function renderText(text: string): Html[] {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

export function renderParameters(document: ApiDocument, parameters: Parameter[]): Html {
  const fields = parameters.map(({ name, description, required, schema }) =>
    renderField(document, {
      name,
      note: required ? 'required' : undefined,
      schema: { ...schema, ...(description !== undefined && { description }) },
      depth: depthMax,
    }),
  )
  return html`<ul class="fields">${fields}</ul>`
}

type Shown = { isRequest: boolean; depth?: number }

/** The fields of an object, or of each of its variants. */
export function renderFields(
  document: ApiDocument,
  schema: Schema,
  { isRequest, depth = 0 }: Shown,
): Html | undefined {
  const { variants } = untangle(document, schema)
  const objects = variants.map((variant) =>
    variant.items ? follow(document, variant.items) : variant,
  )
  const shown = objects.flatMap((object) => {
    const found = object.properties ? [object] : untangle(document, object).variants
    return found.filter(({ properties }) => Object.keys(properties ?? {}).length > 0)
  })
  if (shown.length === 0 || depth > depthMax) return undefined
  return html`${shown.map((object, at) => [
    at > 0 && html`<p class="or">or</p>`,
    html`<ul class="fields">${Object.entries(object.properties!).map(([name, field]) => {
      const isRequired = object.required?.includes(name)
      const isRepeated = shown.slice(0, at).some((earlier) => isSame(earlier, field, name))
      const note = isRequest ? isRequired && 'required' : !isRequired && 'optional'
      return renderField(document, { name, note, schema: field, isRequest, depth, isRepeated })
    })}</ul>`,
  ])}`
}

/** Whether another variant has the same field: its own fields are shown once. */
function isSame({ properties = {} }: Schema, field: Schema, name: string): boolean {
  return JSON.stringify(properties[name]) === JSON.stringify(field)
}

type Field = {
  name: string
  note: string | false | undefined
  schema: Schema
  isRequest?: boolean
  depth: number
  isRepeated?: boolean
}

function renderField(document: ApiDocument, field: Field): Html {
  const { name, note, schema, isRequest = true, depth, isRepeated = false } = field
  const { variants, isNullable } = untangle(document, schema)
  const description =
    schema.description ?? variants.find((variant) => variant.description)?.description
  const namesUnit = /kobo/i.test(description ?? '')
  const types = variants.map(
    (variant) => typeOf(document, variant) + (namesUnit ? '' : unitOf(variant)),
  )
  const type = [...new Set(types)].join(' or ')
  const about = [isNullable ? `${type} or null` : type, ...boundsOf(variants[0]), note]
  const values = variants.flatMap((variant) => variant.enum ?? [])
  const nested = !isRepeated && renderFields(document, schema, { isRequest, depth: depth + 1 })
  return html`<li><code>${name}</code> <small>${about.filter(Boolean).join(', ')}</small>
    ${renderMeaning(description, values.length > 1 ? values : [])}${nested}</li>`
}

/** In one paragraph: pages of many fields have many elements. */
function renderMeaning(description: string | undefined, values: unknown[]): Html {
  const said = description === undefined ? '' : renderText(description)
  const shown = values.map((value, at) => html`${at > 0 && ', '}<code>${String(value)}</code>`)
  if (values.length > 12)
    return html`${said && html`<p>${said}</p>`}
    <details><summary>${values.length} values</summary><p>${shown}</p></details>`
  const listed = values.length > 0 && html`${said && ' '}One of ${shown}`
  return html`${(said || listed) && html`<p>${said}${listed}</p>`}`
}

/** The variants of a schema without null. */
function untangle(document: ApiDocument, given: Schema) {
  const schema = follow(document, given)
  const listed = schema.anyOf ?? schema.oneOf
  const all = (listed ?? [schema]).map((variant) => follow(document, variant))
  return {
    variants: all.filter(({ type }) => type !== 'null'),
    isNullable: all.some(({ type }) => type === 'null'),
  }
}

function typeOf(document: ApiDocument, schema: Schema): string {
  if (schema.items) return `array of ${pluralOf(typeOf(document, follow(document, schema.items)))}`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type !== undefined) return schema.type
  return schema.enum ? 'string' : 'object'
}

/** Coins need no word: a decimal amount is of the asset beside it. */
function unitOf(schema: Schema): string {
  return schema['x-unit'] === 'kobo' ? ' in kobo' : ''
}

const pluralOf = (type: string) => (type.endsWith('s') ? type : `${type}s`)

function boundsOf(schema: Schema | undefined): string[] {
  const { minimum, maximum, minLength, maxLength } = schema ?? {}
  const range = (from: number | undefined, to: number | undefined, unit = '') => {
    if (to === undefined) return from ? [`at least ${from}${unit}`] : []
    return [from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`]
  }
  // The largest integer of JSON is no limit that a caller could meet.
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  return [...range(minimum, most), ...range(minLength, maxLength, ' characters')]
}
