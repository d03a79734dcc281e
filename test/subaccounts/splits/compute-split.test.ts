import { expect, test } from 'vitest'
import {
  type ComputedSplit,
  computeSplit,
  type FeeBearer,
  type SplitLine,
} from '../../../src/subaccounts/splits/compute-split.js'
import { computeTakeBack } from '../../../src/subaccounts/splits/compute-take-back.js'
import { isLongRun } from '../../support/long-run.js'
import { type Random, seededRandom } from '../../support/seed.js'
import { type OracleCase, type OracleLine, splitByHand, takenBackByHand } from './oracle.js'

const line = (given: Partial<SplitLine>): SplitLine => ({
  subaccountId: 'ada',
  flat: null,
  basisPoints: null,
  min: null,
  max: null,
  ...given,
})

const amountsOf = ({ lines, merchant }: ComputedSplit) =>
  [...lines, merchant].map(({ amount, fee }) => [amount, fee])

const half = line({ basisPoints: 5_000 })
const third = line({ basisPoints: 3_333, subaccountId: 'bisi' })

test.each<{ name: string; lines: SplitLine[]; feeBearer?: FeeBearer; want: bigint[][] }>([
  { name: 'no lines: all is the merchant’s', lines: [], want: [[1_001n, 10n]] },
  {
    name: 'percentages are of the accepted amount, rounded down',
    lines: [half, third],
    want: [
      [500n, 0n],
      [333n, 0n],
      [168n, 10n],
    ],
  },
  {
    name: 'a remainder line gets what is left after the fee of the merchant',
    lines: [half, line({ subaccountId: 'bisi' })],
    want: [
      [500n, 0n],
      [491n, 0n],
      [10n, 10n],
    ],
  },
  {
    name: 'a line gets no more than the lines before it left',
    lines: [line({ flat: 900n }), half, third],
    want: [
      [900n, 0n],
      [91n, 0n],
      [0n, 0n],
      [10n, 10n],
    ],
  },
  {
    name: 'bounds',
    lines: [line({ basisPoints: 1, min: 5n }), line({ basisPoints: 9_000, max: 300n })],
    want: [
      [5n, 0n],
      [300n, 0n],
      [696n, 10n],
    ],
  },
  {
    name: 'sub-accounts bear the fee in proportion',
    lines: [half, third],
    feeBearer: 'subaccounts',
    want: [
      [500n, 6n],
      [333n, 4n],
      [168n, 0n],
    ],
  },
  {
    name: 'all bear the fee in proportion',
    lines: [half, third],
    feeBearer: 'all',
    want: [
      [500n, 4n],
      [333n, 4n],
      [168n, 2n],
    ],
  },
  {
    name: 'a sub-account bears the fee, with both of its lines',
    lines: [line({ flat: 6n }), half, line({ flat: 3n, subaccountId: 'bisi' })],
    feeBearer: { subaccountId: 'ada' },
    want: [
      [6n, 0n],
      [500n, 10n],
      [3n, 0n],
      [492n, 0n],
    ],
  },
  {
    name: 'what a sub-account cannot bear falls to the merchant',
    lines: [line({ flat: 4n }), third],
    feeBearer: { subaccountId: 'ada' },
    want: [
      [4n, 4n],
      [333n, 0n],
      [664n, 6n],
    ],
  },
  {
    name: 'and then to the last lines',
    lines: [
      line({ flat: 4n }),
      line({ flat: 990n, subaccountId: 'bisi' }),
      line({ flat: 3n, subaccountId: 'chi' }),
      line({ flat: 2n, subaccountId: 'dayo' }),
    ],
    feeBearer: { subaccountId: 'ada' },
    want: [
      [4n, 4n],
      [990n, 0n],
      [3n, 2n],
      [2n, 2n],
      [2n, 2n],
    ],
  },
])('$name', ({ lines, feeBearer = 'merchant', want }) => {
  const split = computeSplit({ lines, feeBearer, accepted: 1_001n, fee: 10n })
  expect(amountsOf(split)).toEqual(want)
})

test('a fee beyond the accepted amount is a bug, and so is a remainder before another line', () => {
  const given = { lines: [half], feeBearer: 'all', accepted: 10n } as const
  expect(() => computeSplit({ ...given, fee: 11n })).toThrow('part of the accepted amount')
  expect(() => computeSplit({ ...given, fee: -1n })).toThrow('part of the accepted amount')
  const lines = [line({}), half]
  expect(() => computeSplit({ ...given, lines, fee: 0n })).toThrow('only the last line')
})

test('the merchant advances fractions of a unit to the refund, and gets them back', () => {
  const refund = { shares: [3n, 3n, 4n], accepted: 10n }
  expect(computeTakeBack({ ...refund, refundedBefore: 0n, amount: 9n })).toEqual({
    lines: [2n, 2n, 3n],
    merchant: 2n,
  })
  expect(computeTakeBack({ ...refund, refundedBefore: 9n, amount: 1n })).toEqual({
    lines: [1n, 1n, 1n],
    merchant: -2n,
  })
})

const names = ['ada', 'bisi', 'chi', 'dayo', 'efe']

/** Amounts of a few units, where roundings meet, up to the largest that the API accepts. */
function randomAmount(random: Random, max: bigint): bigint {
  const bits = random.integer(0, 53)
  const size = 2 ** bits
  const amount = BigInt(random.integer(0, size - 1))
  return amount > max ? amount % (max + 1n) : amount
}

function randomLine(random: Random, expected: bigint): OracleLine {
  const who = random.pick(names)
  const isFlat = random.integer(0, 2) === 0
  const takes = isFlat
    ? { flat: randomAmount(random, expected) + 1n }
    : { hundredthsOfPercent: random.integer(1, random.pick([100, 5_000, 10_000])) }
  const least = random.integer(0, 3) === 0 ? randomAmount(random, expected) + 1n : undefined
  const most =
    random.integer(0, 3) === 0 ? (least ?? 1n) + randomAmount(random, expected) : undefined
  return { who, takes, least, most }
}

function randomCase(random: Random): OracleCase {
  const expected = randomAmount(random, 9_007_199_254_740_991n) + 1n
  const count = random.integer(0, random.pick([2, 5, 20]))
  const lines = Array.from({ length: count }, () => randomLine(random, expected))
  if (count > 0 && random.integer(0, 2) === 0)
    lines[count - 1] = { who: random.pick(names), takes: 'rest' }
  const accepted = random.pick([
    () => expected,
    () => randomAmount(random, expected),
    () => expected + randomAmount(random, expected),
  ])()
  const fee = random.pick([
    () => 0n,
    () => accepted / 100n,
    () => randomAmount(random, accepted),
    () => accepted,
  ])()
  const bearer = random.pick<OracleCase['bearer']>([
    'merchant',
    'subaccounts',
    'all',
    { who: random.pick(names) },
  ])
  return { lines, bearer, accepted, fee }
}

function toLine({ who, takes, least, most }: OracleLine): SplitLine {
  const isNamed = typeof takes === 'object'
  return {
    subaccountId: who,
    flat: isNamed && 'flat' in takes ? takes.flat : null,
    basisPoints: isNamed && 'hundredthsOfPercent' in takes ? takes.hundredthsOfPercent : null,
    min: least ?? null,
    max: most ?? null,
  }
}

function compute({ lines, bearer, accepted, fee }: OracleCase): ComputedSplit {
  const feeBearer = typeof bearer === 'object' ? { subaccountId: bearer.who } : bearer
  return computeSplit({ lines: lines.map(toLine), feeBearer, accepted, fee })
}

/** Returns what is wrong with a split. Called too often for an `expect` each time. */
function findFault(given: OracleCase, { lines, merchant }: ComputedSplit): string | undefined {
  const shares = [...lines, merchant]
  const right = splitByHand(given)
  if (shares.length !== right.length) return 'a share for each line and the merchant'
  let [amounts, fees, nets] = [0n, 0n, 0n]
  for (const [index, { amount, fee, net }] of shares.entries()) {
    const { got, bore } = right[index]!
    if (amount !== got) return `share ${index} is ${amount}, not ${got}`
    if (fee !== bore) return `share ${index} bears ${fee}, not ${bore}`
    if (amount < 0n || fee < 0n || net < 0n) return `share ${index} is negative`
    amounts += amount
    fees += fee
    nets += net
  }
  if (amounts !== given.accepted) return `amounts add up to ${amounts}`
  if (fees !== given.fee) return `fees add up to ${fees}`
  return nets === given.accepted - given.fee ? undefined : `nets add up to ${nets}`
}

/** Refunds a part or all of what was accepted, in up to five steps. */
function findRefundFault(random: Random, accepted: bigint, shares: bigint[]): string | undefined {
  const taken = shares.map(() => 0n)
  let paidByMerchant = 0n
  let refunded = 0n
  for (let step = random.integer(1, 5); step > 0 && refunded < accepted; step -= 1) {
    const left = accepted - refunded
    const amount = random.integer(0, 2) === 0 ? left : randomAmount(random, left - 1n) + 1n
    const { lines, merchant } = computeTakeBack({
      shares,
      accepted,
      refundedBefore: refunded,
      amount,
    })
    refunded += amount
    paidByMerchant += merchant
    for (const [index, take] of lines.entries()) {
      if (take < 0n) return `line ${index} is given ${-take}`
      taken[index]! += take
      const right = takenBackByHand(shares[index]!, refunded, accepted)
      if (taken[index] !== right) return `line ${index} gave ${taken[index]}, not ${right}`
    }
    const total = taken.reduce((sum, units) => sum + units, paidByMerchant)
    if (total !== refunded) return `${total} was paid for refunds of ${refunded}`
    const part = shares.reduce((rest, share) => rest - share, accepted)
    const advanced = paidByMerchant * accepted - part * refunded
    if (advanced < 0n) return 'the merchant paid less than its part'
    if (shares.length > 0 && advanced >= BigInt(shares.length) * accepted)
      return 'the merchant advanced a unit or more for a line'
    if (refunded === accepted && advanced !== 0n) return 'the merchant did not get its advance back'
  }
  return undefined
}

const runs = isLongRun ? 100_000 : 20_000

test(`${runs} random splits and their refunds are those of the oracle, to the unit`, () => {
  const random = seededRandom('splits')
  const seen = { bounded: 0, exhausted: 0, remainders: 0, wholeFees: 0, refunded: 0, spilled: 0 }
  for (let run = 0; run < runs; run += 1) {
    const given = randomCase(random)
    const split = compute(given)
    const fault = findFault(given, split)
    if (fault) throw new Error(`run ${run}: ${fault}: ${print(given)}`)
    const shares = split.lines.map(({ amount }) => amount)
    const refundFault = given.accepted > 0n && findRefundFault(random, given.accepted, shares)
    if (refundFault) throw new Error(`run ${run}: ${refundFault}: ${print(given)}`)
    seen.bounded += Number(given.lines.some(({ least, most }) => least ?? most))
    seen.exhausted += Number(shares.some((amount) => amount === 0n))
    seen.remainders += Number(given.lines.at(-1)?.takes === 'rest')
    seen.wholeFees += Number(given.fee > 0n && given.fee === given.accepted)
    seen.refunded += Number(given.accepted > 0n)
    seen.spilled += Number(isSpilled(given, split))
  }
  console.log(`splits: ${print(seen)}`)
  // Otherwise the cases that are hard to get right did not occur.
  for (const [what, count] of Object.entries(seen))
    expect(count, what).toBeGreaterThan(what === 'spilled' ? runs / 200 : runs / 20)
}, 60_000)

/** Whether a line bears a part of the fee that another sub-account was to bear. */
function isSpilled({ bearer, lines }: OracleCase, split: ComputedSplit): boolean {
  if (typeof bearer !== 'object') return false
  return split.lines.some(({ fee }, index) => fee > 0n && lines[index]!.who !== bearer.who)
}

function print(value: object): string {
  return JSON.stringify(value, (_, found) => (typeof found === 'bigint' ? `${found}` : found))
}
