/** Fields of a JSON body. A field that is missing or of another type is undefined. */
export type Fields = {
  text(name: string): string | undefined
  /** Whole kobo, as a number or as text. */
  kobo(name: string): bigint | undefined
  /** A nested object; empty if missing. */
  inner(name: string): Fields
  has(name: string): boolean
  raw(name: string): unknown
}

export function readBody(body: string): Fields {
  try {
    return fieldsOf(JSON.parse(body))
  } catch {
    return fieldsOf({})
  }
}

function fieldsOf(value: unknown): Fields {
  const record = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >
  const text = (name: string) => {
    const field = record[name]
    if (typeof field === 'number') return String(field)
    return typeof field === 'string' && field !== '' ? field : undefined
  }
  return {
    text,
    kobo: (name) => {
      const digits = text(name)
      return digits !== undefined && /^\d{1,15}$/.test(digits) ? BigInt(digits) : undefined
    },
    inner: (name) => fieldsOf(record[name]),
    has: (name) => record[name] !== undefined,
    raw: (name) => record[name],
  }
}
