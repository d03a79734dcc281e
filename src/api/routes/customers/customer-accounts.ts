import Type, { type Static } from 'typebox'
import { prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { invalidField } from '../../../base/refusal.js'
import { Secret } from '../../../base/secret.js'
import { referenceSample, withExample } from '../../../base/shapes.js'
import {
  type CustomerAccountKind,
  customerAccount,
  customerAccountKinds,
  listCustomerAccounts,
  showCustomerAccount,
  showCustomerAccounts,
} from '../../../collections/accounts/customer-accounts.js'
import {
  giveToCustomer,
  lockGivableAccount,
} from '../../../collections/accounts/give-to-customer.js'
import type { AccountCustomer } from '../../../collections/ports.js'
import { refuseErased } from '../../../customers/change-customer.js'
import { type Customer, customerReference } from '../../../customers/customer.js'
import { getCustomer, lockCustomer } from '../../../customers/store-customers.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { dedicatedAccountRefusals, withReasons } from '../../openapi/refusals-of.js'
import { closed, inPath, oneOf } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success, successText } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'
import { createAccount, createWallet } from '../collections/accounts.js'
import { identityNumber } from '../collections/dedicated-accounts.js'

const path = '/v1/customers/:reference/accounts'
const base = { access: 'secret', tag: 'Customers' } as const
const params = inPath('reference', referenceSample(prefixes.customer))

export function customerAccountRoutes(api: ApiParts): Route[] {
  return [list(api), add(api)]
}

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    permission: 'customers.see',
    operation: 'listCustomerAccounts',
    summary: 'List the accounts of a customer',
    description:
      'Returns the dedicated accounts and wallets of the customer, newest first. Payments into them pay its invoices.',
    params,
    answers: { 200: Type.Object({ items: Type.Array(customerAccount) }) },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const owner = await getCustomer(db, { environmentId: environment.id, reference })
      const accounts = await listCustomerAccounts(db, owner)
      return success(200, 'Accounts of the customer', showCustomerAccounts(accounts))
    },
  })

const body = withExample(
  closed({
    kind: Type.Optional(
      oneOf(
        [...customerAccountKinds],
        'Opens an account or wallet of this kind, or returns the one that the customer has.',
      ),
    ),
    account: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Reference of a dedicated account or wallet of yours, to give it instead.',
        examples: [referenceSample(prefixes.dedicatedAccount)],
      }),
    ),
    bvn: identityNumber('Bank Verification Number'),
    nin: identityNumber('National Identification Number'),
  }),
  { kind: 'dedicated_account' },
)

const add = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    stopsWhenSuspended: true,
    permission: 'customers.change',
    operation: 'giveAccountToCustomer',
    summary: 'Give a customer an account',
    description:
      'Opens a dedicated account or wallet for the customer, or gives it one that you have: send `kind`, which needs the permission `collect.create`, too, or `account`. Payments into it pay the invoices of the customer from now on: one that is due for exactly the amount, or else the oldest first. What is left becomes credit of the customer. An account that belongs to another customer is refused. The bank gets name, e-mail address and phone number of the customer, and `bvn` or `nin`, which are not stored.',
    params,
    body,
    answers: { 201: customerAccount },
    refusals: [
      'not_found',
      ...withReasons('customer_failed', 'invalid_state'),
      ...dedicatedAccountRefusals,
      ...withReasons(
        'dedicated_crypto_wallet_creation_failed',
        'duplicate_reference',
        'kyc_missing',
        'rail_unavailable',
      ),
    ],
    async handle(request) {
      const { kind, account } = request.body
      if ((kind === undefined) === (account === undefined))
        throw invalidField('kind', 'must be sent, or else `account`')
      const name = { environmentId: request.environment.id, ...request.params }
      const owner = await getCustomer(api.db, name)
      refuseErased(owner)
      if (account !== undefined) return give(api, request, account)
      if (!request.permissions.has('collect.create')) throw refuseUnseen(request, 'collect.create')
      return open(api, request, { owner, kind: kind as CustomerAccountKind })
    },
  })

type AddRequest = RouteRequest<Static<typeof body>, unknown, { reference: string }>

function give(api: ApiParts, request: AddRequest, reference: string) {
  const { environment, params } = request
  const environmentId = environment.id
  return api.change(
    request,
    async (tx) => {
      const account = await lockGivableAccount(tx, { environmentId, reference })
      const owner = await lockCustomer(tx, { environmentId, reference: params.reference })
      refuseErased(owner)
      giveToCustomer(tx, account, owner.id)
      return account
    },
    (account) => successText(201, 'Account given', showCustomerAccount(account)),
  )
}

/** One of a kind: its external reference is that of the customer, and is unique. */
async function open(
  api: ApiParts,
  request: AddRequest,
  { owner, kind }: { owner: Customer; kind: CustomerAccountKind },
) {
  const accounts = await listCustomerAccounts(api.db, owner)
  const existing = accounts.find((account) => account.kind === kind && account.status === 'ACTIVE')
  if (existing)
    return api.change(
      request,
      async () => existing,
      (account) => successText(201, 'Account of the customer', showCustomerAccount(account)),
    )
  const wanted = {
    merchantReference: customerReference(owner),
    metadata: toJson({}),
    expected: null,
    owner: { customerId: owner.id, invoiceId: null },
    chosenSplit: undefined,
  }
  const answer = {
    message: 'Account opened',
    show: ({ account }: { account: Parameters<typeof showCustomerAccount>[0] }) =>
      showCustomerAccount(account),
  }
  if (kind === 'dedicated_crypto_wallet')
    return createWallet(
      api,
      request,
      { ...wanted, kind, asset: null, requestedAmount: null },
      answer,
    )
  const customer = toAccountCustomer(owner, request.body)
  return createAccount(api, request, { ...wanted, kind, customer }, answer)
}

/** What the bank may ask for; it adds what is missing from the settings of the merchant. */
function toAccountCustomer(
  { name, email, phone }: Customer,
  { bvn, nin }: Static<typeof body>,
): AccountCustomer {
  return {
    name,
    email: email ?? '',
    phone,
    bvn: bvn === undefined ? null : new Secret(bvn),
    nin: nin === undefined ? null : new Secret(nin),
  }
}
