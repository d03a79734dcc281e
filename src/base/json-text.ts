declare const json: unique symbol

/** Text that is JSON already and goes into answers and events as it is. */
export type JsonText = string & { readonly [json]: true }

export function toJson(value: object | string | null): JsonText {
  return JSON.stringify(value) as JsonText
}

/** An object with one more field at its end. It has others. */
export function withField(fields: object, name: string, value: JsonText): JsonText {
  return `${JSON.stringify(fields).slice(0, -1)},"${name}":${value}}` as JsonText
}

/** One object with the fields of both. Neither is empty. */
export function joinObjects(first: JsonText, second: JsonText): JsonText {
  return `${first.slice(0, -1)},${second.slice(1)}` as JsonText
}

export function objectOf(fields: Record<string, JsonText>): JsonText {
  const written = Object.entries(fields).map(([name, value]) => `"${name}":${value}`)
  return `{${written.join(',')}}` as JsonText
}

export function arrayOf(items: JsonText[]): JsonText {
  return `[${items.join(',')}]` as JsonText
}
