import Type, { type Static } from 'typebox'
import { emailPattern, phonePattern } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import type { Detail } from '../../base/refusal.js'
import { kycLimits } from '../limits.js'
import { visible } from '../settings/settings-document.js'

const closed = { additionalProperties: false }

export const businessTypes = ['sole_trader', 'business_name', 'company', 'non_profit'] as const
export const documentKinds = ['registration', 'identity', 'address', 'other'] as const
export type DocumentKind = (typeof documentKinds)[number]

/** Null: not filled in yet. A draft may lack everything; see `findMissing`. */
const orEmpty = (pattern: { pattern: string; maxLength?: number; format?: string }) =>
  Type.Union([Type.String(pattern), Type.Null()])
const line = orEmpty({ ...visible, maxLength: limits.names.length })
const words = orEmpty({ ...visible, maxLength: kycLimits.textLengthMax })

export const datePattern = '^(19|20)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$'
export const websitePattern = '^https?://[^\\s\\u0000-\\u001f\\u007f]{4,200}$'
export const bvnPattern = '^\\d{11}$'

const Person = Type.Object(
  {
    name: line,
    position: Type.Union([Type.Enum(['owner', 'director'], { type: 'string' }), Type.Null()]),
    dateOfBirth: orEmpty({ pattern: datePattern }),
    /** Bank verification number. */
    bvn: orEmpty({ pattern: bvnPattern }),
    sharePercent: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()]),
  },
  closed,
)

/** What a merchant states about its business before the operator opens live mode. */
export const KycForm = Type.Object(
  {
    business: Type.Object(
      {
        legalName: line,
        type: Type.Union([Type.Enum([...businessTypes], { type: 'string' }), Type.Null()]),
        registrationNumber: line,
        taxNumber: line,
        address: words,
        city: line,
        state: line,
        website: orEmpty({ pattern: websitePattern }),
        description: words,
      },
      closed,
    ),
    contact: Type.Object(
      {
        name: line,
        email: orEmpty({ pattern: emailPattern, maxLength: limits.checkout.emailLengthMax }),
        phone: orEmpty({ pattern: phonePattern }),
      },
      closed,
    ),
    people: Type.Array(Person, { maxItems: kycLimits.peopleMax }),
  },
  closed,
)
export type KycForm = Static<typeof KycForm>

export const emptyForm: KycForm = {
  business: {
    legalName: null,
    type: null,
    registrationNumber: null,
    taxNumber: null,
    address: null,
    city: null,
    state: null,
    website: null,
    description: null,
  },
  contact: { name: null, email: null, phone: null },
  people: [],
}

/** What a form lacks before it can be submitted. Websites and tax numbers are optional. */
export function findMissing(form: KycForm, documents: { kind: DocumentKind }[]): Detail[] {
  const { business, contact, people } = form
  const isRegistered = business.type !== 'sole_trader'
  const needed: [string, string | null][] = [
    ['business.legalName', business.legalName],
    ['business.type', business.type],
    ...(isRegistered
      ? [['business.registrationNumber', business.registrationNumber] as [string, string | null]]
      : []),
    ['business.address', business.address],
    ['business.city', business.city],
    ['business.state', business.state],
    ['business.description', business.description],
    ['contact.name', contact.name],
    ['contact.email', contact.email],
    ['contact.phone', contact.phone],
    ...people.flatMap((person, index): [string, string | null][] => [
      [`people.${index}.name`, person.name],
      [`people.${index}.position`, person.position],
      [`people.${index}.dateOfBirth`, person.dateOfBirth],
      [`people.${index}.bvn`, person.bvn],
    ]),
  ]
  const missing = needed.filter(([, value]) => value === null).map(([field]) => field)
  if (people.length === 0) missing.push('people')
  const neededKinds: DocumentKind[] = ['identity', 'address']
  if (isRegistered) neededKinds.unshift('registration')
  const absent = neededKinds.filter((kind) => !documents.some((document) => document.kind === kind))
  return [
    ...missing.map((field) => ({ field, issue: 'is required' })),
    ...absent.map((kind) => ({ field: `documents.${kind}`, issue: 'is required' })),
  ]
}
