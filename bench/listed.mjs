/** Creates what lists show and no measured path creates: the same on every database. */
import { randomUUID } from 'node:crypto'

/** More than a page. */
const count = 25
const item = { amount: 10_000, bankCode: '058', accountNumber: '0123456789' }

/** Returns references by name. */
export async function createListed({ key, servers, wallet }) {
  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${servers.stub.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  const post = (path, body) => ask('POST', path, body)
  const startedAt = new Date().toISOString()
  const endpoint = await post('/v1/webhook-endpoints', {
    url: 'https://shop.example/webhooks',
    events: ['conversion.completed'],
  })
  const batch = await post('/v1/disbursements/batches', {
    kind: 'bank_transfer',
    items: Array.from({ length: count }, () => item),
  })
  for (let number = 1; number <= count; number += 1) {
    const externalReference = `customer-${number}`
    await post('/v1/collections/dedicated-accounts', { externalReference })
    await post('/v1/collections/dedicated-crypto-wallets', { externalReference, network: 'SOLANA' })
    await post('/v1/collections/crypto-wallets', {
      merchantReference: `order-${number}`,
      asset: 'USDC',
      network: 'SOLANA',
      amount: '25.50',
    })
    const quote = await post('/v1/conversions/quotes', { from: 'USDC', to: 'NGN', amount: '1' })
    await post('/v1/conversions', { quote: quote.reference })
  }
  const sessions = []
  for (let number = 1; number <= count; number += 1)
    sessions.push(
      await post('/v1/checkout/sessions', {
        amount: 1_250_000,
        description: 'Two loaves of agege bread',
        customer: { name: 'Ada Obi', email: 'ada@shop.example' },
      }),
    )
  const { accountNumber } = await post('/v1/collections/virtual-accounts', {
    merchantReference: 'order-1001',
    amount: 500_000,
  })
  const payment = await post('/v1/test/bank-transfers', { accountNumber, amount: 500_000 })
  const transfer = await post('/v1/disbursements/crypto', {
    amount: '0.01',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress: wallet,
  })
  // To the bank account that the demo merchant has.
  const settlement = await post('/v1/settlements', {})
  const events = await ask('GET', '/v1/events?type=conversion.completed')
  return {
    startedAt,
    wallet,
    endpoint: endpoint.id,
    batch: batch.reference,
    payment: payment.reference,
    transfer: transfer.reference,
    settlement: settlement.reference,
    event: events.items[0].id,
    session: sessions[0].reference,
  }
}
