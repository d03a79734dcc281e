import { fromReference, type Prefix, prefixes } from '../base/ids.js'
import { requestLogLimits } from './limits.js'

/** Prefixes of references that a log can be searched by. */
const searched = new Set<string>(
  Object.values(prefixes).filter(
    (prefix) =>
      prefix !== prefixes.merchant &&
      prefix !== prefixes.apiKey &&
      prefix !== prefixes.position &&
      prefix !== prefixes.requestLog,
  ),
)
const prefixLengths = [...new Set([...searched].map((prefix) => prefix.length))]
const idLength = 26
const sessionPrefix = 'cs_'
const sessionTailLength = 13

/** The answer of a list: it is about all of its items, not about one of them. */
const listAnswer = /^\{"status":true,"message":"[^"]{0,100}","data":\{"items":\[/

/**
 * Ids of the resources that a request is about: those that its path names, and those that its
 * answer names unless that is a list. Reads the start of the answer; the number of ids is bounded.
 */
export function findResourceIds(path: string, answer: string): string[] {
  const { bodyLengthMax, resourcesPerEntryMax } = requestLogLimits
  const ids = new Set<string>()
  collectIds(path, ids)
  if (!listAnswer.test(answer)) collectIds(answer.slice(0, bodyLengthMax), ids)
  return [...ids].slice(0, resourcesPerEntryMax)
}

/** Checks underscores only: a text has few of them. */
function collectIds(text: string, ids: Set<string>): void {
  const { resourcesPerEntryMax } = requestLogLimits
  let at = text.indexOf('_')
  while (at !== -1 && ids.size < resourcesPerEntryMax) {
    const id = idAround(text, at)
    if (id) ids.add(id)
    at = text.indexOf('_', at + 1)
  }
}

/** The id of the reference whose underscore is here. */
function idAround(text: string, underscore: number): string | undefined {
  const end = underscore + 1
  for (const length of prefixLengths) {
    const start = end - length
    if (start < 0 || isWordCharacter(text, start - 1)) continue
    const prefix = text.slice(start, end)
    if (prefix === sessionPrefix) return idOfSession(text, end)
    if (searched.has(prefix) && !isWordCharacter(text, end + idLength))
      return fromReference(prefix as Prefix, text.slice(start, end + idLength))
  }
  return undefined
}

/**
 * The reference of a checkout session is its id, followed by 64 random bits. The 26th character has
 * the last three bits of the id and the first two random bits.
 */
function idOfSession(text: string, start: number): string | undefined {
  const end = start + idLength + sessionTailLength
  if (isWordCharacter(text, end) || text.length < end) return undefined
  const last = base32.indexOf(text[start + idLength - 1]!)
  if (last === -1) return undefined
  const head = text.slice(start, start + idLength - 1)
  return fromReference(prefixes.position, `${prefixes.position}${head}${base32[last & 0b11100]}`)
}

const base32 = '0123456789abcdefghjkmnpqrstvwxyz'

function isWordCharacter(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95
  )
}
