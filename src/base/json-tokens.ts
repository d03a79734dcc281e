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

/**
 * The tokens of a JSON document in order, with their exact spelling: JSON.parse rounds numbers,
 * drops repeated names and sorts names that look like numbers. Stops at the first character that
 * begins no token, and does not check the grammar: parse the text first where that matters.
 */
export function* jsonTokens(text: string): Generator<JsonToken, void> {
  const scanner = new JsonScanner(text)
  while (scanner.next()) {
    const { kind, start, end, depth } = scanner
    yield { kind, text: scanner.text, start, end, depth }
  }
}

const code = (character: string) => character.charCodeAt(0)
const [quote, backslash, colon, minus] = [...'"\\:-'].map(code) as [number, number, number, number]
const kindsOfMarks = new Map<number, Kind>([
  [code('{'), 'open'],
  [code('['), 'open'],
  [code('}'), 'close'],
  [code(']'), 'close'],
  [code(','), 'comma'],
])
const literals = new Map([
  [code('t'), 'true'],
  [code('f'), 'false'],
  [code('n'), 'null'],
])

/**
 * `jsonTokens` without an object for each token, for every logged body. By character codes: a
 * pattern takes several times as long. A test compares it with the pattern.
 */
export class JsonScanner {
  kind: Kind = 'literal'
  start = 0
  /** Where the text of the token ends. */
  textEnd = 0
  /** As `JsonToken.end`: after the colon for a name. */
  end = 0
  depth = 0
  readonly #document: string
  #depthAfter = 0

  constructor(document: string) {
    this.#document = document
  }

  get text(): string {
    return this.#document.slice(this.start, this.textEnd)
  }

  /** Moves to the next token; false if there is none. */
  next(): boolean {
    const start = skipSpace(this.#document, this.end)
    const first = this.#document.charCodeAt(start)
    const textEnd =
      first === quote ? endOfString(this.#document, start) : this.#endOfOther(first, start)
    if (textEnd === -1) return false
    this.start = start
    this.textEnd = textEnd
    this.end = textEnd
    if (first === quote) {
      this.end = skipColons(this.#document, textEnd)
      this.kind = this.end > textEnd ? 'name' : 'string'
    }
    this.depth = this.kind === 'close' ? this.#depthAfter - 1 : this.#depthAfter
    this.#depthAfter = this.kind === 'open' ? this.depth + 1 : this.depth
    return true
  }

  /** The end of a token that is not a string, whose kind it notes; -1 if there is none. */
  #endOfOther(first: number, start: number): number {
    const mark = kindsOfMarks.get(first)
    if (mark) {
      this.kind = mark
      return start + 1
    }
    const literal = literals.get(first)
    if (literal) {
      this.kind = 'literal'
      const end = start + literal.length
      const isWhole = this.#document.startsWith(literal, start)
      return isWhole && !isWordCharacter(this.#document.charCodeAt(end)) ? end : -1
    }
    this.kind = 'number'
    return endOfNumber(this.#document, start)
  }
}

/** -1: the string has no end, or a line break follows a backslash. */
function endOfString(document: string, start: number): number {
  let at = start + 1
  while (at < document.length) {
    const current = document.charCodeAt(at)
    if (current === quote) return at + 1
    if (current === backslash) {
      at += 1
      if (isLineBreak(document.charCodeAt(at))) return -1
    }
    at += 1
  }
  return -1
}

function endOfNumber(document: string, start: number): number {
  let at = document.charCodeAt(start) === minus ? start + 1 : start
  if (!isDigit(document.charCodeAt(at))) return -1
  while (isPartOfNumber(document.charCodeAt(at))) at += 1
  return at
}

function skipSpace(document: string, start: number): number {
  let at = start
  while (isSpace(document.charCodeAt(at))) at += 1
  return at
}

/** Several colons are no JSON, and still make a name. */
function skipColons(document: string, start: number): number {
  let end = start
  for (;;) {
    const at = skipSpace(document, end)
    if (document.charCodeAt(at) !== colon) return end
    end = at + 1
  }
}

/** As `\s`. */
function isSpace(current: number): boolean {
  if (current < 128) return current === 32 || (current >= 9 && current <= 13)
  return current >= 128 && /\s/.test(String.fromCharCode(current))
}

function isLineBreak(current: number): boolean {
  return current === 10 || current === 13 || current === 0x2028 || current === 0x2029
}

function isDigit(current: number): boolean {
  return current >= 48 && current <= 57
}

/** As `[\d.eE+-]`. */
function isPartOfNumber(current: number): boolean {
  if (isDigit(current)) return true
  return current === 46 || current === 101 || current === 69 || current === 43 || current === minus
}

/** As `\w`. */
function isWordCharacter(current: number): boolean {
  if (isDigit(current) || current === 95) return true
  const lower = current | 32
  return current < 128 && lower >= 97 && lower <= 122
}

/** The value of a name or string token. */
export function decodeJsonString(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
}
