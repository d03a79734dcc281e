import { strict as assert } from 'node:assert'
import { definePath, type Path } from '../run-path.js'
import type { WorldSettings } from '../world.js'
import { merchantOf } from './merchant.js'

const settings: WorldSettings = { bank: 'sandbox' }
const funded = 1_000_000

type Prepared = { merchant: ReturnType<typeof merchantOf>; sellers: string[] }

async function readNaira(merchant: Prepared['merchant'], reference: string) {
  const { balances } = await merchant.get(`/v1/subaccounts/${reference}`)
  return balances.find(({ asset }: { asset: string }) => asset === 'NGN')
}

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
]
