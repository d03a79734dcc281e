import { randomBytes } from 'node:crypto'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { openManilla } from '../support/open-manilla.js'

/** The service with a bank, and shops whose owners have sellers. */
export async function openMarket() {
  const db = await freshDatabase()
  const clock = manualClock()
  const logger = createLogger('silent')
  const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
  const secret = new Secret(randomBytes(32).toString('hex'))
  const rails = new Rails({ test: { payoutBank: bank, collectBank: bank } })
  const service = await openManilla({ beside: { db, clock, secret }, rails })
  let calls = 0

  async function openShop() {
    const merchant = await service.addMerchant('Shop')
    const key = merchant.test.secret
    const post = (path: string, body: object = {}) => {
      calls += 1
      const headers = { 'idempotency-key': `call ${calls}` }
      return service.ask('POST', path, { key, body, headers })
    }
    const get = async (path: string) => (await service.ask('GET', path, { key })).json.data
    return {
      merchant,
      post,
      get,
      patch: (path: string, body: object) => service.ask('PATCH', path, { key, body }),
      addSeller: async (body: object = { name: 'Ada Fabrics' }) =>
        (await post('/v1/subaccounts', body)).json.data,
      fund: (amount: number) => post('/v1/test/balances/fund', { asset: 'NGN', amount }),
      /** Of the merchant, in naira. */
      balance: async () => (await get('/v1/balances')).items[0],
      balanceOf: async ({ reference }: { reference: string }, asset = 'NGN') => {
        const { balances } = await get(`/v1/subaccounts/${reference}`)
        return balances.find((balance: { asset: string }) => balance.asset === asset)
      },
    }
  }

  return { db, clock, bank, service, openShop }
}
