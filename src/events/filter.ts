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

/** `typesOf` in SQL: whether the endpoint `alias` listens to the event type in `column`. */
export function listensTo(alias: string, column: string): string {
  return `(${alias}.event_types is null or exists (
    select from unnest(${alias}.event_types) filter
    where filter = ${column}
      or (right(filter, 2) = '.*' and starts_with(${column}, left(filter, -1)))))`
}
