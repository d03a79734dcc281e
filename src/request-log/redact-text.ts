import { redact } from '../base/log.js'
import { createTrace } from './trace.js'

/** What a field may show of its value, told by its name. */
export type RedactionRule = 'plain' | 'secret' | 'number' | 'person' | 'email' | 'reference'

/** One word after each of the others. */
function after(word: string, ...befores: string[]): string[] {
  return befores.map((before) => `${before}${word}`)
}

const numbered = ['account', 'card', 'phone', 'mobile', 'passport', 'identity']
const keys = after('key', 'api', 'private', 'access', 'encryption', 'signing')
const secretWords = ['secret', 'passw', 'passphrase', 'authorization', 'cookie']

/**
 * Names are compared without case, dashes, underscores and spaces. A quotation mark is where one
 * begins or ends, as it does in JSON.
 */
const wordsByRule: [RedactionRule, string[]][] = [
  ['secret', [...secretWords, ...[...keys, 'token'].map((end) => `${end}"`), '"seed', '"mnemonic']],
  ['secret', ['"pin"', '"otp"', '"cvv"', '"cvv2"', '"cvc"', '"cvc2"']],
  ['number', [...after('number"', ...numbered), ...after('no"', ...numbered)]],
  ['number', ['"nuban"', '"iban"', '"bvn"', '"nin"', '"ssn"', '"pan"', '"card"', '"msisdn"']],
  ['number', ['"phone"', '"mobile"', '"telephone"']],
  ['email', ['email"', 'emailaddress"']],
  ['person', after('name"', '"', '"account', '"customer', '"first', '"last', '"middle', '"full')],
  ['person', after('name"', '"sender', '"recipient', '"payer', '"sur', '"beneficiary', '"holder')],
  ['person', after('name"', '"accountholder', '"birth', '"maiden')],
  ['reference', ['amount', 'balance', ...after('"', 'fee', 'debit', 'reference', 'id')]],
  ['reference', after('"', 'signature', 'address')],
]

/** Callers choose names in metadata, and there is no end of them. */
const namesRemembered = 1_000
const remembered = new Map<string, RedactionRule>()

export function ruleOf(name: string): RedactionRule {
  const known = remembered.get(name)
  if (known) return known
  const plainName = `"${name.replace(/[_\-\s]/g, '').toLowerCase()}"`
  const isNamed = ([, words]: [RedactionRule, string[]]) =>
    words.some((word) => plainName.includes(word))
  const rule = wordsByRule.find(isNamed)?.[0] ?? 'plain'
  if (remembered.size < namesRemembered) remembered.set(name, rule)
  return rule
}

export const hidden = '[secret]'

export function redactValue(rule: RedactionRule, value: string): string {
  if (value === '') return value
  if (rule === 'secret') return hidden
  if (rule === 'number') return maskNumber(value)
  if (rule === 'person') return value.replace(/(\S)\S*/gu, '$1***')
  if (rule === 'email') return value.includes('@') ? redactText(value) : `${[...value][0]}***`
  return rule === 'reference' ? redactReference(value) : redactText(value)
}

function maskNumber(value: string): string {
  const shown = value.length >= 8 ? 4 : 0
  return '*'.repeat(value.length - shown) + value.slice(value.length - shown)
}

/** One of these, or a run of digits, stands in every text that is changed below. */
const textTraces = [
  'sktest',
  'sklive',
  'pktest',
  'pklive',
  'whsec',
  'bearer',
  '://',
  '@',
  'eyj',
  'flw',
  'secret',
  'passw',
  'passphrase',
  'authorization',
  'apikey',
  'privatekey',
  'accesskey',
  'token',
]
const numberLength = 10

/** Whether there may be something to hide in a text without names to go by. */
export const mayHide = createTrace(textTraces, numberLength)

const hidingNames = wordsByRule.flatMap(([rule, words]) => (rule === 'reference' ? [] : words))

/**
 * Whether it is worth reading a body token by token: most hide nothing, and it is them that must
 * not cost their senders time. Escapes may hide any name.
 */
export const mayHideByName = createTrace([...textTraces, ...hidingNames, '\\'], numberLength)

/**
 * Text without names to go by, such as a message: whatever looks like a secret, an address of a
 * mailbox or the number of an account, a telephone or a card. Bounded repeats keep a hostile text
 * from taking longer than a long one.
 */
export function redactText(text: string): string {
  return mayHide(text) ? redactAll(text) : text
}

/** Without looking first whether it is worth it. */
export function redactAll(text: string): string {
  return redactShapes(text).replace(/(?<![\w.])\d{10,19}(?![\w]|\.\d)/g, maskNumber)
}

/** References and amounts may be nothing but digits. */
function redactReference(text: string): string {
  return mayHide(text) ? redactShapes(text) : text
}

export function redactShapes(text: string): string {
  return shapes.reduce((line, [shape, mark]) => line.replace(shape, mark), redact(text))
}

const label =
  '(?:secret|passw|passphrase|authorization|(?:api|private|access)[_-]?key|token)[\\w-]{0,20}'

const shapes: [RegExp, string][] = [
  [/eyJ[\w-]{8,}\.[\w-]{4,}(\.[\w-]{0,})?/g, hidden],
  [/FLW(PUB|SEC)K[\w-]+/g, hidden],
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*/g, hidden],
  // JSON inside of a text, forms, queries, and JSON that is none.
  [
    new RegExp(`(${label}\\\\{0,4}["']?\\s{0,5}[:=]\\s{0,5}\\\\{0,4}["']?)[^"'\\\\\\n&]+`, 'gi'),
    `$1${hidden}`,
  ],
  [/([^\s@<>"'(),:;/=\\])[^\s@<>"'(),:;/=\\]{0,63}@(?=[^\s@])/gu, '$1***@'],
]
