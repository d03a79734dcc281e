import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { fromReference, prefixes, toReference } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import { type EventType, eventTypes } from '../../src/events/catalogue.js'
import { sql } from '../../src/postgres/sql.js'
import type { Permission } from '../../src/team/permissions.js'
import { watchBalances } from '../../src/webhooks/endpoints/watch-balances.js'
import { answerAll, emit, newEventOf } from '../support/deliveries.js'
import type { ServiceWithBank } from '../support/open-with-bank.js'
import { addPerson } from '../support/people.js'

/** A request for something that exists in the marked environment. */
export type Probe = {
  operation: string
  path: string
  /** What a caller needs beyond the permission of the operation, and the status without it. */
  needs?: Permission
  refused?: number
  /** The path names a resource, which does not exist for other merchants and modes. */
  isNamed?: boolean
}

/** What an event of each resource needs, written down a second time. */
const ofEvents: [Permission, RegExp][] = [
  ['payments.see', /^(payment|virtual_account|dedicated_account|crypto_wallet)\./],
  ['payments.see', /^(dedicated_crypto_wallet|checkout\.session)\./],
  ['payouts.see', /^(bank_transfer|crypto_transfer|batch|claim|recipient)\./],
  ['cases.see', /^case\./],
  ['balances.see', /^(balance|conversion|settlement|settlement_destination)\./],
  ['subaccounts.see', /^(subaccount|subaccount_settlement|split)\./],
  ['customers.see', /^(customer|invoice)\./],
  ['developers.see', /^webhook_endpoint\./],
]

function neededFor(type: EventType): Permission {
  return ofEvents.find(([, pattern]) => pattern.test(type))![0]
}

/** In answers, every type of an event is a text of its own. */
const typesWith = (permission: Permission) =>
  eventTypes
    .filter((type) => neededFor(type) === permission)
    .map((type) => `"${type}"`)
    .join('|')
    .replaceAll('.', '\\.')

const reserve = 31_415_926
const funded = 987_654_321
/** Two transfers, so that the sum is on the statement of the sub-account only. */
const movedToSeller = [4_000, 7_183]
const balanceOfSeller = 11_183

/**
 * Makes one of everything, each with a value that no other resource has. No answer to a caller
 * without the permission may contain it. All balances begin with the same digits.
 */
export async function markEnvironment(service: ServiceWithBank) {
  const { ask, merchant, db, clock } = service
  const key = merchant.test.secret
  let sentCount = 0
  const send = async (method: string, path: string, body?: object) => {
    sentCount += 1
    const headers = { 'idempotency-key': randomUUID() }
    return ask(method, path, { key, headers, ...(body && { body }) })
  }
  const make = async (method: string, path: string, body?: object) => {
    const { status, text, json } = await send(method, path, body)
    expect(status, text).toBeLessThan(300)
    return json.data
  }
  const post = (path: string, body: object) => make('POST', path, body)

  const endpoint = await post('/v1/webhook-endpoints', { url: 'https://mark-developers.example/h' })
  await make('PATCH', '/v1/settings', { settlement: { reserve }, lowBalance: { NGN: 2 * funded } })
  await post('/v1/test/balances/fund', { asset: 'NGN', amount: funded })
  const known = await post('/v1/customers', { name: 'mark-customers' })
  const seller = await post('/v1/subaccounts', { name: 'mark-subaccounts-seller' })
  for (const amount of movedToSeller)
    await post(`/v1/subaccounts/${seller.reference}/transfers`, {
      from: 'merchant',
      asset: 'NGN',
      amount,
    })
  const lines = [{ subaccount: seller.reference, percent: '13.37' }]
  const rule = await post('/v1/split-rules', { name: 'mark-subaccounts-rule', lines })
  const opened = { merchantReference: 'mark-payments-va', amount: 50_000, splits: { lines } }
  const account = await post('/v1/collections/virtual-accounts', opened)
  const paid = { accountNumber: account.accountNumber, amount: 50_000 }
  const payment = await post('/v1/test/bank-transfers', paid)
  const dedicated = { externalReference: 'mark-payments-da' }
  const standing = await post('/v1/collections/dedicated-accounts', dedicated)
  const customer = { name: 'Ada Obi', email: 'ada@example.com' }
  const ordered = { amount: 5_000, description: 'mark-payments-session', customer }
  const session = await post('/v1/checkout/sessions', ordered)
  const refund = { amount: 10_000 }
  await post(`/v1/collections/payments/${payment.reference}/refund`, refund)
  const { items: returns } = await make(
    'GET',
    `/v1/collections/payments/${payment.reference}/returns`,
  )
  const to = { bankCode: '058', accountNumber: '0123456789', amount: 20_000 }
  const sent = { ...to, merchantReference: 'mark-payouts-bt' }
  const transfer = await post('/v1/disbursements/bank-transfer', sent)
  const items = [{ ...to, merchantReference: 'mark-payouts-item' }]
  const batch = { kind: 'bank_transfer', name: 'mark-payouts-batch', items }
  const { reference: batchReference } = await post('/v1/disbursements/batches', batch)
  // Its refusal says how much there is.
  const large = { ...to, amount: 999_999_999, merchantReference: 'mark-payouts-large' }
  const price = await send('POST', '/v1/disbursements/bank-transfer/quote', large)
  await watchBalances(db, clock.now())

  const author = await addPerson(service, { role: 'owner' })
  const paths = {
    payments: `/v1/collections/payments/${payment.reference}/notes`,
    payouts: `/v1/disbursements/${transfer.reference}/notes`,
  }
  for (const [name, path] of Object.entries(paths)) {
    const written = await author.ask('POST', path, { body: { text: `mark-${name}-note` } })
    expect(written.status, written.text).toBe(201)
  }
  const noteProbes: Probe[] = [
    { operation: 'listPaymentNotes', path: paths.payments, isNamed: true },
    { operation: 'listDisbursementNotes', path: paths.payouts, isNamed: true },
  ]

  const environmentId = merchant.environments.test.id
  const resourceId = fromReference(prefixes.payment, payment.reference)!
  const ids = await emit(
    db,
    clock.now(),
    eventTypes.map((type, index) => {
      const isOfBalance = neededFor(type) === 'balances.see'
      const data = toJson({
        mark: `mark-${neededFor(type).split('.')[0]}`,
        available: isOfBalance ? funded : 0,
      })
      const sequence = 100 + index
      return newEventOf(environmentId, {
        type,
        resourceId,
        sequence,
        data,
      })
    }),
  )
  const of = { environmentId, id: fromReference(prefixes.webhookEndpoint, endpoint.id)! }
  await answerAll(db, clock.now(), { endpoint: of, status: 500 })
  // One event of each group.
  const groups = new Map(eventTypes.map((type, index) => [type.split('.')[0]!, { type, index }]))
  const eventProbes = [...groups.values()].flatMap(({ type, index }): Probe[] => {
    const path = `/v1/events/${toReference(prefixes.event, ids[index]!)}`
    const unseen = { needs: neededFor(type), refused: 404, isNamed: true }
    return [
      { operation: 'getEvent', path, ...unseen },
      { operation: 'listEventDeliveries', path: `${path}/deliveries`, ...unseen },
      { operation: 'redeliverEvent', path: `${path}/redeliver`, ...unseen },
    ]
  })

  const references = [payment, account, session, returns[0]].map((one) => one.reference as string)
  const texts = ['mark-payments-va', 'mark-payouts-bt', 'mark-payouts-item', '200', '500']
  const payouts = { needs: 'payouts.see', isNamed: true } as const
  const timelines = [...references, standing.accountReference].map(
    (reference): Probe => ({
      operation: 'getTimeline',
      path: `/v1/timeline/${reference}`,
      isNamed: true,
    }),
  )
  const named: [string, string][] = [
    ['getVirtualAccount', `/v1/collections/virtual-accounts/${account.reference}`],
    ['getDedicatedAccount', `/v1/collections/dedicated-accounts/${standing.accountReference}`],
    ['getCheckoutSession', `/v1/checkout/sessions/${session.reference}`],
    ['getPayment', `/v1/collections/payments/${payment.reference}`],
    ['listPaymentReturns', `/v1/collections/payments/${payment.reference}/returns`],
    ['getBankTransfer', `/v1/disbursements/bank-transfer/${transfer.reference}`],
    ['getPayoutBatch', `/v1/disbursements/batches/${batchReference}`],
    ['listPayoutBatchItems', `/v1/disbursements/batches/${batchReference}/items`],
    ['getCustomer', `/v1/customers/${known.reference}`],
    ['listCustomerAccounts', `/v1/customers/${known.reference}/accounts`],
    ['listCustomerEntries', `/v1/customers/${known.reference}/statement`],
    ['exportCustomer', `/v1/customers/${known.reference}/export`],
    ['getSubaccount', `/v1/subaccounts/${seller.reference}`],
    ['getSplitRule', `/v1/split-rules/${rule.reference}`],
    ['getWebhookEndpoint', `/v1/webhook-endpoints/${endpoint.id}`],
    ['listEndpointDeliveries', `/v1/webhook-endpoints/${endpoint.id}/deliveries`],
    ['getWebhookEndpointStats', `/v1/webhook-endpoints/${endpoint.id}/stats`],
  ]
  const lists: [string, string][] = [
    ...['', '?type=bank_transfer.*', '?type=balance.low', `?resource=${payment.reference}`].map(
      (query): [string, string] => ['listEvents', `/v1/events${query}`],
    ),
    ['listEvents', '/v1/events?limit=100'],
    ...[...texts, ...references, transfer.reference].map((q): [string, string] => [
      'search',
      `/v1/search?q=${q}`,
    ]),
    ['search', `/v1/search?q=${toReference(prefixes.event, ids[0]!)}`],
    ['search', `/v1/search?q=${endpoint.id}`],
    ['search', `/v1/search?q=${price.headers.get('x-request-id')}`],
    ['listCustomers', '/v1/customers'],
    ['listSubaccounts', '/v1/subaccounts'],
    ['listSplitRules', '/v1/split-rules'],
    ['listRequestLogs', '/v1/request-logs?limit=100'],
  ]
  const probes: Probe[] = [
    ...named.map(([operation, path]) => ({ operation, path, isNamed: true })),
    ...lists.map(([operation, path]) => ({ operation, path })),
    ...timelines,
    {
      operation: 'getTimeline',
      path: `/v1/timeline/${transfer.reference}`,
      refused: 403,
      ...payouts,
    },
    {
      operation: 'listBalanceEntries',
      path: `/v1/balance-entries?subaccount=${seller.reference}`,
      needs: 'subaccounts.see',
      refused: 403,
      isNamed: true,
    },
    ...eventProbes,
  ]
  // The unrestricted key reads everything; then the log has it.
  for (const { path, operation } of probes)
    if (operation !== 'redeliverEvent') expect((await send('GET', path)).status, path).toBe(200)
  for (const path of ['/v1/balances', '/v1/balance-entries', '/v1/settings', '/v1/disbursements'])
    await make('GET', path)
  const logged = await readLog(service, sentCount)

  const ofSubaccounts = [
    'mark-subaccounts',
    `\\b${balanceOfSeller}\\b`,
    // Fields of payments, refunds and accounts, also in bodies that the request log keeps.
    '(?:shares|splits)\\\\*":',
    typesWith('subaccounts.see'),
  ]
  const markers = new Map<Permission, RegExp>([
    ['payments.see', new RegExp(`mark-payments|${typesWith('payments.see')}`)],
    ['payouts.see', new RegExp(`mark-payouts|${typesWith('payouts.see')}`)],
    ['balances.see', new RegExp(`\\b9876\\d{5}\\b|9,876,\\d\\d\\d|${typesWith('balances.see')}`)],
    ['subaccounts.see', new RegExp(ofSubaccounts.join('|'))],
    ['customers.see', new RegExp(`mark-customers|${typesWith('customers.see')}`)],
    ['developers.see', new RegExp(`mark-developers|${typesWith('developers.see')}`)],
    ['settings.see', new RegExp(`\\b${reserve}\\b`)],
  ])
  return {
    markers,
    probes: [
      ...probes,
      ...noteProbes,
      ...logged.map((id) => ({
        operation: 'getRequestLog',
        path: `/v1/request-logs/${id}`,
        isNamed: true,
      })),
    ],
  }
}

/** Entries of one request per path without references, once all of them are written. */
async function readLog({ db, merchant }: ServiceWithBank, count: number): Promise<string[]> {
  const environmentId = merchant.environments.test.id
  for (let waits = 0; waits < 200; waits += 1) {
    const rows = await db.rows(sql<{ id: string; method: string; path: string }>`
      select id, method, path from request_logs where environment_id = ${environmentId} order by id`)
    const byPath = new Map(
      rows.map(({ id, method, path }) => [`${method} ${path.replaceAll(/\/\w+_\w+/g, '/')}`, id]),
    )
    if (rows.length >= count)
      return [...byPath.values()].map((id) => toReference(prefixes.requestLog, id))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the request log lacks entries')
}
