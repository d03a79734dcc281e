import { redact } from '../log.js'

/** What a field may show of its value, told by its name. */
export type Rule = 'plain' | 'secret' | 'number' | 'person' | 'email' | 'reference'

/** Names are compared without case, dashes and underscores. */
const rulesByName: [RegExp, Rule][] = [
  [/secret|passw|passphrase|authorization|cookie/, 'secret'],
  [/(api|private|access|encryption|signing)key$|token$|^(seed|mnemonic)/, 'secret'],
  [/^(pin|otp|cvv2?|cvc2?)$/, 'secret'],
  [/(account|card|phone|mobile|passport|identity)(number|no)$/, 'number'],
  [/^(nuban|iban|bvn|nin|ssn|pan|card|phone|mobile|telephone|msisdn)$/, 'number'],
  [/email(address)?$/, 'email'],
  [/^((account|customer|first|last|middle|full|sender|recipient|payer)?name|surname)$/, 'person'],
  [/(^beneficiary|^holder|^accountholder|^birth|^maiden)name$/, 'person'],
  [/^(reference|id)$|amount|balance|fee$|debit$|(reference|id|signature|address)$/, 'reference'],
]

/** Callers choose names in metadata, and there is no end of them. */
const namesRemembered = 1_000
const remembered = new Map<string, Rule>()

export function ruleOf(name: string): Rule {
  const known = remembered.get(name)
  if (known) return known
  const plainName = name.replace(/[_\-\s]/g, '').toLowerCase()
  const rule = rulesByName.find(([pattern]) => pattern.test(plainName))?.[1] ?? 'plain'
  if (remembered.size < namesRemembered) remembered.set(name, rule)
  return rule
}

export const hidden = '[secret]'

export function redactValue(rule: Rule, value: string): string {
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

/**
 * One of these stands in every text that is changed below. Parts of words, since every text is
 * searched for them: whole ones took twice as long.
 */
const traces = /@|:\/\/|\d{10}|k[_e]|whs|pass|uth|cret|rer|eyj|flw/i

export function mayHide(text: string): boolean {
  return traces.test(text)
}

/** Parts of the names above, and escapes, which may hide any name. */
const nameTraces =
  /\\|ook|seed|nem|cv|mber|name|mail|hone|obil|msis|ssn|bvn|(pin|otp|no|ban|pan|nin|card)"/i

/**
 * Whether it is worth reading a body token by token: most hide nothing, and it is them that must
 * not cost their senders time.
 */
export function mayHideByName(text: string): boolean {
  return traces.test(text) || nameTraces.test(text)
}

/**
 * Text without names to go by, such as a message: whatever looks like a secret, an address of a
 * mailbox or the number of an account, a telephone or a card. Bounded repeats keep a hostile text
 * from taking longer than a long one.
 */
export function redactText(text: string): string {
  if (!mayHide(text)) return text
  return redactShapes(text).replace(/(?<![\w.])\d{10,19}(?![\w]|\.\d)/g, maskNumber)
}

/** References and amounts may be nothing but digits. */
function redactReference(text: string): string {
  return mayHide(text) ? redactShapes(text) : text
}

function redactShapes(text: string): string {
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
