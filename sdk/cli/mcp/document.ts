/** The parts of the service's OpenAPI document that tools are made of. */

export type Schema = {
  type?: string | string[]
  $ref?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: boolean | Schema
  pattern?: string
  description?: string
}

type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

type Content = { content?: { 'application/json'?: { schema: Schema } } }

export type DescribedOperation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content>
  /** What a restricted key needs to call it. Absent: no key can call it. */
  'x-permissions'?: string[]
}

export type OpenApi = {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema> }
}

/** The schema that a reference names, or the schema itself. */
export function resolve(schema: Schema, { components }: OpenApi): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

/** The schema of `data` in the answer of an operation; undefined if it has no JSON. */
export function dataOf({ responses }: DescribedOperation, document: OpenApi): Schema | undefined {
  const status = Object.keys(responses).find((code) => code.startsWith('2'))
  const envelope = status && responses[status]?.content?.['application/json']?.schema
  return envelope ? resolve(envelope, document).properties?.data : undefined
}
