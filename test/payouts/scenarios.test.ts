import { expect, test } from 'vitest'
import type { LiveAttempt, PayoutRail } from '../../src/payouts/ports.js'
import { setFaults } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet, unchecked, usdc } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/sessions.js'
import { openFundedHouse, openSolanaHouse, untilFinal, untilGone } from './solana-house.js'

/** What may become of a transaction on its way, block by block, on the real chain and rail. */

const db = await freshDatabase()
const left = '73.5'

/** Commits, and dies before anything leaves. */
const mute = (rail: PayoutRail): PayoutRail => ({ ...rail, send: async () => {} })

test('a transfer lands and is confirmed', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db)
  const { data } = (await world.pay(wallet)).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await world.look()
  // Landed is not final yet: it may still be taken back.
  expect((await world.find(data.reference)).status).toBe('SUBMITTED')
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
  expect(await world.look()).toBe(0)
})

// The books have the money, the treasury has not: the simulation says so before anything is held.
test('what the simulation refuses is not held, and the same key may try again', async () => {
  const { chain, ...world } = await openSolanaHouse(db, { mintsLate: true })
  expect((await world.fund('100')).status).toBe(201)
  const wallet = await newWallet()
  const refused = await world.pay(wallet, {}, 'again')
  expect([refused.status, refused.json.reason]).toEqual([503, 'treasury_short'])
  const forGood = await world.pay(usdc)
  expect([forGood.status, forGood.json.reason]).toEqual([422, 'destination_is_mint'])
  expect(await world.balances()).toMatchObject({ available: '100', held: '0' })
  expect(await world.look()).toBe(0)
  await world.back()
  const { data } = (await world.pay(wallet, {}, 'again')).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

test('one that lands and fails gives the money back, once it is final', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'fail' })
  const { data } = (await world.pay(wallet)).json
  await until(async () => {
    await chain.advance()
    return (await world.landings(data.reference)).length > 0
  })
  await world.look()
  expect(await world.balances()).toMatchObject({ available: '73.5', held: '26.5' })
  await chain.advance(untilFinal)
  await world.look()
  await world.expectNotPaid(data.reference, wallet, { left: '100' })
  expect((await world.find(data.reference)).failureReason).toBe('chain_error')
})

test('one that was committed and never sent is sent by whoever looks', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db, { served: mute })
  const { data } = (await world.pay(wallet)).json
  expect(await world.landings(data.reference)).toEqual([])
  await world.look()
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
  expect((await world.find(data.reference)).attempts).toHaveLength(1)
})

test('one that was sent by a worker who died before it wrote that down is paid once', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db, { served: mute })
  const { data } = (await world.pay(wallet)).json
  const dying = {
    ...world.rail,
    async send(attempts: LiveAttempt[]) {
      await world.rail.send(attempts)
      throw new Error('killed')
    },
  }
  await expect(world.look({ rail: dying })).rejects.toThrow('killed')
  expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

// The node answers an error, and has passed the transaction on all the same.
test('one whose reply is lost concludes nothing from that', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db, { served: mute })
  const { data } = (await world.pay(wallet)).json
  await setFaults(chain, { match: { account: wallet }, fault: 'lose_reply' })
  await world.look()
  expect(world.log.join()).toContain('endpoint rejected a transaction')
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
})

test('one that is dropped for a while is sent again, the same bytes, until it lands', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db, { served: mute })
  await setFaults(chain, { match: { account: wallet }, fault: 'drop', times: 3 })
  const { data } = (await world.pay(wallet)).json
  for (let looks = 0; looks < 3; looks += 1) {
    await world.look()
    await chain.advance(10)
    expect(await balanceOf(chain, wallet)).toBe(0n)
  }
  await world.look()
  expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
  expect((await world.find(data.reference)).attempts).toHaveLength(1)
})

// Between the last block that can take the bytes and the moment when everybody knows that none
// has, nothing may be signed: this is where paying twice would happen.
test('one that never lands is signed anew only when it is dead, and one of the two lands', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'drop' })
  const { data } = (await world.pay(wallet)).json
  const wire = await readWire(data.transactionSignature)
  await chain.advance(150)
  await setFaults(chain)
  for (let blocks = 150; blocks < untilGone - 5; blocks += 4) {
    await world.look()
    expect((await world.find(data.reference)).attempts).toHaveLength(1)
    await chain.advance(4)
  }
  await chain.advance(10)
  await world.look()
  const again = await world.find(data.reference)
  expect(again.attempts.map(({ state }: { state: string }) => state)).toEqual(['DEAD', 'LIVE'])
  // Whoever kept the first bytes can do nothing with them any more.
  await chain.ask('sendTransaction', wire, unchecked)
  await chain.advance(untilFinal)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
  expect((await world.landings(data.reference))[0]!.signature).toBe(again.transactionSignature)
})

test('one that never lands, however often it is signed, fails and gives the money back', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'drop' })
  const { data } = (await world.pay(wallet)).json
  for (let attempts = 1; attempts <= 5; attempts += 1) {
    expect((await world.find(data.reference)).attempts).toHaveLength(attempts)
    await chain.advance(untilGone)
    await world.look()
  }
  await world.expectNotPaid(data.reference, wallet, { left: '100' })
  expect((await world.find(data.reference)).failureReason).toBe('expired')
})

// Far later than anybody expects, and just in time: the first bytes land, and are the only ones.
test('one that lands 140 blocks late is waited for', async () => {
  const { chain, wallet, ...world } = await openFundedHouse(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'delay', slots: 140 })
  const { data } = (await world.pay(wallet)).json
  for (let blocks = 0; blocks < 138; blocks += 23) {
    await world.look()
    await chain.advance(23)
    expect(await balanceOf(chain, wallet)).toBe(0n)
  }
  await chain.advance(untilGone)
  await world.look()
  await world.expectPaidOnce(data.reference, wallet, { left })
  expect((await world.find(data.reference)).attempts).toHaveLength(1)
})

async function readWire(token: string): Promise<string> {
  const [row] = await db.rows<{ wire: Buffer }>({
    text: 'select wire from payout_attempts where token = $1',
    values: [token],
  })
  return row!.wire.toString('base64')
}
