import { dataSchema } from '../../src/api/openapi/event-schemas.js'
import type { EventType } from '../../src/events/catalogue.js'

type Schema = {
  type?: string
  examples?: unknown[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

/** Sample data of an event type, from its schema and examples. */
export function sampleOf(type: EventType): Record<string, unknown> {
  return sample(dataSchema(type) as Schema) as Record<string, unknown>
}

function sample(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.examples) return schema.examples[0]
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return sample(schema.anyOf[0]!)
  if (schema.items) return [sample(schema.items)]
  const { properties = {} } = schema
  if (schema.type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sample(one)]))
  // Non-ASCII text, because bodies are signed as bytes.
  if (schema.type === 'string') return 'Ọ̀ṣun ₦ "quoted" \u2028'
  return schema.type === 'boolean' ? true : 1
}
