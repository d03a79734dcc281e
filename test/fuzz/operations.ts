import { withoutRefs } from '../../sdk/scripts/document.js'
import type { Schema } from '../../sdk/scripts/print-schema.js'

/** Operations from openapi.json, the fuzzer's only knowledge of the service. */

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  example?: unknown
  schema: Schema
}

export type Operation = {
  method: string
  path: string
  parameters: Parameter[]
  body?: Schema
  /** Of the body. */
  example?: unknown
  isStream: boolean
  isBodyRequired: boolean
}

type Described = {
  parameters?: Parameter[]
  requestBody?: {
    required?: boolean
    content: Record<string, { schema: Schema; example?: unknown }>
  }
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>
}
export type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export function listOperations(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses }]) => {
      const { schema: body, example } = requestBody?.content['application/json'] ?? {}
      return {
        method: method.toUpperCase(),
        path,
        parameters,
        ...(body && { body: withoutRefs(document, body) }),
        ...(example !== undefined && { example }),
        isBodyRequired: requestBody?.required ?? false,
        isStream: Boolean(responses[200]?.content?.['text/event-stream']),
      }
    }),
  )
}

/** Every pattern of an input. */
export function listPatterns(operations: Operation[]): string[] {
  const patterns = new Set<string>()
  JSON.stringify(operations, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value)
    return value
  })
  return [...patterns]
}
