import { setTimeout as sleep } from 'node:timers/promises'
import type { Emulator } from '../../emulators/emulator.js'
import { type Faults, noFaults } from '../../emulators/faults.js'
import type { Random } from '../support/seed.js'

/** Enough for every payout of a storm. */
const plenty = 10_000_000_000_00n

/** Each may come with others. Counters are small, so that many calls meet none. */
const kinds: ((random: Random) => Partial<Faults>)[] = [
  ({ integer }) => ({ lostAnswers: integer(1, 10) }),
  ({ integer }) => ({ errorsAfterPayout: integer(1, 10) }),
  ({ integer }) => ({ hiddenPayouts: integer(1, 10) }),
  ({ integer }) => ({ lostOpenings: integer(1, 10) }),
  ({ integer }) => ({ delayMs: integer(1, 300) }),
  ({ integer }) => ({ listDelayMs: integer(100, 3_000) }),
  ({ pick }) => ({ notices: pick(['lost', 'twice', 'reversed_order', 'early']) }),
  ({ pick }) => ({ notices: pick(['lost', 'twice', 'reversed_order', 'early']) }),
  () => ({ arePayoutsHeld: true }),
  () => ({ asksForOtp: true }),
  () => ({ refusesAddress: true }),
  () => ({ refusesBusiness: true }),
  () => ({ forgesSignature: true }),
  () => ({ resolve: 'limited' }),
]

/** Outages are short and rare: nothing else happens during one. */
const outages: Faults['down'][] = ['refused', 'unavailable', 'silent']
const outageIn = 12
/** The money for payouts runs out. */
const emptyIn = 10

/** Faults and the float of a provider change until stopped; then there are none. */
export function changeBankWeather(emulator: Emulator, random: Random): { stop(): Promise<void> } {
  let isOver = false
  const change = async () => {
    while (!isOver) {
      const chosen = random.shuffle(kinds).slice(0, random.integer(0, 4))
      const faults = Object.assign({}, noFaults(), ...chosen.map((kind) => kind(random)))
      if (random.integer(1, outageIn) === 1) faults.down = random.pick(outages)
      Object.assign(emulator.faults, faults)
      emulator.setFloat(random.integer(1, emptyIn) === 1 ? 0n : plenty)
      await sleep(random.integer(50, 400))
    }
    Object.assign(emulator.faults, noFaults())
    emulator.setFloat(plenty)
  }
  const changing = change()
  return {
    async stop() {
      isOver = true
      await changing
    },
  }
}

/** Staff and other banks end payouts and refunds that wait, and return some that arrived. */
export function decideFates(
  emulator: Emulator,
  random: Random,
  chances: { reverses: boolean },
): { stop(): Promise<void> } {
  let isOver = false
  const decide = async () => {
    while (!isOver) {
      const all = listOutgoing(emulator)
      const pending = random.shuffle(all.filter(({ state }) => state === 'pending'))
      for (const { reference } of pending.slice(0, Math.ceil(pending.length / 4)))
        emulator.settle(reference, random.integer(1, 3) === 1 ? 'failed' : 'success')
      if (chances.reverses && random.integer(1, 3) === 1) reverseSome(emulator, random, 1)
      await sleep(random.integer(100, 300))
    }
  }
  const deciding = decide()
  return {
    async stop() {
      isOver = true
      await deciding
    },
  }
}

export function reverseSome(emulator: Emulator, random: Random, count: number): void {
  const arrived = listOutgoing(emulator).filter(({ state }) => state === 'success')
  for (const { reference } of random.shuffle(arrived).slice(0, count)) emulator.reverse(reference)
}

/** Payouts and refunds by our reference. */
export function listOutgoing(emulator: Emulator) {
  const { payouts, refunds } = emulator.books()
  return [
    ...payouts.map(({ reference, amount, state }) => ({ reference, amount, state })),
    ...refunds.map(({ note, amount, state }) => ({ reference: note, amount, state })),
  ]
}
