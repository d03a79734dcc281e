import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { limits } from '../../src/base/limits.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { Rails } from '../../src/collections/rails.js'
import { followReversals } from '../../src/payouts/attempts/follow-reversals.js'
import { pollPayouts } from '../../src/payouts/attempts/poll-payouts.js'
import { payoutLimits } from '../../src/payouts/limits.js'
import type { ReversingRail } from '../../src/payouts/ports.js'
import { createSandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { manualClock } from '../support/clock.js'
import { freshDatabase } from '../support/database.js'
import { type Merchant, openManilla } from '../support/open-manilla.js'
import { expectAllProofs } from '../support/sound-books.js'

const db = await freshDatabase()
const clock = manualClock()
const log: string[] = []
const logger = createLogger('error', { write: (line) => log.push(line) })
const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
const service = await openManilla({
  beside: { db, clock, secret: new Secret(randomBytes(32).toString('hex')) },
  rails: new Rails({ test: { payoutBank: bank } }),
})
const path = '/v1/disbursements/bank-transfer'
const sentBack = '9900000034'
const mostKobo = Number(limits.money.wireMax)

function fund({ test: { secret: key } }: Merchant, amount: number) {
  return service.ask('POST', '/v1/test/balances/fund', { key, body: { asset: 'NGN', amount } })
}

let count = 0
async function pay({ test: { secret: key } }: Merchant, accountNumber = sentBack) {
  const headers = { 'idempotency-key': `reversal ${count++}` }
  const body = { amount: 1_000_000, bankCode: '058', accountNumber }
  return (await service.ask('POST', path, { key, headers, body })).json.data.reference as string
}

async function statusOf({ test: { secret: key } }: Merchant, reference: string): Promise<string> {
  return (await service.ask('GET', `${path}/${reference}`, { key })).json.data.status
}

async function available({ test: { secret: key } }: Merchant): Promise<number> {
  const { json } = await service.ask('GET', '/v1/balances', { key })
  return json.data.items.find((item: { asset: string }) => item.asset === 'NGN').available
}

async function pass(seconds: number) {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(1_000)
    await pollPayouts({ db, rail: bank, logger, clock }, clock.now())
    await followReversals({ db, rail: bank, logger }, clock.now())
  }
}

// The balance is at its maximum, so the reversal does not fit: the transfer must not become REVERSED
// without its money, and the reversals of others must not wait for it.
test('a reversal that does not fit into the balance waits and does not block others', async () => {
  const [full, other] = [service.merchant, await service.addMerchant('Bola')]
  await fund(full, mostKobo)
  await fund(other, 2_000_000)
  const stuck = await pay(full)
  await pass(3)
  await fund(full, mostKobo - (await available(full)))
  expect(await available(full)).toBe(mostKobo)
  const free = await pay(other)
  await pass(20)
  expect(await statusOf(full, stuck)).toBe('COMPLETED')
  expect(await available(full)).toBe(mostKobo)
  expect(await statusOf(other, free)).toBe('REVERSED')
  expect(await available(other)).toBe(2_000_000)
  expect(log.join()).toContain('a reversal does not fit into the balance')
  await expectAllProofs(db)

  await pay(full, '0123456789')
  await pass(payoutLimits.unbookedReversalIntervalMs / 1_000)
  expect(await statusOf(full, stuck)).toBe('REVERSED')
  expect(await available(full)).toBe(mostKobo)
  expect(await db.rows({ text: 'select from waiting_reversals', values: [] })).toEqual([])
  await expectAllProofs(db)
})

// The bank reports the reversal before a worker has learned of the completion.
test('a reversal waits until its payout is completed', async () => {
  const merchant = await service.addMerchant('Dayo')
  await fund(merchant, 2_000_000)
  const reference = await pay(merchant, '0123456789')
  const hasty: ReversingRail = {
    ...bank,
    findReversed: async (after) => ({
      cursor: after + 1n,
      references: [reference],
    }),
  }
  await followReversals({ db, rail: hasty, logger }, clock.now())
  expect(await statusOf(merchant, reference)).toBe('SUBMITTED')
  await pass(5)
  expect(await statusOf(merchant, reference)).toBe('REVERSED')
  expect(await available(merchant)).toBe(2_000_000)
  await expectAllProofs(db)
})

test('a reversal of an unknown transfer is reported to the operator', async () => {
  const references = ['bt_00000000000000000000000000', 'whatever']
  const strange: ReversingRail = {
    ...bank,
    findReversed: async (after) => ({ cursor: after + 1n, references }),
  }
  log.length = 0
  await followReversals({ db, rail: strange, logger }, clock.now())
  expect(log.map((line) => JSON.parse(line).reference)).toEqual(references)
})
