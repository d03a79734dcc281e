/** The parts of the OpenAPI document that the reference pages show. */

export type Schema = {
  $ref?: string
  title?: string
  type?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  /** The unit of an amount of money. */
  'x-unit'?: string
  /** The example request sends it, though it is optional. */
  'x-sample'?: boolean
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: unknown
  schema: Schema
}

export type RefusalExample = { summary: string; value: { code: string; reason?: string } }
export type Media = {
  schema?: Schema
  example?: unknown
  examples?: Record<string, RefusalExample | { $ref: string }>
}
type Content = { content?: Record<string, Media> }

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, unknown>[]
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content & { description: string }>
}

export type ApiDocument = {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, Schema>
    examples: Record<string, RefusalExample>
  }
}

export type ListedOperation = Operation & { method: string; path: string }

export function listOperations({ paths }: ApiDocument): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

export const jsonOf = (content: Content | undefined): Media | undefined =>
  content?.content?.['application/json']

/** The successful answer: its status and content. */
export function successOf({ responses }: Operation): [string, Content] {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))!
}

/** Follows a reference to a named schema. */
export function follow({ components }: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : { ...components.schemas[name]!, ...without$ref(schema) }
}

function without$ref({ $ref: _, ...rest }: Schema): Schema {
  return rest
}

export function parametersIn(operation: Operation, place: Parameter['in']): Parameter[] {
  return (operation.parameters ?? []).filter((parameter) => parameter.in === place)
}

export const pathOfOperation = ({ operationId }: Operation) => `/docs/operations/${operationId}`

/** Whether the example request of an operation sends a parameter. */
export function isSampled({ required, schema }: Parameter): boolean {
  return required === true || schema['x-sample'] === true
}
