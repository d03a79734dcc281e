import { strict as assert } from 'node:assert'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { merchantOf } from './merchant.js'
import { bankPath, workUntil } from './payouts.js'
import { accountNumber, listPaid, magicNumber } from './sandbox-transfers.js'

const settings: WorldSettings = { bank: 'sandbox' }
const funded = 1_000_000

type Prepared = { merchant: ReturnType<typeof merchantOf>; sellers: string[] }

async function readNaira(merchant: Prepared['merchant'], reference: string) {
  const { balances } = await merchant.get(`/v1/subaccounts/${reference}`)
  return balances.find(({ asset }: { asset: string }) => asset === 'NGN')
}

type Funded = { merchant: Prepared['merchant']; seller: string; reference: string }

/** A sub-account that has all money of the merchant, and the bank account that it is settled to. */
async function prepareFunded(world: World, settledTo: string): Promise<Funded> {
  const merchant = merchantOf(world)
  await merchant.fund('NGN', funded)
  const { reference: seller } = await merchant.post('/v1/subaccounts', {
    name: 'Ada',
    bankAccount: { bankCode: '058', accountNumber: settledTo },
  })
  await merchant.post(`/v1/subaccounts/${seller}/transfers`, {
    from: 'merchant',
    asset: 'NGN',
    amount: funded,
  })
  return { merchant, seller, reference: '' }
}

/** What the sub-account paid, by what became of the payout. The merchant pays nothing. */
async function checkPaidBy({ merchant, seller }: Funded, spent: number): Promise<void> {
  const { available, held } = await readNaira(merchant, seller)
  assert.deepEqual({ available, held }, { available: funded - spent, held: 0 })
  assert.deepEqual(await merchant.balance(), { available: 0, held: 0, pending: 0 })
}

const amount = 300_000

function payFrom(path: { name: string; to: string; status: string; isPaid: boolean }): Path {
  return definePath<Funded>({
    name: path.name,
    settings,
    prepare: (world) => prepareFunded(world, path.to),
    async run(world, paying) {
      const { merchant, seller } = paying
      const destination = { bankCode: '058', accountNumber: path.to }
      const made = await merchant.post(bankPath, { amount, ...destination, from: seller })
      paying.reference = made.reference
      await workUntil(
        world,
        async () => (await merchant.get(`${bankPath}/${made.reference}`)).status === path.status,
      )
    },
    async check(_world, paying) {
      const { status, from, totalDebit } = await paying.merchant.get(
        `${bankPath}/${paying.reference}`,
      )
      assert.deepEqual([status, from], [path.status, paying.seller])
      await checkPaidBy(paying, path.isPaid ? totalDebit : 0)
      const { items } = await paying.merchant.get(`${bankPath}?subaccount=${paying.seller}`)
      assert.equal(items.length, 1)
    },
  })
}

const settlesAndCloses = definePath<Funded>({
  name: 'a sub-account is settled, then paid out and closed',
  settings,
  prepare: (world) => prepareFunded(world, accountNumber(1)),
  async run(world, { merchant, seller }) {
    await merchant.post(`/v1/subaccounts/${seller}/settlements`, { amount })
    const paid = async () => {
      const { items } = await merchant.get(`/v1/settlements?subaccount=${seller}`)
      return items[0].status === 'PAID'
    }
    await workUntil(world, paid)
    await merchant.post(`/v1/subaccounts/${seller}/close`, { balance: 'pay_out' })
    const isClosed = async () =>
      (await merchant.get(`/v1/subaccounts/${seller}`)).status === 'CLOSED'
    await workUntil(world, isClosed)
  },
  async check(world, { merchant, seller }) {
    const { items } = await merchant.get(`/v1/settlements?subaccount=${seller}`)
    type Shown = { reference: string; amount: number; fee: number; status: string }
    const settlements: Shown[] = items.toReversed()
    assert.deepEqual(
      settlements.map(({ status }) => status),
      ['PAID', 'PAID'],
    )
    assert.deepEqual(
      await listPaid(world),
      settlements.map((settlement) => settlement.amount),
    )
    const spent = settlements.reduce(
      (sum, settlement) => sum + settlement.amount + settlement.fee,
      0,
    )
    assert.equal((await merchant.balance()).available, funded - spent)
    for (const { reference } of settlements)
      assert.deepEqual(await merchant.eventTypes(reference), [
        'subaccount_settlement.created',
        'subaccount_settlement.paid',
      ])
    const { status, closing } = await merchant.get(`/v1/subaccounts/${seller}`)
    assert.deepEqual([status, closing], ['CLOSED', false])
  },
})

const isNotClosed = definePath<Funded>({
  name: 'a sub-account is not closed, because its last payout fails',
  settings,
  prepare: (world) => prepareFunded(world, magicNumber(2)),
  async run(world, { merchant, seller }) {
    await merchant.post(`/v1/subaccounts/${seller}/close`, { balance: 'pay_out' })
    const hasEnded = async () => !(await merchant.get(`/v1/subaccounts/${seller}`)).closing
    await workUntil(world, hasEnded)
  },
  async check(_world, paying) {
    const { merchant, seller } = paying
    assert.equal((await merchant.get(`/v1/subaccounts/${seller}`)).status, 'PAUSED')
    await checkPaidBy(paying, 0)
    const types = ['subaccount.created', 'subaccount.closing_failed']
    assert.deepEqual(await merchant.eventTypes(seller), types)
  },
})

export const subaccountPaths: Path[] = [
  definePath<Prepared>({
    name: 'money moves to a sub-account, to another and back; one is closed',
    settings,
    async prepare(world) {
      const merchant = merchantOf(world)
      await merchant.fund('NGN', funded)
      return { merchant, sellers: [] }
    },
    async run(_world, prepared) {
      const { merchant } = prepared
      const ada = await merchant.post('/v1/subaccounts', { name: 'Ada', externalReference: 'a' })
      const bola = await merchant.post('/v1/subaccounts', { name: 'Bola' })
      prepared.sellers = [ada.reference, bola.reference]
      const move = (of: { reference: string }, body: object) =>
        merchant.post(`/v1/subaccounts/${of.reference}/transfers`, { asset: 'NGN', ...body })
      await move(ada, { from: 'merchant', amount: 600_000 })
      await move(bola, { from: ada.reference, amount: 250_000 })
      await move(bola, { to: 'merchant', amount: 50_000 })
      await merchant.post(`/v1/subaccounts/${bola.reference}/close`)
    },
    async check(_world, { merchant, sellers }) {
      const { items } = await merchant.get('/v1/subaccounts')
      assert.equal(items.length, 2)
      assert.equal((await readNaira(merchant, sellers[0]!)).available, 350_000)
      assert.equal((await readNaira(merchant, sellers[1]!)).available, 0)
      assert.deepEqual(await merchant.balance(), {
        available: funded - 350_000,
        held: 0,
        pending: 0,
      })
      for (const seller of sellers)
        assert.deepEqual(await merchant.eventTypes(seller), ['subaccount.created'])
    },
  }),
  payFrom({
    name: 'a payout from a sub-account completes',
    to: accountNumber(1),
    status: 'COMPLETED',
    isPaid: true,
  }),
  payFrom({
    name: 'a payout from a sub-account fails',
    to: magicNumber(2),
    status: 'FAILED',
    isPaid: false,
  }),
  payFrom({
    name: 'a payout from a sub-account is reversed',
    to: magicNumber(3),
    status: 'REVERSED',
    isPaid: false,
  }),
  settlesAndCloses,
  isNotClosed,
]
