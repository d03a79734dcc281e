import { expect, test } from 'vitest'
import { screenNotice } from '../../src/collections/screening/screen-senders.js'
import { manualClock } from '../support/clock.js'
import { openWithWallets, shopOf } from '../support/open-with-wallets.js'
import { openList } from '../support/screening.js'

test('a deposit from a listed wallet is held whole', async () => {
  const list = await openList(manualClock(), [])
  const service = await openWithWallets({ screening: list.screening })
  const shop = shopOf(service, await service.addMerchant('Ada'))
  const pay = async (merchantReference: string) => {
    const { json } = await shop.open({ merchantReference })
    await shop.deposit(json.data.address, '25')
    await service.settle()
    const [payment] = await shop.paymentsOf(json.data.reference)
    return payment
  }
  const first = await pay('order-1')
  const { address } = first.sender
  expect(first.status).toBe('ACCEPTED')
  await list.replace([{ id: 'S-3', addresses: [address] }])
  const second = await pay('order-2')
  expect(second).toMatchObject({
    status: 'HELD',
    heldFor: 'screening',
    amountHeld: '25',
    amountAccepted: '0',
    sender: { address },
  })
  const { json } = await shop.post(`/v1/collections/payments/${second.reference}/resolve`, {
    action: 'accept',
  })
  expect(json.reason).toBe('screening')
})

test('a wallet that is not known is held, and a bank payer without a name is not', async () => {
  const { screening } = await openList(manualClock(), [{ id: 'S-1', name: 'Ada Obi' }])
  const reported = {
    id: 'one',
    railAccount: 'one',
    amount: 1n,
    currency: 'USDC',
    bankSessionId: null,
    narration: null,
    receivedAt: new Date(0),
  }
  const screen = (sender: Parameters<typeof screenNotice>[1]['reported']['sender']) =>
    screenNotice(screening, { reported: { ...reported, sender }, mode: 'live', screened: null })
  expect(screen({ address: null })).toMatchObject({ verdict: 'unknown' })
  expect(screen(null)).toBeUndefined()
  const account = { accountNumber: '0123456789', bankCode: '058', bankName: 'GTB' }
  expect(screen({ name: '', ...account })).toBeUndefined()
  expect(screen({ name: 'Obi Ada', ...account })).toMatchObject({ verdict: 'hit', entry: 'S-1' })
})
