import type { ProxiedAnswer } from '../../support/mutating-proxy.js'
import type { Random } from '../../support/seed.js'

/**
 * Changes answers as a provider might that adds words, leaves fields out or writes them in another
 * way. It never lies: an amount, a reference or a status is not replaced by another valid one.
 */

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Holder = Json[] | { [name: string]: Json }

/** A value in the body, by what holds it. */
type Place = { holder: Holder; key: string | number; value: Json }

const unknownWords = [
  'A_WORD_OF_TOMORROW',
  'a word of tomorrow',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'N/A',
  'null',
  '',
  ' ',
  'Mock Bank',
  'Flutterwave MFB',
]

const oddTimes: Json[] = [
  'N/A',
  '0000-00-00 00:00:00',
  '17/11/2026',
  'Tue Nov 17 2026',
  '20261117',
  '5',
  1,
  1_794_900_000,
  '+275760-09-13T00:00:00.000Z',
  '-000044-03-15T00:00:00.000Z',
  '9999-99-99T99:99:99Z',
]

/** None of them is an amount. */
const oddAmounts = ['1e30', 'NaN', '12,34', '0.00001', '₦100', `${'9'.repeat(40)}`, '--5', '0x10']

const bodies = [
  '',
  ' ',
  'null',
  'true',
  '[]',
  '{}',
  '"ok"',
  '[[]]',
  '{"status":',
  '<html><body>Bad gateway</body></html>',
  '{"timestamp":"2026-11-17T10:00:00.000+0000","status":404,"error":"Not Found","path":"/"}',
]

const statuses = [202, 204, 302, 400, 403, 404, 409, 418, 422, 429, 500, 503]

/** Long and hard to compress: an index cannot hold it. */
function longText(random: Random): string {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
  return Array.from({ length: random.pick([300, 9_000]) }, () => random.pick([...letters])).join('')
}

export function mutateAnswer(random: Random, answer: ProxiedAnswer): ProxiedAnswer {
  const kind = random.integer(1, 20)
  if (kind === 1) return { status: answer.status, body: random.pick(bodies) }
  if (kind === 2) return { status: random.pick(statuses), body: answer.body }
  return { status: answer.status, body: mutateJson(random, answer.body) }
}

/** Changes one to three values of a JSON text. Another text stays as it is. */
export function mutateJson(random: Random, text: string): string {
  let body: Json
  try {
    body = JSON.parse(text) as Json
  } catch {
    return text
  }
  const count = random.integer(1, 3)
  for (let index = 0; index < count; index += 1) {
    const places = placesIn(body)
    if (places.length > 0) mutatePlace(random, random.pick(places))
  }
  return JSON.stringify(body)
}

function placesIn(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.entries(value).map(([key, held]): Place => {
    return { holder: value, key: Array.isArray(value) ? Number(key) : key, value: held }
  })
  return [...own, ...own.flatMap((place) => placesIn(place.value))]
}

function mutatePlace(random: Random, { holder, key, value }: Place): void {
  const set = (next: Json) => {
    // An assignment to `__proto__` would set no field.
    Object.defineProperty(holder, key, {
      value: next,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  const kind = random.integer(1, 8)
  if (kind === 1) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete holder[key]
  } else if (kind === 2) set(null)
  else if (kind === 3) set(otherType(random, value))
  else if (typeof value === 'number') set(random.pick([String(value), ...oddAmounts]))
  else if (typeof value !== 'string') set(random.pick<Json>(['', [], {}, 0, unknownWords[0]!]))
  else if (isAmount(value)) set(random.pick([...oddAmounts, ` ${value}`, `${value}\0`]))
  else if (isTime(value)) set(random.pick(oddTimes))
  else if (isOurs(value)) set(random.pick([`${value}\0`, ` ${value}`, `${value}\ud800`, '', 0]))
  else if (kind === 4) set(longText(random))
  else if (kind === 5)
    set(random.pick([`${value}\0`, `\ud800${value}`, `${value}\udc00`, `${value}\n\u202e\u0007😀`]))
  else set(random.pick(unknownWords))
}

/** A reference that the provider repeats. */
const isOurs = (text: string) => /^(va|da|bt|rf|ret)-[a-z0-9]{20}/.test(text)
const isAmount = (text: string) => /^-?\d+(\.\d+)?$/.test(text)
const isTime = (text: string) => /\d{2,4}[-/]\d{2}[-/]\d{2,4}[ T]\d/.test(text)

/** The types of fields that readers take for granted. */
function otherType(random: Random, value: Json): Json {
  const others: Json[] = [
    true,
    false,
    [],
    {},
    [value],
    { value },
    { toString: 'x', valueOf: 1 },
    { length: 3 },
    typeof value === 'number' ? String(value) : null,
  ]
  return random.pick(others)
}
