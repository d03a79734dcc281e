/** Every list of the API, without filters and with some, to be measured with millions of rows. */
import { readFileSync } from 'node:fs'

/** The API reads this many lists of one environment at a time: none waits, and none is shared. */
const connections = 3
const warmRequestsMax = 1_500

/**
 * Paths by operation, with references of `createListed`. Both databases have a page of what most of
 * these lists show, so that their pages cost the same to write.
 */
const lists = {
  listBalanceEntries: [
    () => '/v1/balance-entries?asset=NGN',
    () => '/v1/balance-entries?asset=USDC',
  ],
  listVirtualAccounts: [
    () => '/v1/collections/virtual-accounts',
    () => '/v1/collections/virtual-accounts?status=PAID',
  ],
  listDedicatedAccounts: [() => '/v1/collections/dedicated-accounts'],
  listCryptoWallets: [() => '/v1/collections/crypto-wallets'],
  listDedicatedCryptoWallets: [() => '/v1/collections/dedicated-crypto-wallets'],
  listCheckoutSessions: [() => '/v1/checkout/sessions'],
  listPayments: [
    () => '/v1/collections/payments',
    () => '/v1/collections/payments?status=ACCEPTED',
    () => '/v1/collections/payments?sender=chinedu',
    () => '/v1/collections/payments?minAmount=500000&maxAmount=500000',
    () => '/v1/collections/payments?minAmount=400000&maxAmount=600000',
    ({ startedAt }) => `/v1/collections/payments?from=${startedAt}`,
  ],
  listPaymentReturns: [({ payment }) => `/v1/collections/payments/${payment}/returns`],
  listCryptoTransfers: [
    () => '/v1/disbursements/crypto',
    () => '/v1/disbursements/crypto?status=SUBMITTED',
    ({ startedAt }) => `/v1/disbursements/crypto?from=${startedAt}`,
    ({ wallet }) => `/v1/disbursements/crypto?recipient=${wallet}`,
  ],
  listBankTransfers: [() => '/v1/disbursements/bank-transfer'],
  listBanks: [() => '/v1/banks'],
  listRates: [() => '/v1/rates'],
  listConversions: [() => '/v1/conversions'],
  listSettlements: [() => '/v1/settlements'],
  listSettlementEntries: [({ settlement }) => `/v1/settlements/${settlement}/entries`],
  listPayoutBatches: [() => '/v1/disbursements/batches'],
  listPayoutBatchItems: [({ batch }) => `/v1/disbursements/batches/${batch}/items`],
  listDisbursements: [
    () => '/v1/disbursements',
    () => '/v1/disbursements?currency=NGN',
    () => '/v1/disbursements?status=SUBMITTED',
  ],
  listWebhookEndpoints: [() => '/v1/webhook-endpoints'],
  listEndpointDeliveries: [({ endpoint }) => `/v1/webhook-endpoints/${endpoint}/deliveries`],
  listEvents: [
    () => '/v1/events',
    () => '/v1/events?type=virtual_account.paid',
    ({ transfer }) => `/v1/events?resource=${transfer}`,
  ],
  listEventDeliveries: [({ event }) => `/v1/events/${event}/deliveries`],
  listRequestLogs: [
    () => '/v1/request-logs',
    ({ transfer }) => `/v1/request-logs?resource=${transfer}`,
  ],
  // Reads that are no lists, but search among many rows.
  getPayment: [({ payment }) => `/v1/collections/payments/${payment}`],
  getTimeline: [({ payment }) => `/v1/timeline/${payment}`],
  search: [({ payment }) => `/v1/search?q=${payment}`, () => '/v1/search?q=chinedu'],
  getRecipientHistory: [() => '/v1/disbursements/recipients?bankCode=058&accountNumber=0123456789'],
}

/** As paths, to be measured like those of paths.mjs. Fails if a list of the API is missing. */
export function listPaths() {
  const missing = findLists().filter((operation) => !lists[operation])
  if (missing.length > 0) throw new Error(`no plan for the lists ${missing.join(', ')}`)
  return Object.entries(lists).flatMap(([operation, plans]) =>
    plans.map((toPath, index) => ({
      key: index === 0 ? operation : `${operation} ${index + 1}`,
      group: 'lists',
      server: 'stub',
      connections,
      warmRequestsMax,
      name: `GET ${toPath(placeholders)}`,
      plan: ({ listed }) => ({ method: 'GET', path: toPath(listed) }),
    })),
  )
}

/** What the names of paths show instead of references. */
const placeholders = new Proxy({}, { get: (_, name) => `{${String(name)}}` })

/** Operations that return pages. */
function findLists() {
  const file = new URL('../openapi.json', import.meta.url)
  const { paths } = JSON.parse(readFileSync(file, 'utf8'))
  return Object.values(paths)
    .map(({ get }) => get)
    .filter((get) => get?.parameters?.some(({ name }) => name === 'cursor'))
    .map(({ operationId }) => operationId)
}
