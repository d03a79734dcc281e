import { expect, test } from 'vitest'
import { noFaults } from '../../../emulators/faults.js'
import { minute } from '../../../src/base/clock.js'
import type { OpenedAccount } from '../../../src/collections/ports.js'
import type { AttemptFinding, LiveAttempt } from '../../../src/payouts/ports.js'
import { freshDatabase } from '../../support/database.js'
import { seededRandom } from '../../support/seed.js'
import { newReference, opening, openRail, prepare, refundOf } from './open-rail.js'

const db = await freshDatabase()

const payoutCount = 30
const refundCount = 10
const stepsMax = 400

/**
 * Sends and checks in random order while Paystack loses answers, hides payouts, lists late, is down
 * or lacks money. Whatever the rail concluded must be what Paystack did, once.
 */
test('no fault makes a payout or a refund happen twice, or end otherwise than at Paystack', async () => {
  const random = seededRandom('paystack random faults')
  const { clock, emulator, rail } = await openRail(db)
  const { faults } = emulator
  faults.arePayoutsHeld = true
  const attempts = await prepareAll()
  const findings = new Map<string, AttemptFinding>()

  async function prepareAll(): Promise<LiveAttempt[]> {
    const prepared: LiveAttempt[] = []
    for (let count = 0; count < payoutCount; count += 1) prepared.push(await prepare(rail))
    for (let count = 0; count < refundCount; count += 1) {
      const [account] = (await rail.openAccounts([opening()])) as [OpenedAccount]
      const paid = await emulator.pay({ accountNumber: account.number, amount: 500_000n })
      const destination = refundOf(paid!.id)
      const reference = newReference('rf')
      prepared.push(await prepare(rail, { reference, destination, amount: 500_000n }))
    }
    return prepared
  }

  const isFinal = (token: string) => /landed|failed/.test(findings.get(token)?.state ?? '')
  const openAttempts = () => attempts.filter(({ token }) => !isFinal(token))

  async function check(some: LiveAttempt[]): Promise<void> {
    const found = await rail.check(some)
    for (const [index, { token }] of some.entries()) findings.set(token, found[index]!)
  }

  /** As the jobs do: what is unseen is sent again. */
  async function work(some: LiveAttempt[]): Promise<void> {
    await check(some)
    await rail.send(some.filter(({ token }) => findings.get(token)!.state === 'unseen'))
  }

  const trouble: (() => void)[] = [
    () => {
      faults.lostAnswers += 1
    },
    () => {
      faults.errorsAfterPayout += 1
    },
    () => {
      faults.hiddenPayouts += random.integer(1, 5)
    },
    () => {
      faults.listDelayMs = random.pick([0, minute, 5 * minute])
    },
    () => {
      faults.down = random.pick(['no', 'no', 'refused', 'unavailable'] as const)
    },
    () => {
      faults.refusesBusiness = random.integer(0, 3) === 0
    },
    () => emulator.setFloat(random.pick([0n, 1_000_000n, 1_000_000_000n])),
  ]

  function settleSome(): void {
    const { payouts, refunds } = emulator.books()
    const pending = [...payouts, ...refunds.map((one) => ({ ...one, reference: one.note }))].filter(
      ({ state }) => state === 'pending',
    )
    if (pending.length === 0) return
    emulator.settle(random.pick(pending).reference, random.pick(['success', 'failed'] as const))
  }

  for (let step = 0; step < 60; step += 1) {
    random.pick(trouble)()
    const some = random.shuffle(openAttempts()).slice(0, random.integer(1, 8))
    await random.pick([() => rail.send(some), () => work(some), () => check(some)])()
    if (random.integer(0, 2) === 0) settleSome()
    clock.advance(random.integer(0, 3) * minute)
  }
  Object.assign(faults, { ...noFaults(), arePayoutsHeld: true })
  emulator.setFloat(1_000_000_000n)
  for (let step = 0; step < stepsMax && openAttempts().length > 0; step += 1) {
    await work(openAttempts())
    settleSome()
    clock.advance(minute)
  }

  expect(openAttempts()).toEqual([])
  const { payouts, refunds } = emulator.books()
  const atPaystack = new Map([
    ...payouts.map(({ reference, state }) => [reference, state] as const),
    ...refunds.map(({ note, state }) => [note, state] as const),
  ])
  expect(atPaystack.size).toBe(payouts.length + refunds.length)
  for (const { token } of attempts) {
    const { state } = findings.get(token)!
    const moved = atPaystack.get(token) === 'success'
    expect([token, state]).toEqual([token, moved ? 'landed' : 'failed'])
  }
})
