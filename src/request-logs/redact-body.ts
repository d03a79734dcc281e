import { limits } from '../limits.js'
import { hidden, type Rule, redactText, redactValue, ruleOf } from './redact-text.js'

export type RedactedBody = { text: string | null; isCut: boolean }

/**
 * The start of a body without what must not be kept. Never throws, whatever the body is, and takes
 * time in proportion to what is kept: JSON is read token by token and not as a whole, which also
 * serves where it is cut. Everything that is shown stays as it was written.
 */
export function redactBody(body: string): RedactedBody {
  if (body === '') return { text: null, isCut: false }
  const { bodyLength } = limits.requestLogs
  const isLong = body.length > bodyLength
  const start = isLong ? withoutLastWord(body.slice(0, bodyLength)) : body
  const shown = redactJson(start, isLong) ?? redactText(start)
  // The database takes every character but this one. A mask may be longer than what it hides.
  const text = shown.replaceAll('\0', '\ufffd').slice(0, bodyLength)
  return { text, isCut: isLong || text.length < shown.length }
}

/** What was cut in the middle could be the half of a secret, which has no shape to be known by. */
function withoutLastWord(text: string): string {
  let end = text.length
  while (end > 0 && !/[\s{}[\],:"&;]/.test(text[end - 1]!)) end -= 1
  return text.slice(0, end)
}

/** Strings, with the colon that makes one a name; brackets; numbers and whatever else is bare. */
const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*\\?("|$)(\s*:)?|[{}[\]]|[^\s{}[\],:"]+/g
const bare = /^(-?\d[\d.eE+-]*|true|false|null)$/

/** Undefined: it is not JSON, so that names and values cannot be told from each other. */
function redactJson(text: string, isCut: boolean): string | undefined {
  let isJson = true
  let rule: Rule = 'plain'
  const around: Rule[] = []
  const redacted = text.replace(tokens, (token: string, quote?: string, colon?: string) => {
    if (token === '{' || token === '[') {
      around.push(rule)
      return token
    }
    if (token === '}' || token === ']') {
      rule = around.pop() ?? 'plain'
      return token
    }
    if (quote === undefined) {
      isJson &&= bare.test(token)
      return redactBare(rule, token)
    }
    if (quote === '') {
      isJson &&= isCut
      return ''
    }
    if (colon === undefined) return redactString(rule, token)
    const name = readString(token.slice(0, -colon.length))
    // Whatever is inside of a secret is one.
    rule = around.at(-1) === 'secret' ? 'secret' : ruleOf(name)
    const shown = redactText(name)
    return shown === name ? token : JSON.stringify(shown) + colon
  })
  return isJson ? redacted : undefined
}

function redactString(rule: Rule, token: string): string {
  const value = readString(token)
  const shown = redactValue(rule, value)
  return shown === value ? token : JSON.stringify(shown)
}

function redactBare(rule: Rule, token: string): string {
  const isNumber = token !== 'null' && token !== 'true' && token !== 'false'
  if (rule === 'secret' && isNumber) return JSON.stringify(hidden)
  return rule === 'number' && isNumber ? JSON.stringify(redactValue(rule, token)) : token
}

/** Letters may be written as escapes, and hide a name or a secret from whoever looks for it. */
function readString(token: string): string {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return JSON.parse(token) as string
  } catch {
    return token.slice(1, -1)
  }
}

/** `a=b&c=d`, where names are told as in JSON. What is masked is not encoded again: it is read. */
export function redactQuery(query: string): string | null {
  if (query === '') return null
  const { bodyLength } = limits.requestLogs
  const start = query.length > bodyLength ? withoutLastWord(query.slice(0, bodyLength)) : query
  const shown = start.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=')
    const value = rest.join('=')
    const shownName = mask(name, redactText)
    const shownValue = mask(value, (text) => redactValue(ruleOf(decode(name)), text))
    return pair.includes('=') ? `${shownName}=${shownValue}` : shownName
  })
  return shown.join('&').replaceAll('\0', '\ufffd')
}

function mask(encoded: string, redact: (text: string) => string): string {
  const text = decode(encoded)
  const shown = redact(text)
  return shown === text ? encoded : shown
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
