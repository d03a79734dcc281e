import {
  hidden,
  mayHide,
  type RedactionRule,
  redactText,
  redactValue,
  ruleOf,
} from './redact-text.js'

/**
 * JSON without what must not be kept; all else stays as it was written. Undefined where it is not
 * JSON, so that names and values cannot be told from each other. A text that was cut may end
 * anywhere: a string without an end is left out.
 */
export function redactJson(text: string, isCut: boolean): string | undefined {
  return new Reader(text, isCut).read()
}

const [space, quote, comma, colon] = [0x20, 0x22, 0x2c, 0x3a]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]
const bareEnd = /[\s{}[\],:"]/g
const bare = /^(-?\d[\d.eE+-]*|true|false|null)$/

/**
 * Goes from token to token and copies only where something is masked: bodies are many, and most
 * hide nothing. Reading with a pattern and a function for each token took five times as long.
 */
class Reader {
  readonly #text: string
  readonly #isCut: boolean
  readonly #hasEscapes: boolean
  /** Otherwise only names decide. */
  readonly #mayHide: boolean
  /** Of the value that comes next, and of what is around it. */
  #rule: RedactionRule = 'plain'
  readonly #around: RedactionRule[] = []
  #at = 0
  #isJson = true
  #shown = ''
  #copied = 0

  constructor(text: string, isCut: boolean) {
    this.#text = text
    this.#isCut = isCut
    this.#hasEscapes = text.includes('\\')
    this.#mayHide = this.#hasEscapes || mayHide(text)
  }

  read(): string | undefined {
    const { length } = this.#text
    while (this.#at < length && this.#isJson) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === quote) this.#readString()
      else if (code === comma || code === colon || code <= space) this.#at += 1
      else if (code === openBrace || code === openBracket) this.#open()
      else if (code === closeBrace || code === closeBracket) this.#close()
      else this.#readBare()
    }
    return this.#isJson ? this.#shown + this.#text.slice(this.#copied) : undefined
  }

  #open(): void {
    this.#around.push(this.#rule)
    this.#at += 1
  }

  #close(): void {
    this.#rule = this.#around.pop() ?? 'plain'
    this.#at += 1
  }

  #readString(): void {
    const start = this.#at
    const end = this.#endOfString(start)
    if (end < 0) {
      this.#isJson = this.#isCut
      this.#put(start, this.#text.length, '')
      return
    }
    this.#at = end + 1
    if (this.#isName()) this.#readName(start, end)
    else if (this.#mayHide || hides(this.#rule)) this.#readValue(start, end)
  }

  #readName(start: number, end: number): void {
    const name = this.#decode(start, end)
    // Whatever is inside of a secret is one.
    this.#rule = this.#around.at(-1) === 'secret' ? 'secret' : ruleOf(name)
    if (!this.#mayHide) return
    const shown = redactText(name)
    if (shown !== name) this.#put(start, end + 1, JSON.stringify(shown))
  }

  #readValue(start: number, end: number): void {
    const value = this.#decode(start, end)
    const shown = redactValue(this.#rule, value)
    if (shown !== value) this.#put(start, end + 1, JSON.stringify(shown))
  }

  #readBare(): void {
    const start = this.#at
    bareEnd.lastIndex = start
    const end = bareEnd.exec(this.#text)?.index ?? this.#text.length
    const token = this.#text.slice(start, end)
    this.#at = end
    this.#isJson = bare.test(token)
    const isNumber = token !== 'null' && token !== 'true' && token !== 'false'
    if (!isNumber || !hides(this.#rule)) return
    const shown = this.#rule === 'secret' ? hidden : redactValue(this.#rule, token)
    if (shown !== token) this.#put(start, end, JSON.stringify(shown))
  }

  /** A name is followed by a colon. */
  #isName(): boolean {
    let at = this.#at
    while (this.#text.charCodeAt(at) <= space) at += 1
    return this.#text.charCodeAt(at) === colon
  }

  /** Letters may be written as escapes, and hide a name or a secret from whoever looks for it. */
  #decode(start: number, end: number): string {
    const plain = this.#text.slice(start + 1, end)
    if (!this.#hasEscapes || !plain.includes('\\')) return plain
    try {
      return JSON.parse(this.#text.slice(start, end + 1)) as string
    } catch {
      return plain
    }
  }

  #endOfString(start: number): number {
    if (!this.#hasEscapes) return this.#text.indexOf('"', start + 1)
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const letter = this.#text[at]
      if (letter === '"') return at
      if (letter === '\\') at += 1
    }
    return -1
  }

  /** In the place of what stands there. */
  #put(start: number, end: number, shown: string): void {
    this.#shown += this.#text.slice(this.#copied, start) + shown
    this.#copied = end
    this.#at = end
  }
}

function hides(rule: RedactionRule): boolean {
  return rule !== 'plain' && rule !== 'reference'
}
