import { refusals } from '../texts/refusals'
import type { ApiRefusal, FieldIssue } from './refusal'

/** What is written for programs: paths, codes, field names, types of JSON, times for machines. */
const apiWords = [
  /`|\/v1\/|\/docs\b|\bIdempotency|\byour API key\b|\brequestId\b/,
  /\b(GET|POST|PUT|PATCH|DELETE|HTTP|JSON)\b/,
  /\b[a-z]+(_[a-z0-9]+)+\b/,
  /\b[a-z]+[A-Z]\w*/,
  /\b(integer|string|boolean|array|object|null|kobo|pattern)\b/,
  /\d{4}-\d\d-\d\dT/,
  /\b(PENDING|SUBMITTED|COMPLETED|CONFIRMED|FAILED|REVERSED|HELD|ACCEPTED|RETURN(ED|ING))\b/,
  /\b(INVALID|READY|PROCESSING|VALIDATING|(IN)?ACTIVE|EXPIRED|CANCELLED|PAID|REJECTED|UPHELD)\b/,
]

/** References are for people, too: `pay_01kc3v…`. */
const reference = /\b[a-z]{2,5}_[0-9a-zA-Z]{10,}\b/g

/** Whether a text says something that only readers of the API reference understand. */
export function hasApiWords(text: string): boolean {
  const rest = text.replace(reference, '')
  return apiWords.some((words) => words.test(rest))
}

/** Naira are enough: `₦100.00 (10000 kobo)`. */
const withoutKobo = (text: string) => text.replaceAll(/ \(\d+ kobo\)/g, '')

/** Other fields and lines by the names that forms give them: `max` is “At most”. */
const withLabels = (text: string) =>
  text
    .replaceAll(/`(\w+)`/g, (name, field: string) => {
      const label = refusals.labelOf(field)
      return label ? `“${label}”` : name
    })
    .replaceAll(/\blines\.(\d+)(\.\w+)?/g, (_, index: string) => `line ${Number(index) + 1}`)

/** Completes the sentence that the label of a field begins. */
function plainIssue(issue: string): string {
  const plain = withLabels(withoutKobo(issue))
  return hasApiWords(plain) ? refusals.unknownIssue : plain
}

/** What is wrong with a field, under the label that the form gives it. */
export function describeIssue({ field, issue }: FieldIssue) {
  return { label: refusals.labelOf(field), issue: plainIssue(issue) }
}

/** The message of the server where it speaks to people, and else a sentence of the console. */
export function plainMessage({ message, code, reason, details }: ApiRefusal): string {
  const named = details.find(({ field, issue }) => message === `${field} ${issue}.`)
  const { label, issue } = named ? describeIssue(named) : {}
  if (label) return `${label} ${issue}.`
  const plain = withoutKobo(message)
  if (!named && !hasApiWords(plain)) return plain
  return refusals.sentenceOf(code, reason) ?? refusals.unknown
}
