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
  let text = ''
  // Joining an array would copy every text once more.
  for (const [name, value] of Object.entries(fields)) text += `${text && ','}"${name}":${value}`
  return `{${text}}` as JsonText
}

export function arrayOf(items: JsonText[]): JsonText {
  return `[${items.join(',')}]` as JsonText
}
