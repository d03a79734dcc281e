import { randomBytes } from 'node:crypto'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { createExchange } from '../../src/conversions/exchange.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import { createFeeBook } from '../../src/payouts/requests/fee-book.js'
import { createPausedRails } from '../../src/payouts/requests/paused-rails.js'
import { createPayoutPreparation } from '../../src/payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import { closeSettled } from '../../src/payouts/settlements/close-subaccounts.js'
import { settleDue } from '../../src/payouts/settlements/settle-due.js'
import { createRateBook } from '../../src/rates/rate-book.js'
import { magicAccounts } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { simulatedRates } from '../../src/simulation/simulated-rates.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { openManilla, standardNaira } from '../support/open-manilla.js'

/** What the sandbox bank does with transfers to these accounts. */
export const accounts = {
  completes: '0123456789',
  fails: magicAccounts[1]!.number,
  reverses: magicAccounts[2]!.number,
  staysOpen: magicAccounts[5]!.number,
}

/** The service with a bank, and shops whose owners have sellers. */
export async function openMarket() {
  const db = await freshDatabase()
  const clock = manualClock()
  const logger = createLogger('silent')
  const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
  const secret = new Secret(randomBytes(32).toString('hex'))
  const rails = new Rails({ test: { payoutBank: bank, collectBank: bank } })
  const service = await openManilla({ beside: { db, clock, secret }, rails })
  const fees = createFeeBook({ db, clock })
  const preparation = createPayoutPreparation({ db, rails, fees, logger })
  const paused = createPausedRails({ db, clock })
  const send = createSendAfterCommit({ rails, clock, logger, paused })
  const rates = createRateBook({ db, clock, simulated: simulatedRates })
  const exchange = createExchange({ db, rates, backCoins: undefined, mintPending: async () => {} })
  const settler = { db, clock, preparation, exchange, send, logger, naira: standardNaira }
  const batchWorker = { db, rails, preparation, fees, clock, logger, send }
  let calls = 0

  /** Advances the clock and runs the workers that pay. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      clock.advance(1_000)
      while ((await runBatches(batchWorker, 'test')) > 0);
      await settleDue({ ...settler, mode: 'test' }, clock.now())
      await pollPayouts({ db, rail: bank, clock, logger }, clock.now())
      await closeSettled(db, clock.now())
      await followReversals({ db, rail: bank, logger }, clock.now())
    }
  }

  async function openShop() {
    const merchant = await service.addMerchant('Shop')
    const key = merchant.test.secret
    const post = (path: string, body: object = {}) => {
      calls += 1
      // Rows of one moment are listed in any order.
      clock.advance(1)
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
      /** A sub-account with money of the merchant. */
      addFunded: async (amount: number, body?: object) => {
        const created = (await post('/v1/subaccounts', body ?? { name: 'Ada Fabrics' })).json.data
        await post('/v1/test/balances/fund', { asset: 'NGN', amount })
        const path = `/v1/subaccounts/${created.reference}/transfers`
        await post(path, { from: 'merchant', asset: 'NGN', amount })
        return created
      },
      payOut: (body: object) =>
        post('/v1/disbursements/bank-transfer', {
          amount: 300_000,
          bankCode: '058',
          accountNumber: accounts.completes,
          ...body,
        }),
      /** Of the merchant, in naira. */
      balance: async () => (await get('/v1/balances')).items[0],
      balanceOf: async ({ reference }: { reference: string }, asset = 'NGN') => {
        const { balances } = await get(`/v1/subaccounts/${reference}`)
        return balances.find((balance: { asset: string }) => balance.asset === asset)
      },
    }
  }

  return { db, clock, bank, service, openShop, pass }
}
