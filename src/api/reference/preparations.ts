import {
  type ApiDocument,
  isSampled,
  jsonOf,
  type ListedOperation,
  listOperations,
  parametersIn,
} from './document.js'

/**
 * A call that the page makes before it sends an operation's example, so that the example succeeds:
 * it finds or creates the resources that the example refers to. Test mode only.
 */
export type Step = {
  method: string
  path: string
  /** Values in braces are replaced by fields of earlier answers. */
  query: Record<string, string>
  body?: unknown
  /** Fields of the answer, by the name under which later calls use them in path, query and body. */
  take: Record<string, string>
  /** The values that the item of the list, or the resource, must have. */
  match?: Record<string, unknown>
  /** Run if the list has no such item. Without this, the page waits. */
  otherwise?: Step[]
}

type Call = Partial<Pick<Step, 'query' | 'match'>> & {
  operation: string
  take?: string[] | Record<string, string>
  /** Fields that differ from the operation's own example. */
  body?: object
  otherwise?: Call[]
}

const newPayment: Call[] = [
  { operation: 'createVirtualAccount', take: ['accountNumber'] },
  { operation: 'payTestAccount', take: ['reference'] },
]
const anyPayment: Call = {
  operation: 'listPayments',
  take: ['reference'],
  otherwise: newPayment,
}
/** The example names its seller, and a name is used once. */
const noExternalReference = { externalReference: undefined }
const anySubaccount: Call = {
  operation: 'listSubaccounts',
  query: { status: 'ACTIVE' },
  take: ['reference'],
  otherwise: [{ operation: 'createSubaccount', body: noExternalReference, take: ['reference'] }],
}
/** A new one: others may have been erased. */
const newCustomer = (...take: string[]): Call => ({
  operation: 'createCustomer',
  body: noExternalReference,
  take: Object.fromEntries(take.map((name) => [name, 'reference'])),
})
const newDraft: Call[] = [
  newCustomer('customer'),
  { operation: 'createInvoice', take: ['reference'] },
]
const newInvoice: Call[] = [...newDraft, { operation: 'finalizeInvoice' }]
/** The sub-account of the lines of a split. */
const inLines = { 'lines.subaccount': 'reference', 'splits.lines.subaccount': 'reference' }
const namedSubaccount: Call = {
  ...anySubaccount,
  take: inLines,
  otherwise: [{ operation: 'createSubaccount', body: noExternalReference, take: inLines }],
}
/** The endpoint of the examples, so that the page changes no endpoint in use. */
const exampleEndpoint: Call = {
  operation: 'listWebhookEndpoints',
  match: { url: 'https://shop.example/webhooks', enabled: true },
  take: { id: 'id', endpointId: 'id' },
  otherwise: [{ operation: 'createWebhookEndpoint', take: { id: 'id', endpointId: 'id' } }],
}
/** Banks refuse a transfer to a name that is not the account holder's. */
const recipient: Call = { operation: 'resolveBankAccount', take: ['accountName'] }
/** The bank refuses transfers to the first; the second stays unknown until it is settled. */
const closedAccount = { bankCode: '999', accountNumber: '9900000027' }
const unknownAccount = { bankCode: '999', accountNumber: '9900000065' }

/** Items without references: a reference that was paid before makes its item invalid. */
const newBatch: Call = {
  operation: 'createPayoutBatch',
  body: { items: [{ bankCode: '058', accountNumber: '0123456789', amount: 10_000 }] },
  take: ['reference'],
}
/** A quote lasts a minute. */
const newQuote: Call = { operation: 'createConversionQuote', take: { quote: 'reference' } }
/** An account is saved once: the number of a new account was not saved before. */
const unsavedAccount: Call = { operation: 'createVirtualAccount', take: ['accountNumber'] }
const newRecipient: Call[] = [unsavedAccount, { operation: 'createRecipient', take: ['reference'] }]
const newClaim: Call = {
  operation: 'createClaim',
  body: { merchantReference: undefined },
  take: ['reference'],
}
const newCase: Call = { operation: 'createCase', take: ['reference'] }
const paymentOfCase: Call = {
  operation: 'listPayments',
  take: { items: 'reference' },
  otherwise: [newPayment[0]!, { ...newPayment[1]!, take: { items: 'reference' } }],
}
const untilBatch = (status: string): Call => ({
  operation: 'getPayoutBatch',
  match: { status },
  take: ['status'],
})

/** Paths whose examples need more than an item of their list, or one that `POST` creates. */
const special: Record<string, Call[]> = {
  '/v1/collections/payments/{reference}': [anyPayment],
  '/v1/timeline/{reference}': [anyPayment],
  '/v1/collections/payments/{reference}/refund': [
    ...newPayment,
    { ...recipient, take: { 'destination.accountName': 'accountName' } },
  ],
  // A payment into the account of a customer.
  '/v1/collections/payments/{reference}/allocations': [
    newCustomer('reference'),
    {
      operation: 'giveAccountToCustomer',
      take: { accountNumber: 'accountNumber', accountReference: 'reference' },
    },
    { operation: 'payTestAccount' },
    {
      operation: 'listPayments',
      query: { accountReference: '{accountReference}' },
      take: ['reference'],
    },
  ],
  // Coins that do not match are held by default.
  '/v1/collections/payments/{reference}/resolve': [
    {
      operation: 'createCryptoWallet',
      take: { address: 'address', accountReference: 'reference' },
    },
    { operation: 'depositTestCoins', body: { amount: '10.00' } },
    {
      operation: 'listPayments',
      query: { accountReference: '{accountReference}', status: 'HELD' },
      take: ['reference'],
    },
  ],
  '/v1/test/bank-transfers': [{ operation: 'createVirtualAccount', take: ['accountNumber'] }],
  '/v1/test/crypto-deposits': [{ operation: 'createCryptoWallet', take: ['address'] }],
  '/v1/test/disbursements/{reference}/settle': [
    { ...recipient, query: unknownAccount },
    { operation: 'createBankTransfer', body: unknownAccount, take: ['reference'] },
  ],
  // Exists only with an approval rule, which a member sets.
  '/v1/test/disbursements/{reference}/decide': [
    { operation: 'listDisbursements', query: { status: 'PENDING' }, take: ['reference'] },
  ],
  '/v1/disbursements/bank-transfer': [recipient],
  '/v1/disbursements/bank-transfer/quote': [recipient],
  '/v1/disbursements/bank-transfer/{reference}': [
    {
      operation: 'listBankTransfers',
      take: ['reference'],
      otherwise: [recipient, { operation: 'createBankTransfer', take: ['reference'] }],
    },
  ],
  '/v1/disbursements/batches/{reference}/submit': [newBatch, untilBatch('READY')],
  '/v1/disbursements/batches/{reference}/retry': [
    { ...newBatch, body: { items: [{ ...closedAccount, amount: 10_000 }] } },
    untilBatch('READY'),
    { operation: 'submitPayoutBatch' },
    untilBatch('COMPLETED'),
  ],
  '/v1/recipients': [unsavedAccount],
  '/v1/recipients/{reference}': newRecipient,
  '/v1/recipients/{reference}/disable': newRecipient,
  '/v1/recipients/{reference}/enable': [...newRecipient, { operation: 'disableRecipient' }],
  '/v1/cases/{reference}/items': [paymentOfCase, newCase],
  '/v1/cases/{reference}/items/remove': [paymentOfCase, newCase, { operation: 'addCaseItems' }],
  '/v1/cases/{reference}/reopen': [newCase, { operation: 'closeCase' }],
  '/v1/claims/{reference}': [newClaim],
  '/v1/claims/{reference}/cancel': [newClaim],
  '/v1/claims/{reference}/unlock': [newClaim],
  '/v1/test/claims/{reference}/claim': [recipient, newClaim],
  '/v1/conversions': [newQuote],
  '/v1/conversions/{reference}': [
    {
      operation: 'listConversions',
      take: ['reference'],
      otherwise: [newQuote, { operation: 'createConversion', take: ['reference'] }],
    },
  ],
  '/v1/payment-links/{reference}': [{ operation: 'createPaymentLink', take: ['reference'] }],
  '/v1/customers/{reference}': [newCustomer('reference')],
  '/v1/customers/{reference}/accounts': [newCustomer('reference')],
  '/v1/customers/{reference}/statement': [newCustomer('reference')],
  '/v1/customers/{reference}/export': [newCustomer('reference')],
  '/v1/invoices': [newCustomer('customer')],
  '/v1/invoice-schedules': [newCustomer('customer')],
  '/v1/invoice-schedules/{reference}': [
    newCustomer('customer'),
    { operation: 'createInvoiceSchedule', take: ['reference'] },
  ],
  '/v1/invoices/{reference}': newDraft,
  '/v1/invoices/{reference}/finalize': newDraft,
  '/v1/invoices/{reference}/send': newInvoice,
  '/v1/invoices/{reference}/void': newInvoice,
  '/v1/invoices/{reference}/credit': newInvoice,
  '/v1/subaccounts/{reference}': [anySubaccount],
  '/v1/subaccounts/{reference}/close': [
    { operation: 'createSubaccount', body: noExternalReference, take: ['reference'] },
  ],
  '/v1/subaccounts/{reference}/transfers': [anySubaccount],
  '/v1/subaccounts/{reference}/settlements': [
    { operation: 'createSubaccount', body: noExternalReference, take: ['reference'] },
    { operation: 'transferToSubaccount', body: { amount: 2_000_000 } },
  ],
  '/v1/split-rules': [namedSubaccount],
  '/v1/split-rules/{reference}': [
    {
      operation: 'listSplitRules',
      take: ['reference'],
      otherwise: [namedSubaccount, { operation: 'createSplitRule', take: ['reference'] }],
    },
  ],
  '/v1/split-rules/{reference}/versions': [
    namedSubaccount,
    { operation: 'createSplitRule', take: ['reference'] },
  ],
  '/v1/splits/preview': [namedSubaccount],
  '/public/checkout/{reference}': [{ operation: 'createCheckoutSession', take: ['reference'] }],
  '/v1/webhook-endpoints/{id}': [exampleEndpoint],
  '/v1/events/{id}': [
    {
      operation: 'listEvents',
      take: ['id'],
      otherwise: [...newPayment, { operation: 'listEvents', take: ['id'] }],
    },
  ],
  '/v1/events/{id}/redeliver': [
    exampleEndpoint,
    { operation: 'testWebhookEndpoint', take: { id: 'eventId' } },
  ],
}

/** The steps in the order in which they run; none if the example needs no resource. */
export function prepare(document: ApiDocument, operation: ListedOperation): Step[] {
  const operations = listOperations(document)
  const toStep = (call: Call): Step => {
    const found = operations.find(({ operationId }) => operationId === call.operation)
    if (!found) throw new Error(`No operation is named ${call.operation}.`)
    const otherwise = call.otherwise?.map(toStep)
    return { ...stepOf(found, call), ...(otherwise && { otherwise }) }
  }
  const { path, method } = operation
  const [resource] = /^[^}]*\}/.exec(path) ?? []
  const known = special[path] ?? special[resource ?? '']
  if (known && (resource !== undefined || method === 'POST')) return known.map(toStep)
  if (resource === undefined) return []
  const [collection, name] = resource.slice(0, -1).split('/{') as [string, string]
  const [list, create] = ['GET', 'POST'].map((method) =>
    operations.find((other) => other.method === method && other.path === collection),
  )
  const creation = create && stepOf(create, { operation: '', take: [name] })
  // A change or deletion must not hit a resource that is in use.
  if (!list || (creation && method !== 'GET')) return creation ? [creation] : []
  const finding = stepOf(list, { operation: '', take: [name] })
  return [{ ...finding, ...(creation && { otherwise: [creation] }) }]
}

function stepOf(operation: ListedOperation, call: Call): Step {
  const { take = [], body, match } = call
  const { method, path } = operation
  const sampled = parametersIn(operation, 'query').filter(isSampled)
  const query =
    call.query ?? Object.fromEntries(sampled.map(({ name, example }) => [name, `${example}`]))
  const example = jsonOf(operation.requestBody)?.example as object | undefined
  return {
    method,
    path,
    take: Array.isArray(take) ? Object.fromEntries(take.map((name) => [name, name])) : take,
    ...(example && { body: { ...example, ...body } }),
    query,
    ...(match && { match }),
  }
}
