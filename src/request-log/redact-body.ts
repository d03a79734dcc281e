import { limits } from '../base/limits.js'
import { redactJson } from './redact-json.js'
import { mayHideByName, redactText, redactValue, ruleOf } from './redact-text.js'

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
  const isRead = isLong || mayHideByName(start)
  const shown = isRead ? (redactJson(start, isLong) ?? redactText(start)) : start
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
