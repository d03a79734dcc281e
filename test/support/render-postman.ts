/** docs/manilla.postman_collection.json, from the OpenAPI document: format 2.1, a folder for each tag. */

type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  example?: unknown
  default?: unknown
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  $ref?: string
  'x-sample'?: boolean
}
type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: unknown
  schema?: Schema
}
type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: Record<string, unknown>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type OpenApi = {
  info: { title: string; description: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const format = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

export function renderPostman(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => operation.tags[0]!))]
  const collection = {
    info: {
      name: document.info.title,
      description: `${document.info.description} Set the variables baseUrl and secretKey.`,
      schema: format,
    },
    auth: {
      type: 'bearer',
      bearer: [{ key: 'token', value: '{{secretKey}}', type: 'string' }],
    },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:8080', type: 'string' },
      { key: 'secretKey', value: '', type: 'string' },
    ],
    item: tags.map((tag) => ({
      name: tag,
      item: operations
        .filter(({ operation }) => operation.tags[0] === tag)
        .map((one) => toItem(document, one)),
    })),
  }
  return `${JSON.stringify(collection, null, 2)}\n`
}

function toItem(document: OpenApi, one: { path: string; method: string; operation: Operation }) {
  const { path, method, operation } = one
  const parameters = operation.parameters ?? []
  const schema = operation.requestBody?.content['application/json']?.schema
  const headers = parameters.filter((parameter) => parameter.in === 'header')
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      ...(operation.description && { description: operation.description }),
      ...(operation.security?.length === 0 && { auth: { type: 'noauth' } }),
      header: [
        ...(schema ? [{ key: 'Content-Type', value: 'application/json' }] : []),
        ...headers.map(toHeader),
      ],
      url: toUrl(path, parameters),
      ...(schema && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(exampleOf(document, schema), null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
    response: [],
  }
}

/** A new idempotency key for every send: a fixed one would replay the first answer. */
function toHeader({ name, required, description }: Parameter) {
  const value = name === 'Idempotency-Key' ? '{{$guid}}' : ''
  return {
    key: name,
    value,
    ...(description && { description }),
    ...(!required && { disabled: true }),
  }
}

function toUrl(path: string, parameters: Parameter[]) {
  const words = path.slice(1).split('/')
  const named = words.map((word) => word.replace(/^\{(.+)\}$/, ':$1'))
  const textOf = ({ example }: Parameter) => (example === undefined ? '' : `${example}`)
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map((one) => ({
      key: one.name,
      value: textOf(one),
      ...(!one.required && !one.schema?.['x-sample'] && { disabled: true }),
    }))
  const variable = parameters
    .filter((parameter) => parameter.in === 'path')
    .map((one) => ({ key: one.name, value: textOf(one) }))
  const sent = query.filter((one) => !('disabled' in one))
  const search = sent.map(({ key, value }) => `${key}=${value}`).join('&')
  return {
    raw: `{{baseUrl}}/${named.join('/')}${search && `?${search}`}`,
    host: ['{{baseUrl}}'],
    path: named,
    ...(query.length > 0 && { query }),
    ...(variable.length > 0 && { variable }),
  }
}

/** The minimal valid body, from the fields' examples. */
function exampleOf(document: OpenApi, schema: Schema): unknown {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)!
    return exampleOf(document, document.components.schemas[name]!)
  }
  const said = schema.examples?.[0] ?? schema.example ?? schema.default ?? schema.const
  if (said !== undefined) return said
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return exampleOf(document, choices[0]!)
  if (schema.type === 'array') return schema.items ? [exampleOf(document, schema.items)] : []
  if (schema.type === 'integer' || schema.type === 'number') return 1
  if (schema.type === 'boolean') return true
  if (schema.type !== 'object') return 'text'
  const fields = Object.entries(schema.properties ?? {})
  const required = fields.filter(([name]) => schema.required?.includes(name))
  return Object.fromEntries(required.map(([name, field]) => [name, exampleOf(document, field)]))
}
