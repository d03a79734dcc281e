import { strict as assert } from 'node:assert'
import type { TestChain } from '../../../simulation/localnet/localnet.js'
import { definePath, type Path } from '../run-path.js'
import type { WorldSettings } from '../world.js'
import { merchantOf } from './merchant.js'
import {
  bankPath,
  checkAtBank,
  checkTreasury,
  cryptoPath,
  isAllMinted,
  newWallet,
  readCoins,
  toMicro,
} from './payouts.js'

const naira = 20_000_000
const accountNumber = '0123456789'
const coins = '100'
/** How long a quote is valid. */
const quoteMs = 60_000

/** What the merchant has left, in kobo and in millionths of a coin. */
async function readBalances(merchant: ReturnType<typeof merchantOf>) {
  const [inNaira, inCoins] = [await merchant.balance('NGN'), await merchant.balance('USDC')]
  assert.deepEqual(
    [inNaira.held, inNaira.pending, toMicro(`${inCoins.held}`), toMicro(`${inCoins.pending}`)],
    [0, 0, 0, 0],
  )
  return { naira: inNaira.available, micro: toMicro(`${inCoins.available}`) }
}

/** The only conversion of the merchant. */
async function readConversion(merchant: ReturnType<typeof merchantOf>) {
  const { items } = await merchant.get('/v1/conversions?limit=100')
  assert.equal(items.length, 1)
  const [conversion] = items
  assert.equal(conversion.status, 'COMPLETED')
  assert.deepEqual(await merchant.eventTypes(conversion.reference), ['conversion.completed'])
  return conversion
}

async function expectNoConversion(
  merchant: ReturnType<typeof merchantOf>,
  quote: string,
  reason: string,
): Promise<void> {
  const { json } = await merchant.ask('POST', '/v1/conversions', { quote })
  assert.equal(json.reason, reason)
}

/** A worker mints what the API could not mint. Nothing else waits for that, so the paths do. */
export function conversionPaths(chain: TestChain): Path[] {
  const settings: WorldSettings = { bank: 'sandbox', chain }
  return [
    definePath({
      name: 'test funding mints coins',
      settings,
      prepare: async (world) => ({ merchant: merchantOf(world) }),
      async run(world, { merchant }) {
        await merchant.fund('USDC', coins)
        await world.untilQuiet(() => isAllMinted(world))
      },
      async check(world, { merchant }) {
        assert.deepEqual(await readBalances(merchant), { naira: 0, micro: toMicro(coins) })
        await checkTreasury(world, 0)
        assert.equal(await readCoins(world, world.outside.treasuryAddress), toMicro(coins))
      },
    }),
    definePath({
      name: 'conversion of naira to coins',
      settings,
      async prepare(world) {
        const merchant = merchantOf(world)
        await merchant.fund('NGN', naira)
        return { merchant }
      },
      async run(world, { merchant }) {
        const wanted = { from: 'NGN', to: 'USDC', amount: 15_000_000 }
        const { reference } = await merchant.post('/v1/conversions/quotes', wanted)
        await merchant.post('/v1/conversions', { quote: reference })
        await expectNoConversion(merchant, reference, 'quote_used')
        const later = await merchant.post('/v1/conversions/quotes', {
          ...wanted,
          amount: 1_000_000,
        })
        world.clock.advance(quoteMs)
        await expectNoConversion(merchant, later.reference, 'quote_expired')
        await world.untilQuiet(() => isAllMinted(world))
      },
      async check(world, { merchant }) {
        const { sourceAmount, targetAmount } = await readConversion(merchant)
        assert.equal(sourceAmount, 15_000_000)
        assert.deepEqual(await readBalances(merchant), {
          naira: naira - sourceAmount,
          micro: toMicro(targetAmount),
        })
        await checkTreasury(world, 0)
      },
    }),
    definePath({
      name: 'conversion of coins to naira',
      settings,
      async prepare(world) {
        const merchant = merchantOf(world)
        await merchant.fund('USDC', coins)
        return { merchant }
      },
      async run(_world, { merchant }) {
        const wanted = { from: 'USDC', to: 'NGN', targetAmount: 5_000_000 }
        const { reference } = await merchant.post('/v1/conversions/quotes', wanted)
        await merchant.post('/v1/conversions', { quote: reference })
      },
      async check(world, { merchant }) {
        const { sourceAmount, targetAmount } = await readConversion(merchant)
        assert.equal(targetAmount, 5_000_000)
        assert.deepEqual(await readBalances(merchant), {
          naira: targetAmount,
          micro: toMicro(coins) - toMicro(sourceAmount),
        })
        await checkTreasury(world, 0)
      },
    }),
    definePath({
      name: 'crypto payout paid with naira',
      settings,
      async prepare(world) {
        const merchant = merchantOf(world)
        await merchant.fund('NGN', naira)
        const transfer = {
          amount: '25.5',
          asset: 'USDC',
          network: 'SOLANA',
          destinationAddress: newWallet(),
        }
        return { merchant, transfer, reference: '' }
      },
      async run(world, prepared) {
        const { merchant, transfer } = prepared
        const fundFrom = { asset: 'NGN', maxRate: '1700' }
        const payout = await merchant.post(cryptoPath, { ...transfer, fundFrom })
        prepared.reference = payout.reference
        await world.untilQuiet(() => isAllMinted(world))
      },
      async check(world, { merchant, transfer, reference }) {
        const payout = await merchant.get(`${cryptoPath}/${reference}`)
        const { sourceAmount, targetAmount, transferReference } = await readConversion(merchant)
        assert.equal(payout.status, 'CONFIRMED')
        assert.equal(transferReference, reference)
        assert.equal(targetAmount, payout.totalDebit)
        assert.deepEqual(await readBalances(merchant), { naira: naira - sourceAmount, micro: 0 })
        assert.deepEqual(await merchant.eventTypes(reference), [
          'crypto_transfer.submitted',
          'crypto_transfer.confirmed',
        ])
        const arrived = toMicro(transfer.amount)
        assert.equal(await readCoins(world, transfer.destinationAddress), arrived)
        await checkTreasury(world, arrived)
      },
    }),
    definePath({
      name: 'bank payout paid with coins',
      settings,
      async prepare(world) {
        const merchant = merchantOf(world)
        await merchant.fund('USDC', coins)
        return { merchant, reference: '' }
      },
      async run(_world, prepared) {
        const { merchant } = prepared
        const transfer = {
          amount: 2_000_000,
          bankCode: '058',
          accountNumber,
          fundFrom: { asset: 'USDC', maxRate: '1' },
          merchantReference: 'salary-1',
        }
        prepared.reference = (await merchant.post(bankPath, transfer)).reference
        // Refused after it was converted, so the conversion must be undone.
        const again = await merchant.ask('POST', bankPath, transfer)
        assert.equal(again.json.reason, 'duplicate_reference')
      },
      async check(world, { merchant, reference }) {
        const payout = await merchant.get(`${bankPath}/${reference}`)
        const { sourceAmount, targetAmount, transferReference } = await readConversion(merchant)
        assert.equal(payout.status, 'COMPLETED')
        assert.equal(transferReference, reference)
        assert.equal(targetAmount, payout.totalDebit)
        assert.deepEqual(await readBalances(merchant), {
          naira: 0,
          micro: toMicro(coins) - toMicro(sourceAmount),
        })
        assert.deepEqual(await merchant.eventTypes(reference), [
          'bank_transfer.submitted',
          'bank_transfer.completed',
        ])
        await checkAtBank(world, reference, {
          amount: 2_000_000,
          accountNumber,
          state: 'success',
        })
        await checkTreasury(world, 0)
      },
    }),
  ]
}
