import { expect, test } from 'vitest'
import type { LiveAttempt, PayoutRail } from '../../src/payouts/ports.js'
import { setFaults } from '../simulation/localnet/localnet.js'
import { balanceOf, newWallet, unchecked, usdc } from '../simulation/localnet/transfers.js'
import { freshDatabase } from '../support/database.js'
import { until } from '../support/sessions.js'
import { openFundedService, openSolanaService, untilFinal, untilGone } from './open-solana.js'

/** What can happen to a transaction, block by block, on the localnet with the real rail. */

const db = await freshDatabase()
const remaining = '73.5'

/** Like a process that commits and dies before it sends. */
const mute = (rail: PayoutRail): PayoutRail => ({ ...rail, send: async () => {} })

test('a transfer lands and is confirmed', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db)
  const { data } = (await solana.pay(wallet)).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await solana.poll()
  // Landed is not final yet: the block may still be dropped.
  expect((await solana.find(data.reference)).status).toBe('SUBMITTED')
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  expect(await solana.poll()).toBe(0)
})

// The books have the money and the treasury does not: found before anything is held.
test('a payout that the treasury cannot cover holds nothing, and its key can be used again', async () => {
  const { chain, ...solana } = await openSolanaService(db, { mintsLate: true })
  expect((await solana.fund('100')).status).toBe(201)
  const wallet = await newWallet()
  const refused = await solana.pay(wallet, {}, 'again')
  expect([refused.status, refused.json.reason]).toEqual([503, 'treasury_short'])
  const permanent = await solana.pay(usdc)
  expect([permanent.status, permanent.json.reason]).toEqual([422, 'destination_is_mint'])
  expect(await solana.balances()).toMatchObject({ available: '100', held: '0' })
  expect(await solana.poll()).toBe(0)
  await solana.mintFunding()
  const { data } = (await solana.pay(wallet, {}, 'again')).json
  await until(async () => (await balanceOf(chain, wallet)) > 0n)
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

test('a transfer that lands and fails releases the money once it is final', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'fail' })
  const { data } = (await solana.pay(wallet)).json
  await until(async () => {
    await chain.advance()
    return (await solana.landings(data.reference)).length > 0
  })
  await solana.poll()
  expect(await solana.balances()).toMatchObject({ available: '73.5', held: '26.5' })
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectNotPaid(data.reference, wallet, { available: '100' })
  expect((await solana.find(data.reference)).failureReason).toBe('chain_error')
})

test('a transfer that was committed and not sent is sent by a worker', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db, { served: mute })
  const { data } = (await solana.pay(wallet)).json
  expect(await solana.landings(data.reference)).toEqual([])
  await solana.poll()
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  expect((await solana.find(data.reference)).attempts).toHaveLength(1)
})

test('a transfer whose worker died after sending it is paid once', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db, { served: mute })
  const { data } = (await solana.pay(wallet)).json
  const dying = {
    ...solana.rail,
    async send(attempts: LiveAttempt[]) {
      await solana.rail.send(attempts)
      throw new Error('killed')
    },
  }
  await expect(solana.poll({ rail: dying })).rejects.toThrow('killed')
  expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

// The node answers with an error although it has forwarded the transaction.
test('a lost reply of the node concludes nothing', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db, { served: mute })
  const { data } = (await solana.pay(wallet)).json
  await setFaults(chain, { match: { account: wallet }, fault: 'lose_reply' })
  await solana.poll()
  expect(solana.log.join()).toContain('RPC node rejected a transaction')
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
})

test('a dropped transfer is sent again, with the same bytes, until it lands', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db, { served: mute })
  await setFaults(chain, { match: { account: wallet }, fault: 'drop', times: 3 })
  const { data } = (await solana.pay(wallet)).json
  for (let polls = 0; polls < 3; polls += 1) {
    await solana.poll()
    await chain.advance(10)
    expect(await balanceOf(chain, wallet)).toBe(0n)
  }
  await solana.poll()
  expect(await balanceOf(chain, wallet)).toBe(25_500_000n)
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  expect((await solana.find(data.reference)).attempts).toHaveLength(1)
})

// Between the last block that can include the transaction and the moment when every node knows that
// none has, nothing may be signed: otherwise it could be paid twice.
test('a transfer is signed again only when its attempt is dead, and one of the two lands', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'drop' })
  const { data } = (await solana.pay(wallet)).json
  const wire = await readWire(data.transactionSignature)
  await chain.advance(150)
  await setFaults(chain)
  for (let blocks = 150; blocks < untilGone - 5; blocks += 4) {
    await solana.poll()
    expect((await solana.find(data.reference)).attempts).toHaveLength(1)
    await chain.advance(4)
  }
  await chain.advance(10)
  await solana.poll()
  const again = await solana.find(data.reference)
  expect(again.attempts.map(({ state }: { state: string }) => state)).toEqual(['DEAD', 'LIVE'])
  // The first bytes are useless by now.
  await chain.request('sendTransaction', wire, unchecked)
  await chain.advance(untilFinal)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  expect((await solana.landings(data.reference))[0]!.signature).toBe(again.transactionSignature)
})

test('a transfer whose attempts all expire fails and releases the money', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'drop' })
  const { data } = (await solana.pay(wallet)).json
  for (let attempts = 1; attempts <= 5; attempts += 1) {
    expect((await solana.find(data.reference)).attempts).toHaveLength(attempts)
    await chain.advance(untilGone)
    await solana.poll()
  }
  await solana.expectNotPaid(data.reference, wallet, { available: '100' })
  expect((await solana.find(data.reference)).failureReason).toBe('expired')
})

// Just before it expires: the first bytes land, and nothing else does.
test('a transfer that lands 140 blocks late is not replaced', async () => {
  const { chain, wallet, ...solana } = await openFundedService(db)
  await setFaults(chain, { match: { account: wallet }, fault: 'delay', slots: 140 })
  const { data } = (await solana.pay(wallet)).json
  for (let blocks = 0; blocks < 138; blocks += 23) {
    await solana.poll()
    await chain.advance(23)
    expect(await balanceOf(chain, wallet)).toBe(0n)
  }
  await chain.advance(untilGone)
  await solana.poll()
  await solana.expectPaidOnce(data.reference, wallet, { available: remaining })
  expect((await solana.find(data.reference)).attempts).toHaveLength(1)
})

async function readWire(token: string): Promise<string> {
  const [row] = await db.rows<{ wire: Buffer }>({
    text: 'select wire from payout_attempts where token = $1',
    values: [token],
  })
  return row!.wire.toString('base64')
}
