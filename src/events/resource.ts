import Type, { type TSchema } from 'typebox'
import type { Mode } from '../base/environment.js'
import { prefixes, toReference } from '../base/ids.js'
import { type JsonText, withField } from '../base/json-text.js'
import { referenceSample, text, timestamp } from '../base/shapes.js'
import type { Event } from './find-events.js'

export function eventSchema(type: TSchema, data: TSchema) {
  return Type.Object({
    id: text(
      referenceSample(prefixes.event),
      'Identifies the event. Also sent in the `webhook-id` header.',
    ),
    type,
    timestamp: timestamp('When the event happened.'),
    mode: Type.Enum(['test', 'live'], { examples: ['test'] }),
    sequence: Type.Integer({
      minimum: 1,
      description:
        'Increases with every event of the same resource, so that you can ignore events that arrive late.',
      examples: [1],
    }),
    data,
  })
}

type ShownEvent = Pick<Event, 'type' | 'sequence' | 'data'> & {
  eventId: string
  eventCreatedAt: Date
  mode: Mode
}

/** The same bytes in every delivery and read. */
export function showEvent(event: ShownEvent): JsonText {
  return showEventAs(toReference(prefixes.event, event.eventId), event)
}

/** The same for a caller that needs the reference of the event as well. */
export function showEventAs(id: string, event: ShownEvent): JsonText {
  const head = {
    id,
    type: event.type,
    timestamp: event.eventCreatedAt.toISOString(),
    mode: event.mode,
    sequence: event.sequence,
  }
  return withField(head, 'data', event.data)
}
