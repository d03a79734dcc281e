import { expect, test } from 'vitest'
import { noFaults } from '../../../emulators/faults.js'
import { minute } from '../../../src/base/clock.js'
import type { AttemptFinding, LiveAttempt } from '../../../src/payouts/ports.js'
import { freshDatabase } from '../../support/database.js'
import { seededRandom } from '../../support/seed.js'
import { dedicated, openFlutterwave, payout, refund } from './open-rail.js'

const payoutCount = 40
const refundCount = 15
const roundsMax = 400

// Two processes send and poll the same payouts and refunds, in any order and more often than
// needed, while answers get lost, servers fail and lists are late. Each must be made once, and end
// here as it ended at the bank.
test('payouts and refunds are made once, whatever happens on the way', async () => {
  const random = seededRandom('flutterwave bad weather')
  const opened = await openFlutterwave(await freshDatabase(), { float: 20_000_000n })
  const { clock, emulator, openGood, prepare } = opened
  const rails = [opened.rail, opened.openAnother().rail]
  const { number } = await openGood(dedicated())
  const paid = await emulator.pay({ accountNumber: number, amount: 1_000_000n })
  const attempts: LiveAttempt[] = []
  for (let index = 0; index < payoutCount; index += 1)
    attempts.push(await prepare(payout({ amount: BigInt(random.integer(100, 9_000)) * 100n })))
  for (let index = 0; index < refundCount; index += 1)
    attempts.push(await prepare(refund(paid!.id, BigInt(random.integer(100, 5_000)))))

  const ended = new Map<string, AttemptFinding>()
  const open = () => attempts.filter(({ token }) => !ended.has(token))

  async function work(rail: (typeof rails)[number]) {
    const some = random.shuffle(open()).slice(0, random.integer(1, 12))
    if (random.integer(0, 2) === 0) return rail.send(some)
    const findings = await rail.check(some)
    const unseen = some.filter((_, index) => findings[index]!.state === 'unseen')
    for (const [index, { token }] of some.entries())
      if (['landed', 'failed'].includes(findings[index]!.state)) {
        // Both processes may see the end; they must see the same one.
        expect(ended.get(token) ?? findings[index]).toEqual(findings[index])
        ended.set(token, findings[index]!)
      }
    await rail.send(unseen)
  }

  let rounds = 0
  for (; rounds < roundsMax && open().length > 0; rounds += 1) {
    const isFair = rounds % 4 === 3
    Object.assign(emulator.faults, noFaults(), isFair ? {} : weather(random))
    await Promise.all(rails.map(work))
    const stuck = emulator.books()
    for (const { reference, state } of random.shuffle(stuck.payouts).slice(0, 3))
      if (state === 'pending') emulator.settle(reference, random.pick(['success', 'failed']))
    for (const { note, state } of random.shuffle(stuck.refunds).slice(0, 3))
      if (state === 'pending') emulator.settle(note, random.pick(['success', 'failed']))
    clock.advance(random.integer(1, 8) * minute)
  }
  expect(open()).toEqual([])

  const { payouts, refunds } = emulator.books()
  const made = new Map([
    ...payouts.map(({ reference, state }) => [reference, state] as const),
    ...refunds.map(({ note, state }) => [note, state] as const),
  ])
  expect(made.size).toBe(payouts.length + refunds.length)
  for (const [token, { state }] of ended)
    expect([token, state]).toEqual([token, made.get(token) === 'success' ? 'landed' : 'failed'])
  console.log(`${attempts.length} made once in ${rounds} rounds`)
})

function weather(random: ReturnType<typeof seededRandom>) {
  return {
    lostAnswers: random.integer(0, 3),
    errorsAfterPayout: random.integer(0, 3),
    hiddenPayouts: random.integer(0, 4),
    arePayoutsHeld: random.integer(0, 2) === 0,
    refusesAddress: random.integer(0, 6) === 0,
    down: random.pick(['no', 'no', 'no', 'refused', 'unavailable'] as const),
    listDelayMs: random.pick([0, 0, 4 * minute]),
    notices: 'lost' as const,
  }
}
