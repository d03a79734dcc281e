/**
 * The whole client in one table: method names and API operations. The client is built from it, its
 * types are generated from it, and a test compares it with openapi.json.
 */
export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** As in openapi.json; arguments replace the `{names}` in order. */
  path: string
  takes: 'body' | 'query' | 'nothing'
  gives: 'data' | 'items' | 'pages' | 'csv' | 'pdf' | 'nothing'
  /** Called without a key, by anyone who knows the reference. */
  isPublic: boolean
}

export type Operations = { readonly [name: string]: Operation | Operations }

const plain = { takes: 'nothing', gives: 'data', isPublic: false } as const

const read = (path: string): Operation => ({ ...plain, method: 'GET', path })
const find = (path: string): Operation => ({ ...read(path), takes: 'query' })
const items = (path: string): Operation => ({ ...read(path), gives: 'items' })
const findItems = (path: string): Operation => ({ ...find(path), gives: 'items' })
const list = (path: string): Operation => ({ ...find(path), gives: 'pages' })
const csv = (path: string): Operation => ({ ...find(path), gives: 'csv' })
const pdf = (path: string): Operation => ({ ...read(path), gives: 'pdf' })
const act = (path: string): Operation => ({ ...plain, method: 'POST', path })
const send = (path: string): Operation => ({ ...act(path), takes: 'body' })
const change = (path: string): Operation => ({ ...send(path), method: 'PATCH' })
const remove = (path: string): Operation => ({ ...plain, method: 'DELETE', path, gives: 'nothing' })
const open = (operation: Operation): Operation => ({ ...operation, isPublic: true })

export const operations = {
  virtualAccounts: {
    create: send('/v1/collections/virtual-accounts'),
    get: read('/v1/collections/virtual-accounts/{reference}'),
    list: list('/v1/collections/virtual-accounts'),
    csv: csv('/v1/collections/virtual-accounts'),
    cancel: act('/v1/collections/virtual-accounts/{reference}/cancel'),
    requery: act('/v1/collections/virtual-accounts/{reference}/requery'),
  },
  dedicatedAccounts: {
    create: send('/v1/collections/dedicated-accounts'),
    get: read('/v1/collections/dedicated-accounts/{accountReference}'),
    list: list('/v1/collections/dedicated-accounts'),
    csv: csv('/v1/collections/dedicated-accounts'),
    deactivate: act('/v1/collections/dedicated-accounts/{accountReference}/deactivate'),
  },
  cryptoWallets: {
    create: send('/v1/collections/crypto-wallets'),
    get: read('/v1/collections/crypto-wallets/{reference}'),
    list: list('/v1/collections/crypto-wallets'),
    csv: csv('/v1/collections/crypto-wallets'),
    cancel: act('/v1/collections/crypto-wallets/{reference}/cancel'),
    requery: act('/v1/collections/crypto-wallets/{reference}/requery'),
  },
  dedicatedCryptoWallets: {
    create: send('/v1/collections/dedicated-crypto-wallets'),
    get: read('/v1/collections/dedicated-crypto-wallets/{reference}'),
    list: list('/v1/collections/dedicated-crypto-wallets'),
    csv: csv('/v1/collections/dedicated-crypto-wallets'),
    requery: act('/v1/collections/dedicated-crypto-wallets/{reference}/requery'),
  },
  splitRules: {
    create: send('/v1/split-rules'),
    get: find('/v1/split-rules/{reference}'),
    list: list('/v1/split-rules'),
    createVersion: send('/v1/split-rules/{reference}/versions'),
  },
  splits: {
    preview: send('/v1/splits/preview'),
  },
  payments: {
    get: read('/v1/collections/payments/{reference}'),
    list: list('/v1/collections/payments'),
    csv: csv('/v1/collections/payments'),
    counts: find('/v1/collections/payments/counts'),
    returns: list('/v1/collections/payments/{reference}/returns'),
    receipt: pdf('/v1/collections/payments/{reference}/receipt'),
    resolve: send('/v1/collections/payments/{reference}/resolve'),
    refund: send('/v1/collections/payments/{reference}/refund'),
    allocations: read('/v1/collections/payments/{reference}/allocations'),
    allocate: send('/v1/collections/payments/{reference}/allocations'),
  },
  checkout: {
    sessions: {
      create: send('/v1/checkout/sessions'),
      get: read('/v1/checkout/sessions/{reference}'),
      list: list('/v1/checkout/sessions'),
      csv: csv('/v1/checkout/sessions'),
      cancel: act('/v1/checkout/sessions/{reference}/cancel'),
    },
    retrieve: open(read('/public/checkout/{reference}')),
    simulate: open(send('/public/checkout/{reference}/simulate')),
  },
  paymentLinks: {
    create: send('/v1/payment-links'),
    get: read('/v1/payment-links/{reference}'),
    list: list('/v1/payment-links'),
    csv: csv('/v1/payment-links'),
    update: change('/v1/payment-links/{reference}'),
  },
  search: {
    list: findItems('/v1/search'),
  },
  disbursements: {
    list: list('/v1/disbursements'),
    csv: csv('/v1/disbursements'),
    counts: find('/v1/disbursements/counts'),
    recipient: find('/v1/disbursements/recipients'),
  },
  cryptoTransfers: {
    create: send('/v1/disbursements/crypto'),
    quote: send('/v1/disbursements/crypto/quote'),
    get: read('/v1/disbursements/crypto/{reference}'),
    list: list('/v1/disbursements/crypto'),
    csv: csv('/v1/disbursements/crypto'),
  },
  bankTransfers: {
    create: send('/v1/disbursements/bank-transfer'),
    quote: send('/v1/disbursements/bank-transfer/quote'),
    get: read('/v1/disbursements/bank-transfer/{reference}'),
    list: list('/v1/disbursements/bank-transfer'),
    csv: csv('/v1/disbursements/bank-transfer'),
  },
  batches: {
    create: send('/v1/disbursements/batches'),
    get: read('/v1/disbursements/batches/{reference}'),
    list: list('/v1/disbursements/batches'),
    csv: csv('/v1/disbursements/batches'),
    items: list('/v1/disbursements/batches/{reference}/items'),
    itemsCsv: csv('/v1/disbursements/batches/{reference}/items'),
    report: csv('/v1/disbursements/batches/{reference}/report'),
    template: csv('/v1/disbursements/batches/template'),
    submit: send('/v1/disbursements/batches/{reference}/submit'),
    cancel: act('/v1/disbursements/batches/{reference}/cancel'),
    retry: act('/v1/disbursements/batches/{reference}/retry'),
  },
  recipients: {
    create: send('/v1/recipients'),
    get: read('/v1/recipients/{reference}'),
    list: list('/v1/recipients'),
    csv: csv('/v1/recipients'),
    update: change('/v1/recipients/{reference}'),
    disable: act('/v1/recipients/{reference}/disable'),
    enable: act('/v1/recipients/{reference}/enable'),
  },
  cases: {
    create: send('/v1/cases'),
    get: read('/v1/cases/{reference}'),
    list: list('/v1/cases'),
    csv: csv('/v1/cases'),
    update: change('/v1/cases/{reference}'),
    addItems: send('/v1/cases/{reference}/items'),
    removeItems: send('/v1/cases/{reference}/items/remove'),
    close: send('/v1/cases/{reference}/close'),
    reopen: act('/v1/cases/{reference}/reopen'),
  },
  claims: {
    create: send('/v1/claims'),
    get: read('/v1/claims/{reference}'),
    list: list('/v1/claims'),
    csv: csv('/v1/claims'),
    cancel: act('/v1/claims/{reference}/cancel'),
    unlock: act('/v1/claims/{reference}/unlock'),
  },
  banks: {
    list: items('/v1/banks'),
    resolve: find('/v1/banks/resolve'),
  },
  rates: { list: list('/v1/rates') },
  customers: {
    create: send('/v1/customers'),
    get: read('/v1/customers/{reference}'),
    list: list('/v1/customers'),
    csv: csv('/v1/customers'),
    update: change('/v1/customers/{reference}'),
    erase: { ...read('/v1/customers/{reference}'), method: 'DELETE' },
    giveAccount: send('/v1/customers/{reference}/accounts'),
    accounts: items('/v1/customers/{reference}/accounts'),
    statement: list('/v1/customers/{reference}/statement'),
    statementCsv: csv('/v1/customers/{reference}/statement'),
    export: read('/v1/customers/{reference}/export'),
  },
  invoices: {
    create: send('/v1/invoices'),
    get: read('/v1/invoices/{reference}'),
    list: list('/v1/invoices'),
    csv: csv('/v1/invoices'),
    counts: find('/v1/invoices/counts'),
    pdf: pdf('/v1/invoices/{reference}/pdf'),
    update: change('/v1/invoices/{reference}'),
    delete: remove('/v1/invoices/{reference}'),
    finalize: act('/v1/invoices/{reference}/finalize'),
    send: act('/v1/invoices/{reference}/send'),
    void: act('/v1/invoices/{reference}/void'),
    credit: send('/v1/invoices/{reference}/credit'),
  },
  invoiceSchedules: {
    create: send('/v1/invoice-schedules'),
    get: read('/v1/invoice-schedules/{reference}'),
    list: list('/v1/invoice-schedules'),
    csv: csv('/v1/invoice-schedules'),
    update: change('/v1/invoice-schedules/{reference}'),
  },
  subaccounts: {
    create: send('/v1/subaccounts'),
    get: read('/v1/subaccounts/{reference}'),
    list: list('/v1/subaccounts'),
    csv: csv('/v1/subaccounts'),
    update: change('/v1/subaccounts/{reference}'),
    close: send('/v1/subaccounts/{reference}/close'),
    transfer: send('/v1/subaccounts/{reference}/transfers'),
    settle: send('/v1/subaccounts/{reference}/settlements'),
  },
  conversions: {
    quote: send('/v1/conversions/quotes'),
    create: send('/v1/conversions'),
    get: read('/v1/conversions/{reference}'),
    list: list('/v1/conversions'),
    csv: csv('/v1/conversions'),
  },
  settlements: {
    create: send('/v1/settlements'),
    get: read('/v1/settlements/{reference}'),
    list: list('/v1/settlements'),
    csv: csv('/v1/settlements'),
    summary: find('/v1/settlements/summary'),
    entries: list('/v1/settlements/{reference}/entries'),
  },
  balances: {
    list: findItems('/v1/balances'),
  },
  balanceEntries: {
    list: list('/v1/balance-entries'),
    csv: csv('/v1/balance-entries'),
    summary: find('/v1/balance-entries/summary'),
  },
  reports: {
    received: find('/v1/reports/received'),
    receivedCsv: csv('/v1/reports/received'),
    conversion: find('/v1/reports/conversion'),
    balance: find('/v1/reports/balance'),
    fees: find('/v1/reports/fees'),
    payoutTimes: find('/v1/reports/payout-times'),
  },
  settings: {
    get: read('/v1/settings'),
    update: change('/v1/settings'),
  },
  fees: {
    get: read('/v1/fees'),
  },
  apiKey: {
    get: read('/v1/api-key'),
  },
  profile: {
    get: read('/v1/profile'),
  },
  mails: {
    get: read('/v1/mails/{reference}'),
    list: list('/v1/mails'),
    csv: csv('/v1/mails'),
  },
  mailSuppressions: {
    list: list('/v1/mail-suppressions'),
    csv: csv('/v1/mail-suppressions'),
    delete: remove('/v1/mail-suppressions/{reference}'),
  },
  webhookEndpoints: {
    create: send('/v1/webhook-endpoints'),
    get: read('/v1/webhook-endpoints/{id}'),
    list: list('/v1/webhook-endpoints'),
    update: change('/v1/webhook-endpoints/{id}'),
    delete: remove('/v1/webhook-endpoints/{id}'),
    rotateSecret: act('/v1/webhook-endpoints/{id}/rotate-secret'),
    test: act('/v1/webhook-endpoints/{id}/test'),
    recover: send('/v1/webhook-endpoints/{id}/recover'),
    deliveries: list('/v1/webhook-endpoints/{id}/deliveries'),
    stats: read('/v1/webhook-endpoints/{id}/stats'),
  },
  events: {
    get: read('/v1/events/{id}'),
    list: list('/v1/events'),
    csv: csv('/v1/events'),
    deliveries: list('/v1/events/{id}/deliveries'),
    redeliver: send('/v1/events/{id}/redeliver'),
  },
  timeline: {
    get: read('/v1/timeline/{reference}'),
  },
  requestLogs: {
    get: read('/v1/request-logs/{requestId}'),
    list: list('/v1/request-logs'),
    csv: csv('/v1/request-logs'),
  },
  test: {
    fund: send('/v1/test/balances/fund'),
    settle: send('/v1/test/disbursements/{reference}/settle'),
    decide: send('/v1/test/disbursements/{reference}/decide'),
    claim: send('/v1/test/claims/{reference}/claim'),
    bankTransfers: { create: send('/v1/test/bank-transfers') },
    cryptoDeposits: { create: send('/v1/test/crypto-deposits') },
    clock: { advance: send('/v1/test/clock/advance') },
  },
} as const satisfies Operations

export function isOperation(row: Operation | Operations): row is Operation {
  return typeof row.path === 'string'
}

/** The names in braces of a path. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
}
