import Type, { type Static } from 'typebox'
import { emailPattern, phonePattern } from '../../../base/contact-patterns.js'
import { prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { referenceSample, withExample } from '../../../base/shapes.js'
import {
  forgetCustomerOfAccounts,
  lockAccountsOfCustomer,
} from '../../../collections/accounts/customer-accounts.js'
import { customerExport, exportCustomer } from '../../../collections/payments/export-customer.js'
import {
  type CustomerChange,
  changeCustomer,
  createCustomer,
} from '../../../customers/change-customer.js'
import { withCredit } from '../../../customers/credit/customer-credit.js'
import { eraseCustomer } from '../../../customers/erase-customer.js'
import { customer, showCustomer } from '../../../customers/resource.js'
import { customerList, getCustomer } from '../../../customers/store-customers.js'
import { visible } from '../../../merchants/settings/settings-document.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { metadataIn, readMetadata } from '../../parse/metadata.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { closed, inPath, plainText, timeFilters } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'
import { customerStatement } from './statement.js'

const path = '/v1/customers'
const base = { access: 'secret', tag: 'Customers' } as const
const see = { ...base, permission: 'customers.see' } as const
const change = { ...base, permission: 'customers.change' } as const
const params = inPath('reference', referenceSample(prefixes.customer))

export function customerRoutes(api: ApiParts): Route[] {
  return [
    create(api),
    list(api),
    read(api),
    update(api),
    erase(api),
    customerStatement(api),
    exportAll(api),
  ]
}

const shortText = (example: string, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.names.length,
    pattern: plainText,
    description,
    examples: [example],
  })

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: limits.names.length,
    ...visible,
    description: 'Name of the customer.',
    examples: ['Ada Obi'],
  }),
  email: Type.String({
    maxLength: 254,
    pattern: emailPattern,
    description: 'Where invoices and receipts are sent.',
    examples: ['ada@example.com'],
  }),
  phone: Type.String({
    pattern: phonePattern,
    description: 'Phone number: 7 to 15 digits, `+` first if it has a country code.',
    examples: ['+2348012345678'],
  }),
  externalReference: shortText(
    'customer-77',
    'Your own name for the customer, unique among your customers.',
  ),
}

const createBody = withExample(
  closed({
    name: fields.name,
    email: Type.Optional(fields.email),
    phone: Type.Optional(fields.phone),
    externalReference: Type.Optional(fields.externalReference),
    metadata: Type.Optional(metadataIn),
  }),
  { name: 'Ada Obi', email: 'ada@example.com', externalReference: 'customer-77' },
)

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    operation: 'createCustomer',
    summary: 'Create a customer',
    description:
      'A payer that you invoice repeatedly: invoices are made out to customers, and dedicated accounts and wallets can belong to one. Identity numbers are not stored here.',
    body: createBody,
    answers: { 201: customer },
    refusals: withReasons('validation_failed', 'duplicate_reference'),
    handle(request) {
      const { environment, now, body } = request
      const { name, email = null, phone = null, externalReference = null } = body
      const metadata = readMetadata(request)
      const environmentId = environment.id
      return api.change(
        request,
        (tx, realNow) =>
          createCustomer(
            tx,
            { now, realNow },
            { environmentId, name, email, phone, externalReference, metadata },
          ),
        (created) => successText(201, 'Customer created', showCustomer(created)),
      )
    },
  })

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...see,
    path,
    operation: 'listCustomers',
    summary: 'List customers',
    description: 'Returns customers, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Customers',
    filters: {
      q: Type.Optional(
        shortText('ada', 'External reference, e-mail address, phone number, or words of a name.'),
      ),
      ...timeFilters,
    },
    item: customer,
    columns: csvColumns(
      'reference',
      'createdAt',
      'name',
      'email',
      'phone',
      'externalReference',
      'erasedAt',
    ),
    cursor: cursorOf(prefixes.customer),
    toFilter: ({ query }) => ({ ...readTimeRange(query), text: query.q }),
    rows: customerList,
    show: showCustomer,
  })

const read = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getCustomer',
    summary: 'Retrieve a customer',
    description: 'Returns the customer.',
    params,
    answers: { 200: customer },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getCustomer(db, { environmentId: environment.id, reference })
      const [shown] = await withCredit(db, [found])
      return successText(200, 'Customer', showCustomer(shown!))
    },
  })

const orNone = (schema: typeof fields.email) => Type.Optional(Type.Union([schema, Type.Null()]))

const updateBody = withExample(
  closed({
    name: Type.Optional(fields.name),
    email: orNone(fields.email),
    phone: orNone(fields.phone),
    externalReference: orNone(fields.externalReference),
    metadata: Type.Optional(metadataIn),
  }),
  { phone: '+2348012345678' },
)

const erased = withReasons('customer_failed', 'invalid_state')

const update = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: `${path}/:reference`,
    operation: 'changeCustomer',
    summary: 'Change a customer',
    description: 'Changes what is sent; null removes a value. Metadata is replaced as a whole.',
    params,
    body: updateBody,
    answers: { 200: customer },
    refusals: ['not_found', ...erased, ...withReasons('validation_failed', 'duplicate_reference')],
    handle(request) {
      const { environment, params, body } = request
      return api.change(
        request,
        (tx) =>
          changeCustomer(
            tx,
            { environmentId: environment.id, reference: params.reference },
            readChange(body, request),
          ),
        (changed) => successText(200, 'Customer changed', showCustomer(changed)),
      )
    },
  })

function readChange(
  { metadata, ...sent }: Static<typeof updateBody>,
  request: { bodyText: string },
): CustomerChange {
  const read = metadata === undefined ? {} : { metadata: readMetadata(request) }
  return { ...(sent as CustomerChange), ...read }
}

const erase = (api: ApiParts) =>
  route({
    ...change,
    method: 'DELETE',
    path: `${path}/:reference`,
    operation: 'eraseCustomer',
    summary: 'Erase a customer',
    description:
      'Replaces name, e-mail address, phone number, external reference and metadata for good, also in checkout sessions for its invoices, and ends its schedules. Invoices and payments stay, without them. Repeating it changes nothing. It is refused while a legal hold of the operator keeps the data.',
    params,
    answers: { 200: customer },
    refusals: ['not_found', ...erased],
    handle(request) {
      const { environment, now, params } = request
      return api.change(
        request,
        async (tx) => {
          const name = { environmentId: environment.id, reference: params.reference }
          const found = await getCustomer(tx, name)
          await lockAccountsOfCustomer(tx, found)
          const gone = await eraseCustomer(tx, now, found)
          forgetCustomerOfAccounts(tx, gone)
          return gone
        },
        (gone) => successText(200, 'Customer erased', showCustomer(gone)),
      )
    },
  })

const exportAll = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference/export`,
    alsoNeeds: ['payments.see'],
    shows: ['customer', 'payment', 'checkout_session'],
    isExport: true,
    stepUp: 'live',
    operation: 'exportCustomer',
    summary: 'Export a customer',
    description:
      'Returns all that is known of the customer as one document, for a person who asks for it: name and addresses, accounts, invoices, payments with their senders, checkout sessions and credit. Besides `customers.see`, it needs `payments.see`; members need `exports.make`, too.',
    params,
    answers: { 200: customerExport },
    refusals: ['not_found'],
    isHeavy: true,
    async handle(request) {
      const { environment, now, params } = request
      const owner = await getCustomer(db, {
        environmentId: environment.id,
        reference: params.reference,
      })
      return successText(200, 'Customer', await exportCustomer(db, now, owner))
    },
  })
