/** The requests of the soak: what a busy merchant sends in a day, over and over. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { base58 } from '@scure/base'

/** Out of 20 requests. */
const shares = { crypto: 8, bank: 6, pay: 2, open: 1, balances: 2, list: 1 }
const turns = 50
const customers = shares.pay * turns
const events = [
  'crypto_transfer.confirmed',
  'bank_transfer.completed',
  'dedicated_account.credited',
]

/** Funds the merchant, opens what the requests need, and returns them in the order to send. */
export async function createMix({ url, key, requests, webhookUrl }) {
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
  await ask('/v1/webhook-endpoints', { url: webhookUrl, events })
  await ask('/v1/test/balances/fund', { asset: 'USDC', amount: String(requests + 1_000) })
  await ask('/v1/test/balances/fund', { asset: 'NGN', amount: (requests + 1_000) * 50_000 })
  const accountNumbers = []
  for (let customer = 1; customer <= customers; customer += 1) {
    const externalReference = `customer-${customer}`
    const opened = await ask('/v1/collections/dedicated-accounts', { externalReference })
    accountNumbers.push(opened.accountNumber)
  }
  let payments = 0

  const post = (path, body) => ({ method: 'POST', path, key, body: JSON.stringify(body) })
  const make = {
    crypto: () =>
      post('/v1/disbursements/crypto', {
        amount: '0.01',
        asset: 'USDC',
        network: 'SOLANA',
        destinationAddress: makeAddress(),
        merchantReference: '#',
      }),
    bank: () =>
      post('/v1/disbursements/bank-transfer', {
        amount: 10_000,
        bankCode: '058',
        accountNumber: '0123456789',
        merchantReference: '#',
      }),
    pay() {
      payments += 1
      const accountNumber = accountNumbers[payments % customers]
      return post('/v1/test/bank-transfers', { accountNumber, amount: 10_000 })
    },
    open: () =>
      post('/v1/collections/virtual-accounts', { merchantReference: '#', amount: 500_000 }),
    balances: () => ({ method: 'GET', path: '/v1/balances', key }),
    list: () => ({ method: 'GET', path: '/v1/disbursements/crypto', key }),
  }
  const kinds = spread(shares)
  return Array.from({ length: turns }, () =>
    kinds.map((kind) => ({ kind, ...make[kind]() })),
  ).flat()
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
