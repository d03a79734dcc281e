import { strict as assert } from 'node:assert'
import { addVatRate, createVatReader } from '../../../../src/ledger/vat-rates.js'
import { addLevy, addLevyDebit } from '../../../../src/payouts/levies/store-levies.js'
import { sql } from '../../../../src/postgres/sql.js'
import { definePath, type Path } from '../run-path.js'
import type { World, WorldSettings } from '../world.js'
import { type Collector, collectorOf, expected, feeOfExpected, funded } from './collecting.js'
import { merchantOf } from './merchant.js'
import { bankPath, type Paying, settleAtProvider, workUntil } from './payouts.js'
import { accountNumber, magicNumber, untilBooked, untilReceived } from './sandbox-transfers.js'

const fundedForPayout = 10_000_000
const amount = 2_000_000
const stampDuty = 5_000
/** VAT of 7.5 % that a fee contains, rounded half up. */
const vatOf = (fee: number) => Math.round((fee * 75) / 1_075)
/** Rates of VAT are known to the process, so no other world may run beside. */
const alone = { runsAlone: true }
const sandbox: WorldSettings = { bank: 'sandbox', ...alone }
const paystack: WorldSettings = { bank: 'paystack', ...alone }

/** An operator sets VAT and the stamp duty before the merchant does anything. */
async function setTaxes({ db, clock }: World): Promise<void> {
  const now = clock.now()
  await db.transaction((tx) =>
    addVatRate(tx, now, {
      mode: 'test',
      basisPoints: 750,
      holdsFrom: undefined,
      givenBy: 'ada',
    }),
  )
  await db.transaction((tx) =>
    addLevy(tx, now, {
      kind: 'stamp_duty',
      mode: 'test',
      rail: null,
      threshold: 1_000_000n,
      amount: BigInt(stampDuty),
      exempts: ['salary', 'own_accounts'],
      holdsFrom: now,
      holdsUntil: null,
      createdBy: 'ada',
    }),
  )
  // Longer than a process remembers levies.
  clock.advance(2_000)
  await createVatReader(db)()
}

/** The provider takes the stamp duty with each transfer, and the operator has said so. */
async function debitDuty({ db, clock, outside }: World): Promise<void> {
  // It would end payouts by a timer, in real time.
  outside.emulator!.faults.arePayoutsHeld = true
  outside.emulator!.faults.debitsStampDuty = 'with_transfer'
  const debits = {
    rail: 'paystack-test',
    debits: 'with_transfer' as const,
    since: clock.now(),
    createdBy: 'ada',
  }
  await db.transaction((tx) => addLevyDebit(tx, clock.now(), debits))
}

/** Kobo that are levied for good, and those of open payouts. */
async function readLevied({ db }: World): Promise<number[]> {
  const [row] = await db.rows(sql<{ posted: number; pending: number }>`
    select (credits_posted - debits_posted)::float8 as posted, credits_pending::float8 as pending
    from ledger_accounts where name = 'levies'`)
  return [row!.posted, row!.pending]
}

/** What providers charged for payments and payouts. */
async function readProviderFees({ db }: World): Promise<number[]> {
  const rows = await db.rows(sql<{ amount: bigint }>`select amount from provider_fees`)
  return rows.map((row) => Number(row.amount))
}

type Ending = { status: string; events: string[]; isPaid: boolean }

const endings = {
  completes: { status: 'COMPLETED', events: ['submitted', 'completed'], isPaid: true },
  fails: { status: 'FAILED', events: ['submitted', 'failed'], isPaid: false },
  'is reversed': {
    status: 'REVERSED',
    events: ['submitted', 'completed', 'reversed'],
    isPaid: false,
  },
} satisfies Record<string, Ending>

async function prepareTaxed(world: World): Promise<Paying> {
  await setTaxes(world)
  const merchant = merchantOf(world)
  await merchant.fund('NGN', fundedForPayout)
  return { merchant, reference: '' }
}

async function payOut({ merchant }: Paying, to: string): Promise<string> {
  const destination = { bankCode: '058', accountNumber: to }
  return (await merchant.post(bankPath, { amount, ...destination })).reference
}

/** The levy is taken and given back with amount and fee, and the fee contains its VAT. */
async function checkTaxed(world: World, paying: Paying, ending: Ending): Promise<void> {
  const { merchant, reference } = paying
  const payout = await merchant.get(`${bankPath}/${reference}`)
  assert.deepEqual(
    [payout.status, payout.levy, payout.feeVat, payout.totalDebit],
    [ending.status, stampDuty, vatOf(payout.fee), amount + payout.fee + stampDuty],
  )
  assert(payout.feeVat > 0)
  const events = ending.events.map((name) => `bank_transfer.${name}`)
  assert.deepEqual(await merchant.eventTypes(reference), events)
  const spent = ending.isPaid ? payout.totalDebit : 0
  const balance = { available: fundedForPayout - spent, held: 0, pending: 0 }
  assert.deepEqual(await merchant.balance(), balance)
  assert.deepEqual(await readLevied(world), [ending.isPaid ? stampDuty : 0, 0])
}

function taxedPayout(name: keyof typeof endings, to: string): Path {
  const ending = endings[name]
  return definePath<Paying>({
    name: `bank payout with stamp duty ${name}`,
    settings: sandbox,
    prepare: prepareTaxed,
    async run(world, paying) {
      paying.reference = await payOut(paying, to)
      await untilReceived(world, 1)
      await workUntil(world, async () => {
        const { status } = await paying.merchant.get(`${bankPath}/${paying.reference}`)
        return status === ending.status
      })
    },
    check: (world, paying) => checkTaxed(world, paying, ending),
  })
}

type Paid = { collector: Collector; account: string }

/** Payouts with stamp duty, and what providers charge. Merchants are shown VAT on all fees. */
export const levyPaths: Path[] = [
  taxedPayout('completes', accountNumber(1)),
  taxedPayout('fails', magicNumber(2)),
  taxedPayout('is reversed', magicNumber(3)),
  definePath<Paying>({
    name: 'bank payout on paystack, which takes stamp duty and a fee',
    settings: paystack,
    async prepare(world) {
      await debitDuty(world)
      return prepareTaxed(world)
    },
    async run(world, paying) {
      paying.reference = await payOut(paying, '0123456789')
      await settleAtProvider(world, paying.reference, 'success')
    },
    async check(world, paying) {
      await checkTaxed(world, paying, endings.completes)
      assert.deepEqual(await readProviderFees(world), [2_500])
    },
  }),
  definePath<Paid>({
    name: 'payment at paystack, which takes a fee, and VAT on ours',
    settings: paystack,
    async prepare(world) {
      await setTaxes(world)
      const collector = collectorOf(world)
      await collector.fund('NGN', funded)
      return { collector, account: '' }
    },
    async run(world, paid) {
      const { reference, accountNumber } = await paid.collector.openVirtual()
      paid.account = reference
      await world.pay({ accountNumber, amount: expected })
      await untilBooked(world, 1)
      const isBooked = async () => (await paid.collector.paymentsInto(reference)).length === 1
      await world.untilQuiet(isBooked)
    },
    async check(world, { collector, account }) {
      const [payment] = await collector.paymentsInto(account)
      const { fee, feeVat } = await collector.get(`/v1/collections/payments/${payment!.reference}`)
      assert.deepEqual([fee, feeVat], [feeOfExpected, vatOf(feeOfExpected)])
      const available = funded + expected - feeOfExpected
      assert.equal((await collector.balance()).available, available)
      assert.deepEqual(await readProviderFees(world), [17_500])
    },
  }),
]
