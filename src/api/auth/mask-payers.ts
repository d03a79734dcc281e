import { prefixes } from '../../base/ids.js'
import { fieldKindOf } from '../../request-log/redact-body.js'

/** Objects, or texts, that say who paid or where money goes back to. */
const payerFields = new Set(['sender', 'customer', 'counterparty', 'destination', 'payer'])
/** Single fields that do, wherever they are. */
const namedFields = /^(sender|customer|payer)(Name|Email|Phone|AccountNumber)$/
/** Sentences that may repeat a name. */
const sentences = new Set(['title', 'subtitle', 'message', 'note'])
/** JSON in JSON: what was delivered to a webhook, and what the request log keeps. */
const documents = new Set(['payload', 'body', 'requestBody', 'responseBody'])

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
type Fields = { [name: string]: Json }
/** What was masked, by what it was. */
type Masked = Map<string, string>

/**
 * Masks names, e-mail addresses and bank account numbers of payers in an answer, for members who
 * may not see them. It works on field names, so that no route can forget it. Wallet addresses are
 * public, and stay.
 */
export function maskPayers(body: string): string {
  const masked: Masked = new Map()
  const value = maskValue(JSON.parse(body) as Json, masked, false)
  return JSON.stringify(masked.size > 0 ? maskSentences(value, masked) : value)
}

function maskValue(value: Json, masked: Masked, isPayer: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => maskValue(item, masked, isPayer))
  if (value === null || typeof value !== 'object') return value
  const fields = isHit(value) ? maskHit(value) : value
  const entries = Object.entries(fields).map(([name, field]): [string, Json] => [
    name,
    maskField({ name, field, fields }, masked, isPayer),
  ])
  return Object.fromEntries(entries)
}

type Place = { name: string; field: Json; fields: Fields }

function maskField({ name, field, fields }: Place, masked: Masked, isPayer: boolean): Json {
  // What the payer answered on the page of a payment link.
  if (isPayer && name === 'answers') return hideTexts(field)
  const isOfPayer = isPayer || payerFields.has(name) || name === 'metadata'
  if (typeof field !== 'string') return maskValue(field, masked, isOfPayer)
  if (documents.has(name)) return maskDocument(field)
  const mask = maskOf(name, isOfPayer) ?? maskOfPlace(name, fields)
  if (!mask) return field
  const shown = mask(field)
  if (shown !== field) masked.set(field, shown)
  return shown
}

function hideTexts(value: Json): Json {
  if (Array.isArray(value)) return value.map(hideTexts)
  if (value === null || typeof value !== 'object') return typeof value === 'string' ? hidden : value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, hideTexts(field)]))
}

function maskOf(name: string, isOfPayer: boolean): ((text: string) => string) | undefined {
  if (payerFields.has(name)) return maskName
  if (!isOfPayer && !namedFields.test(name)) return undefined
  const kind = fieldKindOf(name)
  if (kind === 'person') return maskName
  if (kind === 'email') return maskEmail
  return kind === 'number' ? maskNumber : undefined
}

/** Names that only the fields beside them reveal. */
function maskOfPlace(name: string, fields: Fields): ((text: string) => string) | undefined {
  // Payers write their names into it.
  if (name === 'narration' && 'sender' in fields) return () => hidden
  const reference = String(fields.reference)
  // The recipient of a refund is its payer, or was named by the payer.
  const isRefund = reference.startsWith(prefixes.paymentReturn)
  if (name === 'accountName' && (isRefund || reference.startsWith('da_'))) return maskName
  if (reference.startsWith(prefixes.claim)) return maskOfClaim[name]
  return name === 'accountNumber' && isRefund ? maskNumber : undefined
}

/** The recipient of a claim is often a payer who is refunded. */
const maskOfClaim: Partial<Record<string, (text: string) => string>> = {
  recipientName: maskName,
  email: maskEmail,
}

function maskDocument(text: string): string {
  try {
    return maskPayers(text)
  } catch {
    // Not JSON, or the start of it: the request log cuts long bodies, which have no names left.
    return text.replace(/("narration"\s*:\s*)"(?:[^"\\]|\\.)*"?/gs, `$1"${hidden}"`)
  }
}

function maskSentences(value: Json, masked: Masked): Json {
  if (Array.isArray(value)) return value.map((item) => maskSentences(item, masked))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([name, field]): [string, Json] => {
    if (typeof field !== 'string') return [name, maskSentences(field, masked)]
    return [name, sentences.has(name) ? replaceAll(field, masked) : field]
  })
  return Object.fromEntries(entries)
}

function replaceAll(text: string, masked: Masked): string {
  return [...masked].reduce((rest, [from, to]) => rest.replaceAll(from, to), text)
}

type Hit = { kind: string; title: string; subtitle: string } & Fields

/** A search result says in sentences what it found. */
function isHit(value: Fields): value is Hit {
  const { kind, title, subtitle, reference } = value
  return [kind, title, subtitle, reference].every((field) => typeof field === 'string')
}

function maskHit(hit: Hit): Fields {
  if (hit.kind === 'payment')
    return { ...hit, title: hit.title.replace(/(?<= from ).*$/s, maskName) }
  const parts = hit.subtitle.split(' · ')
  if (hit.kind === 'checkout_session') return { ...hit, subtitle: parts.map(maskPart).join(' · ') }
  if (hit.kind !== 'dedicated_account') return hit
  return { ...hit, subtitle: [...parts.slice(0, -1), maskName(parts.at(-1)!)].join(' · ') }
}

function maskPart(text: string): string {
  return text.includes('@') ? maskEmail(text) : maskName(text)
}

const hidden = '•••'

/** `Ada Obi` becomes `A••• O•••`. */
function maskName(name: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(name)) return name
  const words = name.split(/\s+/).filter((word) => word !== '')
  return words.map((word) => [...word][0] + hidden).join(' ')
}

function maskEmail(email: string): string {
  return `${[...email][0] ?? ''}${hidden}@${hidden}`
}

/** Keeps the last digits, which distinguish accounts. */
function maskNumber(number: string): string {
  return `${hidden}${number.slice(-4)}`
}
