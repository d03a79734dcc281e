import { auditLimits } from './limits.js'

type Fields = Record<string, unknown>

/** The fields that differ, as they were and as they are. Long texts, such as logos, are cut. */
export function changedFields(before: object, after: object): { before: Fields; after: Fields } {
  const [old, now] = [before as Fields, after as Fields]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  )
  const pick = (fields: Fields) =>
    Object.fromEntries(names.map((name) => [name, shorten(fields[name])]))
  return { before: pick(old), after: pick(now) }
}

function shorten(value: unknown): unknown {
  const { textLengthMax } = auditLimits
  const text = JSON.stringify(value ?? null, (_name, field: unknown) =>
    typeof field === 'string' && field.length > textLengthMax
      ? `${field.slice(0, textLengthMax)}…`
      : field,
  )
  return JSON.parse(text)
}
