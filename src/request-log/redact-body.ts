import { decodeJsonString, JsonScanner } from '../base/json-tokens.js'
import { redact } from '../base/log.js'
import { requestLogLimits } from './limits.js'

/** What a field holds, by its name. The digits of references and amounts are not personal data. */
type FieldKind = 'secret' | 'number' | 'email' | 'person' | 'reference' | 'other'

/**
 * Tested in this order against names in lower case without dashes, underscores and spaces. A list
 * of names instead of marks in the schemas: the log also holds metadata, whose names callers
 * choose, and bodies that no schema accepted.
 */
const fieldKinds: [FieldKind, RegExp][] = [
  ['secret', /secret|passw|passphrase|authorization|cookie|token$|^seed|^mnemonic/],
  ['secret', /(api|private|access|encryption|signing)key$|^(pin|otp|cvv2?|cvc2?)$/],
  ['number', /(account|card|phone|mobile|passport|identity)(number|no)$/],
  ['number', /^(nuban|iban|bvn|nin|ssn|pan|card|msisdn|phone|mobile|telephone)$/],
  ['email', /email(address)?$/],
  ['person', /^(account|customer|sender|recipient|payer|beneficiary|(account)?holder)?name$/],
  ['person', /^(first|last|middle|full|sur|birth|maiden)name$/],
  ['reference', /amount|balance|(fee|vat|debit|reference|id|signature|address)$/],
]

/** Bounded, because callers choose the names in metadata. */
const rememberedNamesMax = 1_000
const rememberedKinds = new Map<string, FieldKind>()

export function fieldKindOf(name: string): FieldKind {
  const remembered = rememberedKinds.get(name)
  if (remembered) return remembered
  const plainName = name.replace(/[_\-\s]/g, '').toLowerCase()
  const kind = fieldKinds.find(([, names]) => names.test(plainName))?.[0] ?? 'other'
  if (rememberedKinds.size < rememberedNamesMax) rememberedKinds.set(name, kind)
  return kind
}

type RedactedBody = { text: string | null; isCut: boolean }

/**
 * The start of a body, without secrets and personal data. What is not redacted stays as it was
 * sent, digit by digit. Accepts any text, never throws, and takes time in proportion to what is
 * kept.
 */
export function redactBody(body: string): RedactedBody {
  if (body === '') return { text: null, isCut: false }
  const { bodyLengthMax } = requestLogLimits
  const isLong = body.length > bodyLengthMax
  const start = isLong ? withoutLastWord(body.slice(0, bodyLengthMax)) : body
  const traces = findTraces(start)
  if (!isLong && traces === 'none' && !hasRedactedName(start))
    return { text: withoutNul(start), isCut: false }
  const redacted = redactJson(start, isLong, traces) ?? redactText(start)
  // A mask may be longer than the text it replaces.
  const text = withoutNul(redacted).slice(0, bodyLengthMax)
  return { text, isCut: isLong || text.length < redacted.length }
}

/** The last word may be half of a secret, which no pattern recognizes. */
function withoutLastWord(text: string): string {
  let end = text.length
  while (end > 0 && !/[\s{}[\],:"&;]/.test(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}

/** PostgreSQL stores every character except this one. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

const colon = ':'.charCodeAt(0)

/**
 * Whether a field may need redaction because of its name. Most bodies have none and are not
 * tokenized. The text has no backslashes, so every second quote ends a string; any character that
 * could be white space counts as such.
 */
function hasRedactedName(text: string): boolean {
  let start = text.indexOf('"')
  while (start !== -1) {
    const end = text.indexOf('"', start + 1)
    if (end === -1) return false
    let next = end + 1
    while (text.charCodeAt(next) <= 32 || text.charCodeAt(next) > 127) next += 1
    if (text.charCodeAt(next) === colon) {
      const kind = fieldKindOf(text.slice(start + 1, end))
      if (kind !== 'other' && kind !== 'reference') return true
    }
    start = text.indexOf('"', end + 1)
  }
  return false
}

/** Undefined: not JSON. A string that the cut left without an end is dropped. */
function redactJson(text: string, isCut: boolean, traces: Traces): string | undefined {
  const kindsAround: FieldKind[] = []
  let kind: FieldKind = 'other'
  let redacted = ''
  let copiedTo = 0
  const token = new JsonScanner(text)
  while (token.next()) {
    if (token.kind === 'open') kindsAround.push(kind)
    if (token.kind === 'close') kind = kindsAround.pop() ?? 'other'
    // Everything inside a secret is secret.
    if (token.kind === 'name')
      kind = kindsAround.at(-1) === 'secret' ? 'secret' : fieldKindOf(decode(token.text))
    const shown = redactToken(token, kind, traces)
    if (shown === undefined) continue
    redacted += text.slice(copiedTo, token.start) + JSON.stringify(shown)
    copiedTo = token.textEnd
  }
  const { end } = token
  const rest = text.slice(end).trimStart()
  if (rest !== '' && !(isCut && rest.startsWith('"'))) return undefined
  return redacted + text.slice(copiedTo, rest === '' ? undefined : end)
}

/** What to show instead of the token; undefined to keep it. */
function redactToken(token: JsonScanner, kind: FieldKind, traces: Traces): string | undefined {
  const isValue = token.kind === 'string' || token.kind === 'number'
  const isRedactedByName = isValue && kind !== 'other' && kind !== 'reference'
  const isText = token.kind === 'string' || token.kind === 'name'
  if (!isRedactedByName && !(isText && mayChange(token, kind, traces))) return undefined
  const value = isText ? decode(token.text) : token.text
  const shown = token.kind === 'name' ? redactText(value) : redactValue(kind, value)
  return shown === value ? undefined : shown
}

/** Whether a text of the body may have one of its traces. Digits of references are kept. */
function mayChange(token: JsonScanner, kind: FieldKind, traces: Traces): boolean {
  if (traces !== 'digits') return traces === 'any'
  const isReference = token.kind === 'string' && kind === 'reference'
  return !isReference && hasTenDigits(token.text)
}

/** The text may not be JSON, so its escapes may not be valid. */
function decode(quoted: string): string {
  try {
    return decodeJsonString(quoted)
  } catch {
    return quoted.slice(1, -1)
  }
}

/** `a=b&c=d`, with the names of JSON fields. Redacted values are shown without URL encoding. */
export function redactQuery(query: string): string | null {
  if (query === '') return null
  const { bodyLengthMax } = requestLogLimits
  const start =
    query.length > bodyLengthMax ? withoutLastWord(query.slice(0, bodyLengthMax)) : query
  const pairs = start.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=')
    const shownName = redactEncoded(name, redactText)
    if (rest.length === 0) return shownName
    const kind = fieldKindOf(decodeQuery(name))
    return `${shownName}=${redactEncoded(rest.join('='), (value) => redactValue(isSearch(name, value) ? 'person' : kind, value))}`
  })
  return withoutNul(pairs.join('&'))
}

/** Filters by payer, recipient and text hold names, unless they have digits, as references do. */
function isSearch(name: string, value: string): boolean {
  return /^(sender|recipient|q)$/.test(name) && !/[\d@_]/.test(value)
}

function redactEncoded(encoded: string, redactDecoded: (text: string) => string): string {
  const text = decodeQuery(encoded)
  const shown = redactDecoded(text)
  return shown === text ? encoded : shown
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

const hidden = '[secret]'

function redactValue(kind: FieldKind, value: string): string {
  if (value === '') return value
  if (kind === 'secret') return hidden
  if (kind === 'number') return maskNumber(value)
  if (kind === 'person') return value.replace(/(\S)\S*/gu, '$1***')
  if (kind === 'email') return value.includes('@') ? redactText(value) : `${[...value][0]}***`
  return kind === 'reference' ? redactShapes(value) : redactText(value)
}

/** Text without field names, such as a message or a path. */
export function redactText(text: string): string {
  if (!hasTraces(text)) return text
  return redactShapes(text).replace(/(?<![\w.])\d{10,19}(?![\w]|\.\d)/g, maskNumber)
}

function maskNumber(value: string): string {
  const shown = value.length >= 8 ? 4 : 0
  return '*'.repeat(value.length - shown) + value.slice(value.length - shown)
}

const labels = 'secret|passw|passphrase|authorization|(?:api|private|access)[_-]?key|token'

/** Bounded repeats: no text takes more than linear time. */
const shapes: [RegExp, string][] = [
  [/eyJ[\w-]{8,}\.[\w-]{4,}(\.[\w-]{0,})?/g, hidden],
  [/FLW(PUB|SEC)K[\w-]+/g, hidden],
  // Links of claims: a reader of the log must not be able to claim the money.
  [/(\/claim\/)[\w-]{20,}/g, `$1${hidden}`],
  // Pages of invoices open without signing in.
  [/(\/i\/)[0-9a-z]{26}(?!\w)/g, `$1${hidden}`],
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*/g, hidden],
  // JSON inside a string, forms, queries, and JSON with mistakes.
  [
    new RegExp(`((?:${labels})[\\w-]{0,20}[^\\w&]{0,10}[:=][^\\w&]{0,10})[^"'\\\\\\n&]+`, 'gi'),
    `$1${hidden}`,
  ],
  [/([^\s@<>"'(),:;/=\\])[^\s@<>"'(),:;/=\\]{0,63}@(?=[^\s@])/gu, '$1***@'],
]

/** Words of secrets, in any case. */
const words = new RegExp(
  `k_(test|live|prod)_|whsec_|bearer|eyj|flw|private key|/claim/|/i/|${labels}`,
  'i',
)

/**
 * Every text that `redactText` changes has a trace: ten digits, `@`, `://` or a word. Most bodies
 * have none.
 */
function hasTraces(text: string): boolean {
  return hasTenDigits(text) || hasMarks(text)
}

function hasMarks(text: string): boolean {
  return text.includes('@') || text.includes('://') || words.test(text)
}

/** Most bodies with traces have account numbers only: their other texts need no further checks. */
type Traces = 'none' | 'digits' | 'any'

/** An escape may stand for any character. */
function findTraces(body: string): Traces {
  if (body.includes('\\') || hasMarks(body)) return 'any'
  return hasTenDigits(body) ? 'digits' : 'none'
}

/** Checks every tenth character: ten digits in a row include one of them. */
function hasTenDigits(text: string): boolean {
  for (let at = 9; at < text.length; at += 10) {
    if (!isDigit(text, at)) continue
    let start = at
    while (isDigit(text, start - 1)) start -= 1
    let end = at + 1
    while (end - start < 10 && isDigit(text, end)) end += 1
    if (end - start >= 10) return true
  }
  return false
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

export function redactShapes(text: string): string {
  return shapes.reduce((line, [shape, mark]) => line.replace(shape, mark), redact(text))
}
