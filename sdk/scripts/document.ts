import { isOperation, type Operation, type Operations, operations } from '../src/operations.js'
import { nameOf, type Schema } from './print-schema.js'

type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}
type Json = { content: { 'application/json': { schema: Schema } } }

/** An operation as the document has it. */
export type Described = {
  operationId: string
  summary: string
  description: string
  parameters?: Parameter[]
  requestBody?: Json
  responses: Record<string, Json>
}

/** The parts of openapi.json that types are printed from. */
export type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
  webhooks: Record<string, { post: { description: string; requestBody: Json } }>
}

export const header =
  '// Written by `npm run generate` from openapi.json. Changes by hand are lost.\n'

/** Every row of the table, with its full name. */
export function listRows(rows: Operations = operations, prefix = ''): [string, Operation][] {
  return Object.entries(rows).flatMap(([name, row]): [string, Operation][] =>
    isOperation(row) ? [[prefix + name, row]] : listRows(row, `${prefix}${name}.`),
  )
}

export function describedBy(document: Document, { method, path }: Operation): Described {
  const found = document.paths[path]?.[method.toLowerCase()]
  if (!found) throw new Error(`The document has no ${method} ${path}`)
  return found
}

/** What a caller hands over: the body, or the query as an object. Undefined where it is nothing. */
export function inputOf(row: Operation, described: Described): Schema | undefined {
  if (row.takes === 'nothing') return undefined
  if (row.takes === 'body') return described.requestBody?.content['application/json'].schema
  const query = (described.parameters ?? []).filter((parameter) => parameter.in === 'query')
  return {
    type: 'object',
    required: query.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      query.map(({ name, description, schema }) => [
        name,
        { ...schema, ...(description !== undefined && { description }) },
      ]),
    ),
  }
}

/** `listVirtualAccounts` takes a `ListVirtualAccountsQuery`. */
export function inputName({ takes }: Pick<Operation, 'takes'>, { operationId }: Described): string {
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  return name + (takes === 'body' ? 'Input' : 'Query')
}

/** The schema of `data`. */
export function dataOf({ responses }: Described): Schema {
  const status = Object.keys(responses).find((code) => code.startsWith('2'))!
  return responses[status]!.content['application/json'].schema.properties!.data!
}

/** A schema with everything that it only names in its place. */
export function withoutRefs({ components }: Pick<Document, 'components'>, schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    const { $ref } = (value ?? {}) as Schema
    return $ref ? withoutRefs({ components }, components.schemas[nameOf($ref)]!) : value
  })
}
