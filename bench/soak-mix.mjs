/** The requests of the soak: what a busy merchant sends in a day, over and over. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { base58 } from '@scure/base'

/**
 * How often each kind of request is sent. `ordinary` is what published figures are compared with and
 * stays the same; `complete` has every kind.
 */
const shares = {
  ordinary: { crypto: 8, bank: 6, pay: 2, open: 1, balances: 2, list: 1 },
  complete: {
    crypto: 180,
    bank: 200,
    notice: 80,
    open: 60,
    payAccount: 30,
    underpay: 15,
    pay: 1,
    refund: 3,
    deposit: 2,
    session: 20,
    checkout: 60,
    quoteOfNaira: 2,
    quoteOfCoins: 2,
    convert: 4,
    createBatch: 1,
    submitBatch: 1,
    balances: 131,
    oneTransfer: 70,
    onePayment: 20,
    timeline: 10,
    list: 30,
    listDisbursements: 10,
    listPayments: 20,
    listAccounts: 10,
    listEntries: 10,
    listEvents: 10,
    listRequestLogs: 10,
  },
}
/** Differing bodies of a kind, sent in turn. */
const turns = { ordinary: 50, complete: 4 }
const customers = 100
const wallets = 20
const accountAmount = 500_000
const itemsPerBatch = 50
/** A batch is checked in the background before it can be submitted. */
const batchReadyMs = 15_000
const events = {
  ordinary: ['crypto_transfer.confirmed', 'bank_transfer.completed', 'dedicated_account.credited'],
  /** All of them. */
  complete: undefined,
}

/** Funds the merchant, opens what the requests need, and returns them in the order to send. */
export async function createMix({ name, url, key, noticeKey, requests, webhookUrl }) {
  const ask = async (path, body) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  await ask('/v1/webhook-endpoints', { url: webhookUrl, events: events[name] })
  await ask('/v1/test/balances/fund', { asset: 'USDC', amount: String(requests + 1_000) })
  await ask('/v1/test/balances/fund', { asset: 'NGN', amount: (requests + 1_000) * 50_000 })
  const openMany = async (count, path, body) => {
    const opened = []
    for (let customer = 1; customer <= count; customer += 1)
      opened.push(await ask(path, { externalReference: `customer-${customer}`, ...body }))
    return opened
  }
  const accounts = await openMany(customers, '/v1/collections/dedicated-accounts')
  const dedicatedWallets =
    name === 'complete'
      ? await openMany(wallets, '/v1/collections/dedicated-crypto-wallets', { network: 'SOLANA' })
      : []
  const make = makers({ key, noticeKey, accounts, dedicatedWallets })
  const kinds = spread(shares[name])
  return Array.from({ length: turns[name] }, () =>
    kinds.map((kind) => ({ kind, ...make[kind]() })),
  ).flat()
}

/** Requests by kind. Each call makes the next one. */
function makers({ key, noticeKey, accounts, dedicatedWallets }) {
  let payments = 0
  let deposits = 0
  const post = (path, body) => ({ method: 'POST', path, key, body: JSON.stringify(body) })
  const get = (path) => ({ method: 'GET', path, key })
  const nextAccount = () => {
    payments += 1
    return accounts[payments % accounts.length].accountNumber
  }
  /** What a bank sends. Without an account number, one is taken from the accounts opened. */
  const notice = (notified) => ({
    method: 'POST',
    path: '/rails/sandbox-bank/notices/test',
    notice: { key: noticeKey, ...notified },
  })
  const quote = (direction) => ({
    ...post('/v1/conversions/quotes', direction),
    keeps: { field: 'reference', as: ['quotes'] },
  })
  const bankTransfer = { amount: 10_000, bankCode: '058', accountNumber: '0123456789' }
  return {
    crypto: () => ({
      ...post('/v1/disbursements/crypto', {
        amount: '0.01',
        asset: 'USDC',
        network: 'SOLANA',
        destinationAddress: makeAddress(),
        merchantReference: '#',
      }),
      keeps: { field: 'reference', as: ['transfers', 'histories'] },
    }),
    bank: () =>
      post('/v1/disbursements/bank-transfer', { ...bankTransfer, merchantReference: '#' }),
    pay: () => post('/v1/test/bank-transfers', { accountNumber: nextAccount(), amount: 10_000 }),
    notice: () => notice({ accountNumber: nextAccount(), amount: '10000' }),
    open: () => ({
      ...post('/v1/collections/virtual-accounts', {
        merchantReference: '#',
        amount: accountAmount,
      }),
      keeps: { field: 'accountNumber', as: ['accounts'] },
    }),
    payAccount: () => ({ ...notice({ amount: `${accountAmount}` }), takes: { pool: 'accounts' } }),
    // Returned to the payer, by the default settings.
    underpay: () => ({
      ...notice({ amount: `${accountAmount / 2}` }),
      takes: { pool: 'accounts' },
    }),
    refund: () => ({
      ...post('/v1/collections/payments/@/refund', {
        amount: 1_000,
        reason: 'requested_by_customer',
      }),
      takes: { pool: 'refundable' },
    }),
    deposit() {
      deposits += 1
      const { address } = dedicatedWallets[deposits % dedicatedWallets.length]
      return post('/v1/test/crypto-deposits', { address, asset: 'USDC', amount: '1' })
    },
    session: () => ({
      ...post('/v1/checkout/sessions', {
        merchantReference: '#',
        amount: accountAmount,
        description: 'Two loaves of agege bread',
        customer: { name: 'Ada Obi', email: 'ada@shop.example' },
      }),
      keeps: { field: 'reference', as: ['sessions', 'sessions', 'sessions'] },
    }),
    checkout: () => ({ ...get('/public/checkout/@'), takes: { pool: 'sessions' } }),
    quoteOfNaira: () => quote({ from: 'NGN', to: 'USDC', amount: 200_000 }),
    quoteOfCoins: () => quote({ from: 'USDC', to: 'NGN', amount: '1' }),
    convert: () => ({ ...post('/v1/conversions', { quote: '@' }), takes: { pool: 'quotes' } }),
    createBatch: () => ({
      ...post('/v1/disbursements/batches', {
        kind: 'bank_transfer',
        items: Array.from({ length: itemsPerBatch }, () => bankTransfer),
      }),
      keeps: { field: 'reference', as: ['batches'] },
    }),
    submitBatch: () => ({
      ...post('/v1/disbursements/batches/@/submit', {}),
      takes: { pool: 'batches', minAgeMs: batchReadyMs },
    }),
    balances: () => get('/v1/balances'),
    oneTransfer: () => ({ ...get('/v1/disbursements/crypto/@'), takes: { pool: 'transfers' } }),
    onePayment: () => ({ ...get('/v1/collections/payments/@'), takes: { pool: 'payments' } }),
    timeline: () => ({ ...get('/v1/timeline/@'), takes: { pool: 'histories' } }),
    list: () => get('/v1/disbursements/crypto'),
    listDisbursements: () => get('/v1/disbursements'),
    listPayments: () => ({
      ...get('/v1/collections/payments?source=dedicated_account&status=ACCEPTED'),
      keeps: { field: 'reference', as: ['payments', 'refundable'] },
    }),
    listAccounts: () => get('/v1/collections/virtual-accounts'),
    listEntries: () => get('/v1/balance-entries?asset=NGN'),
    listEvents: () => get('/v1/events'),
    listRequestLogs: () => get('/v1/request-logs'),
  }
}

/** Every kind as often as its share, as evenly as possible. */
function spread(counts) {
  return Object.entries(counts)
    .flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, index) => ({ kind, at: (index + 0.5) / count })),
    )
    .toSorted((one, other) => one.at - other.at)
    .map(({ kind }) => kind)
}

export function makeAddress() {
  const { publicKey } = generateKeyPairSync('ed25519')
  return base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
}
