type Kind = 'open' | 'close' | 'comma' | 'name' | 'string' | 'number' | 'literal'

export type JsonToken = {
  kind: Kind
  /** As written. The text of a name does not include its colon. */
  text: string
  start: number
  /** Where the token ends; after the colon for a name. */
  end: number
  /** How many objects and arrays are around it. */
  depth: number
}

const pattern =
  /\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")((?:\s*:)*)|-?\d[\d.eE+-]*|(?:true|false|null)(?!\w)|[{}[\],])/y

const kinds: Record<string, Kind> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ',': 'comma',
  true: 'literal',
  false: 'literal',
  null: 'literal',
}

/**
 * The tokens of a JSON document in order, with their exact spelling: JSON.parse rounds numbers,
 * drops repeated names and sorts names that look like numbers. Stops at the first character that
 * begins no token, and does not check the grammar: parse the text first where that matters.
 */
export function* jsonTokens(text: string): Generator<JsonToken, void> {
  let depth = 0
  let end = 0
  while (end < text.length) {
    pattern.lastIndex = end
    const match = pattern.exec(text)
    if (!match) return
    const [whole, string, colon = ''] = match
    const token = string ?? whole.trimStart()
    const kind = string ? (colon ? 'name' : 'string') : (kinds[token] ?? 'number')
    end += whole.length
    if (kind === 'close') depth -= 1
    yield { kind, text: token, start: end - colon.length - token.length, end, depth }
    if (kind === 'open') depth += 1
  }
}

/** The value of a name or string token. */
export function decodeJsonString(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
}
