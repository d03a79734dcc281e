import type { Permission } from '../team/permissions.js'
import { type Permissions, seenWith, sees } from '../team/seen-with.js'
import { type EventType, eventTypes } from './catalogue.js'

/** Every event type, every group such as `payment.*`, and `*` for all. */
export const eventFilters: string[] = [
  '*',
  ...new Set(eventTypes.map((type) => `${type.slice(0, type.lastIndexOf('.'))}.*`)),
  ...eventTypes,
]

export function typesOf(filter: string): EventType[] {
  if (filter === '*') return [...eventTypes]
  const prefix = filter.replace(/\*$/, '')
  return eventTypes.filter((type) =>
    filter.endsWith('.*') ? type.startsWith(prefix) : type === filter,
  )
}

/** The resource that an event carries. It must be in `seenWith`: otherwise nothing compiles. */
type KindOf<Type> = Type extends `checkout.session.${string}`
  ? 'checkout_session'
  : Type extends `${infer Kind}.${string}`
    ? Kind
    : never

export type EventKind = KindOf<EventType>

export const kindOf = (type: EventType) =>
  type.slice(0, type.lastIndexOf('.')).replace('.', '_') as EventKind

export function permissionOf(type: EventType): Permission {
  return seenWith[kindOf(type)]
}

/** Whether a caller may see events of this type, in any list and at any endpoint. */
export function seesEvent(permissions: Permissions, type: EventType): boolean {
  return sees(permissions, kindOf(type))
}

/** The types of `filter` that a caller may see; undefined: every event type. */
export function typesSeen(permissions: Permissions, filter = '*'): EventType[] | undefined {
  const seen = typesOf(filter).filter((type) => seesEvent(permissions, type))
  return seen.length === eventTypes.length ? undefined : seen
}

/** `typesOf` in SQL: whether the endpoint `alias` listens to the event type in `column`. */
export function listensTo(alias: string, column: string): string {
  return `(${alias}.event_types is null or exists (
    select from unnest(${alias}.event_types) filter
    where filter = ${column}
      or (right(filter, 2) = '.*' and starts_with(${column}, left(filter, -1)))))`
}
