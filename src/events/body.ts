import Type, { type TSchema } from 'typebox'
import type { Mode } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import { referenceSample, time } from '../resources/shapes.js'

type Sendable = {
  eventId: string
  type: string
  eventCreatedAt: Date
  mode: Mode
  sequence: number
  data: string
}

/** What a merchant is sent, and shown: the same text whenever and however often. */
export function toBody(event: Sendable): string {
  const head = JSON.stringify({
    id: toReference(prefixes.event, event.eventId),
    type: event.type,
    timestamp: event.eventCreatedAt.toISOString(),
    mode: event.mode,
    sequence: event.sequence,
  })
  // The resource is kept as text, so that its keys come in the order in which they were written.
  return `${head.slice(0, -1)},"data":${event.data}}`
}

/** The schema of that text. */
export function bodyOf(type: TSchema, data: TSchema) {
  return Type.Object({
    id: Type.String({
      description: 'Also in `webhook-id`.',
      examples: [referenceSample(prefixes.event)],
    }),
    type,
    timestamp: time,
    mode: Type.Enum(['test', 'live'], { examples: ['test'] }),
    sequence: Type.Integer({
      minimum: 1,
      description: 'Grows with every event of the resource.',
      examples: [1],
    }),
    data,
  })
}
