import { Ajv, type ErrorObject } from 'ajv'
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify'
import Type, { type TObject, type TSchema } from 'typebox'
import { emailPattern, phonePattern } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import { type Detail, quoteInput, Refusal } from '../../base/refusal.js'
import { slugPattern } from '../../collections/links/link.js'
import { keyPattern } from '../../idempotency/key.js'
import { maskedNumberPattern } from '../../merchants/settings/default-customer.js'
import {
  coinActions,
  colour,
  isVisible,
  origin,
  picture,
  timeOfDay,
  visibleLines,
  visibleText,
} from '../../merchants/settings/settings-document.js'
import {
  decimalPattern,
  formatWithKobo,
  parseDecimal,
  positiveDecimalPattern,
} from '../../money/amounts.js'
import { percentPattern } from '../../money/percent.js'
import { addressIssue, addressPattern } from '../../money/solana-address.js'
import { requestIdPattern } from '../server/request-id.js'
import { findNearestField } from './nearest-field.js'
import { quantityPattern, seriesPattern } from './read-invoice.js'
import { dateIssue, datePattern, timeIssue, timePattern } from './read-time.js'
import { noAddress, webhookUrlPattern, webUrlIssue, webUrlPattern } from './read-web-url.js'
import {
  accountNumberPattern,
  bankCodePattern,
  cursorPattern,
  identityNumberPattern,
  plainText,
  statusPattern,
} from './schemas.js'

/** No coercion in bodies: `"500"`, `true` and `null` are not integers. */
const strict = new Ajv({ allErrors: true, discriminator: true, verbose: true, strict: false })

// All stablecoins have six digits after the point, so USDC stands for all.
strict.addFormat('amount', (text) => typeof parseDecimal(text, 'USDC') === 'bigint')
strict.addFormat('visible-text', isVisible)

type Validate = ReturnType<typeof strict.compile>

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'querystring') return compileQuery(schema)
  if (httpPart === 'body' && Type.IsOptional(schema)) return compileOptional(schema)
  return compile(httpPart === 'headers' ? withLowerCaseNames(schema) : schema)
}

/** Validators by the schema as text: many operations have the same headers and parameters. */
const compiled = new Map<string, Validate>()

function compileOnce(schema: TSchema): Validate {
  const text = JSON.stringify(schema)
  const validate = compiled.get(text) ?? strict.compile(schema)
  compiled.set(text, validate)
  return validate
}

/** Compiles on first use: compiling all schemas would take a seventh of the start-up time. */
function compile(schema: TSchema): Validate {
  let validate: Validate | undefined
  const check = (value: unknown) => {
    validate ??= compileOnce(schema)
    const isValid = validate(value)
    wrapped.errors = validate.errors
    return isValid
  }
  const wrapped = check as Validate
  return wrapped
}

/** Query values are text, so plain whole numbers are converted; `1e1` is not one. */
function compileQuery(schema: TSchema): Validate {
  const { properties = {} } = schema as Partial<TObject>
  const numbers = Object.keys(properties).filter(
    (name) => (properties[name] as { type?: string }).type === 'integer',
  )
  const validate = compile(schema)
  const check = (query: Record<string, unknown>) => {
    for (const name of numbers) {
      const text = query[name]
      if (typeof text === 'string' && /^-?(0|[1-9]\d{0,14})$/.test(text)) query[name] = Number(text)
    }
    const isValid = validate(query)
    wrapped.errors = validate.errors
    return isValid
  }
  const wrapped = check as Validate
  return wrapped
}

/** Fastify passes a missing body as null. */
function compileOptional(schema: TSchema): Validate {
  const validate = compile(schema)
  const check = (body: unknown) => {
    const isValid = body === null || validate(body)
    wrapped.errors = isValid ? null : validate.errors
    return isValid
  }
  const wrapped = check as Validate
  return wrapped
}

/** Node passes headers in lower case, so the schema must use that too. */
function withLowerCaseNames(schema: TSchema): TSchema {
  const { properties = {}, required = [] } = schema as Partial<TObject>
  const lowered = Object.entries(properties).map(([name, field]) => [name.toLowerCase(), field])
  return {
    ...schema,
    properties: Object.fromEntries(lowered),
    required: required.map((name) => name.toLowerCase()),
  }
}

/** What to print instead of a pattern. */
export const patternIssues: Record<string, string> = {
  [keyPattern]: 'must be 1 to 255 printable ASCII characters',
  [decimalPattern]: 'must be a decimal number such as "25.50"',
  [percentPattern]:
    'must be a percentage in a string such as "12.5", above 0 and up to 100, with at most 2 decimals',
  [quantityPattern]: 'must be a quantity such as "1.5", with at most 3 decimals',
  [seriesPattern]: 'must be 1 to 12 capital letters and digits, a letter first',
  [slugPattern]: 'must be small letters and digits, with single hyphens between them',
  [positiveDecimalPattern]: 'must be more than zero, with at most 6 decimal places',
  [timePattern]: timeIssue,
  [datePattern]: dateIssue,
  [webUrlPattern]: noAddress,
  [webhookUrlPattern]:
    'must be an absolute URL such as https://example.com/webhooks, without a user name, password or fragment',
  [cursorPattern]: 'must be the nextCursor of the previous page',
  [addressPattern]: addressIssue,
  [visibleText]: 'must contain visible characters and no control characters',
  [visibleLines]:
    'must contain visible characters and no control characters other than line breaks',
  [emailPattern]: 'must be an email address such as ada@example.com',
  [bankCodePattern]: 'must be 3 to 9 digits or letters',
  [accountNumberPattern]: 'must be 10 digits',
  [identityNumberPattern]: 'must be 11 digits',
  [maskedNumberPattern]: 'must be 11 digits',
  [phonePattern]: 'must be a phone number such as +2348012345678',
  [plainText]: 'must not contain control characters',
  [statusPattern]: 'must be a status such as 422 or a class such as 4xx',
  [requestIdPattern]: 'must be 1 to 100 letters, digits and any of _ . : -',
  [colour]: 'must be a colour such as #0a7d4f',
  [timeOfDay]: 'must be a time of day such as 06:00',
  [picture]: 'must be a PNG, JPEG or WebP image as a data: URL in base64',
  [origin]:
    'must be an origin such as https://shop.example, with a port if it needs one and without a path',
}

const places = {
  body: 'The body',
  querystring: 'The query',
  params: 'The path',
  headers: 'A header',
}

/** One refusal that says for every field what to change. */
export function toValidationRefusal(
  errors: FastifySchemaValidationError[],
  place: string | undefined,
): Refusal {
  const useful = keepClosestForm(errors as ErrorObject[]).filter(isUseful)
  const details = useful
    .slice(0, limits.http.detailsShownMax)
    .map((error) => toDetail(error, place))
  const unique = details.filter(
    (detail, index) => details.findIndex((other) => other.field === detail.field) === index,
  )
  const where = places[(place ?? 'body') as keyof typeof places]
  const issues = unique.map(({ field, issue }) =>
    field ? `${field} ${issue}` : `${where} ${issue}`,
  )
  const named = unique.filter(({ field }) => field)
  return new Refusal('validation_failed', {
    message: `${issues.join('; ')}.`,
    ...(named.length > 0 && { details: named }),
  })
}

/** For a union, keeps only the errors of the variant that the value is closest to. */
function keepClosestForm(errors: ErrorObject[]): ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf')
  return choices.reduce((remaining, { schemaPath, instancePath }) => {
    const start = `${schemaPath}/`
    const formOf = (error: ErrorObject) =>
      error.schemaPath.startsWith(start) && error.instancePath.startsWith(instancePath)
        ? error.schemaPath.slice(start.length).split('/')[0]!
        : undefined
    const misfits = new Map<string, number>()
    for (const error of remaining) {
      const form = formOf(error)
      if (form === undefined) continue
      const isOwn = error.instancePath === instancePath
      misfits.set(form, (misfits.get(form) ?? 0) + (isOwn ? misfitOf(error) : 0))
    }
    const least = Math.min(...misfits.values())
    return remaining.filter((error) => {
      const form = formOf(error)
      return form === undefined || misfits.get(form) === least
    })
  }, errors)
}

/** A value of another type is furthest; an unknown field is a small difference. */
function misfitOf({ keyword }: ErrorObject): number {
  if (keyword === 'type') return 1_000
  return keyword === 'additionalProperties' ? 1 : 0
}

/** Wrappers only repeat that something inside them failed. */
function isUseful(error: ErrorObject): boolean {
  return !['anyOf', 'oneOf', 'if'].includes(error.keyword)
}

function toDetail(error: ErrorObject, place: string | undefined): Detail {
  const path = error.instancePath.split('/').slice(1).map(plainSegment)
  const { missingProperty, additionalProperty, tag } = error.params as Record<string, string>
  const last = missingProperty ?? additionalProperty ?? tag
  const field = quoteInput([...path, ...(last ? [last] : [])].join('.'))
  if (place === 'headers') return { field: withCapitals(field), issue: issueOf(error) }
  return { field, issue: (place === 'querystring' && wholeIssue(error)) || issueOf(error) }
}

/** A header name as usually written. */
function withCapitals(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

/** Every query value is text, so naming its type would not help. */
function wholeIssue({ parentSchema }: ErrorObject): string | undefined {
  const { type, minimum, maximum, 'x-unit': unit } = parentSchema as Record<string, unknown>
  if (type !== 'integer') return undefined
  const whole = unit === 'kobo' ? 'whole number of kobo' : 'whole number'
  return `must be a ${whole} from ${minimum} to ${maximum}`
}

function plainSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

function issueOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return unknownIssue(error)
    case 'type':
      return `must be ${typeOf(error)}, not ${kindOf(error.data)}`
    case 'enum':
      return enumIssue(params.allowedValues as unknown[], error.data)
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'discriminator':
      return oneOf(tagsOf(error))
    case 'format':
      return params.format === 'amount' ? amountIssue(error) : patternIssues[visibleText]!
    case 'maxLength':
      return (error.parentSchema as { format?: string }).format === 'amount'
        ? amountIssue(error)
        : `must not have more than ${params.limit} characters`
    case 'pattern':
      if (params.pattern === positiveDecimalPattern) return amountIssue(error)
      if (params.pattern === webUrlPattern) return webUrlIssue(String(error.data)) ?? noAddress
      return patternIssues[String(params.pattern)] ?? 'has an invalid format'
    case 'minLength':
      if (params.limit === 1) return 'must not be empty'
      return `must have at least ${params.limit} characters`
    case 'minimum':
      return `must be at least ${showBound(error)}`
    case 'maximum':
      return `must be at most ${showBound(error)}`
    default:
      return (error.message ?? 'is not valid').replace('must NOT', 'must not')
  }
}

/** Fields that were sent too are not suggested. */
function unknownIssue({ params, parentSchema, data }: ErrorObject): string {
  const { additionalProperty } = params as { additionalProperty: string }
  const { properties = {} } = parentSchema as { properties?: object }
  const fields = Object.keys(properties).filter((name) => !Object.hasOwn(data as object, name))
  const nearest = findNearestField(additionalProperty, fields)
  return nearest
    ? `is not a field of this request (did you mean ${nearest}?)`
    : 'is not a field of this request; remove it'
}

/** An amount names its unit: naira are integers in kobo, coins are decimals in a string. */
function typeOf({ params, parentSchema }: ErrorObject): string {
  const { 'x-unit': unit } = parentSchema as { 'x-unit'?: string }
  if (unit === 'kobo') return 'an integer in kobo'
  if (unit === 'coin') return 'a decimal in a string such as "25.50"'
  return article(String((params as { type: unknown }).type))
}

/** A bound of a naira amount names its unit. */
function showBound({ params, parentSchema }: ErrorObject): string {
  const { limit } = params as { limit: number }
  const { 'x-unit': unit } = parentSchema as { 'x-unit'?: string }
  return unit === 'kobo' ? formatWithKobo(BigInt(limit)) : String(limit)
}

function amountIssue({ data }: ErrorObject): string {
  const amount = parseDecimal(String(data), 'USDC')
  return typeof amount === 'bigint' ? 'is not valid' : amount.issue
}

function oneOf(values: unknown[]): string {
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
}

/** `return` works for bank payments, so a refusal for coins has the reason. */
function enumIssue(values: unknown[], data: unknown): string {
  const issue = oneOf(values)
  const isCoinReturn = data === 'return' && values.join() === coinActions.join()
  return isCoinReturn ? `${issue}: a return of coins needs a destination` : issue
}

function tagsOf(error: ErrorObject): unknown[] {
  const { oneOf = [] } = error.parentSchema as { oneOf?: TSchema[] }
  const { tag } = error.params as { tag: string }
  return oneOf.flatMap((option) => {
    const { properties } = option as { properties: Record<string, { const?: unknown; enum?: [] }> }
    const field = properties[tag]!
    return field.enum ?? [field.const]
  })
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  // A long number may be an identity or account number, which must not be repeated.
  const isShort = typeof value === 'number' && Math.abs(value) < 1e9
  return isShort ? `${value}` : article(typeof value)
}

function article(kind: string): string {
  const kinds = kind.split(',').map((type) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`))
  return kinds.join(' or ').replace('a null', 'null')
}
