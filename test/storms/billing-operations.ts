import {
  magicAccounts,
  sandboxBankItself,
} from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { type BilledCustomer, type BillingScene, unitKobo } from './billing-site.js'
import type { Answered } from './journal.js'
import { pickAccount } from './split-site.js'

const invoicePath = '/v1/invoices'
const claimPath = '/v1/claims'
const bankCode = '058'
const daySeconds = 24 * 60 * 60

/** An invoice may be paid, voided or credited by the time an operation arrives. */
export const expectedRefusals: ReadonlySet<string> = new Set([
  'void invalid_state',
  'credit invalid_state',
  'credit validation_failed',
  'refund insufficient_balance',
  'move invalid_state',
  'move validation_failed',
  'claiming invalid_state',
  'cancelling invalid_state',
])

const shares: [number, (scene: BillingScene) => Promise<void>][] = [
  [20, invoiceInCrowd],
  [30, payInCrowd],
  [8, creditInCrowd],
  [8, moveInCrowd],
  [6, voidInCrowd],
  [36, billInOrder],
  [16, setAsideAndClaim],
  [1, passWeek],
]
const turns = shares.flatMap(([count, operate]) => Array.from({ length: count }, () => operate))

export async function takeBillingTurn(scene: BillingScene): Promise<void> {
  await scene.random.pick(turns)(scene)
}

/** Schedules make invoices, and claims that are open expire. */
async function passWeek({ callers }: BillingScene): Promise<void> {
  await callers.send('week', 'key', '/v1/test/clock/advance', { seconds: 7 * daySeconds })
}

/**
 * Recipients claim twice at once, for different accounts, and again if the first payout may have
 * failed; or the merchant cancels meanwhile, or it is left to expire.
 */
async function setAsideAndClaim(scene: BillingScene): Promise<void> {
  const { callers, random } = scene
  const created = await callers.send('claim', 'key', claimPath, {
    amount: random.integer(1, 20) * unitKobo,
    description: 'Refund of an order',
    email: random.pick(scene.site.customers).email,
  })
  const reference = String(created!.answer.kept.reference)
  const claim = () => {
    const body = { bankCode, accountNumber: pickAccount(random, 'shaky') }
    return callers.send('claiming', 'key', `/v1/test/claims/${reference}/claim`, body)
  }
  const cancel = () => callers.send('cancelling', 'key', `${claimPath}/${reference}/cancel`)
  const roll = random.integer(1, 6)
  if (roll === 1) return
  await Promise.all([claim(), roll === 2 ? cancel() : claim()])
  if (roll > 3) await claim()
}

/** Invoices and payments of an orderly customer follow each other. */
async function billInOrder(scene: BillingScene): Promise<void> {
  const { site, random } = scene
  const free = site.customers.filter(({ isOrderly, isBusy }) => isOrderly && !isBusy)
  if (free.length === 0) return invoiceInCrowd(scene)
  const customer = random.pick(free)
  customer.isBusy = true
  try {
    if (random.integer(1, 5) <= 2) await invoice(scene, customer)
    else await pay(scene, customer)
  } finally {
    customer.isBusy = false
  }
}

function pickInCrowd({ site, random }: BillingScene): BilledCustomer {
  return random.pick(site.customers.filter(({ isOrderly }) => !isOrderly))
}

async function invoiceInCrowd(scene: BillingScene): Promise<void> {
  await invoice(scene, pickInCrowd(scene))
}

async function payInCrowd(scene: BillingScene): Promise<void> {
  const { callers, random } = scene
  const paid = await pay(scene, pickInCrowd(scene))
  if (random.integer(1, 4) > 1) return
  const amount = random.integer(1, Number(paid.body.amount))
  const path = `/v1/collections/payments/${paid.answer.kept.reference}/refund`
  await callers.send('refund', 'key', path, { amount })
}

/** A person moves what a payment paid to another invoice of the same customer. */
async function moveInCrowd(scene: BillingScene): Promise<void> {
  const { callers, random } = scene
  const customer = pickInCrowd(scene)
  const reference = await invoice(scene, customer)
  const paid = await pay(scene, customer)
  const path = `/v1/collections/payments/${paid.answer.kept.reference}/allocations`
  const amount = random.integer(1, Number(paid.body.amount))
  await callers.send('move', 'key', path, { allocations: [{ invoice: reference, amount }] })
}

async function creditInCrowd(scene: BillingScene): Promise<void> {
  const { callers, random } = scene
  const reference = await invoice(scene, pickInCrowd(scene))
  if (random.integer(0, 1) === 0) await payInCrowd(scene)
  const amount = random.integer(1, 8) * unitKobo
  await callers.send('credit', 'key', `${invoicePath}/${reference}/credit`, { amount })
}

async function voidInCrowd(scene: BillingScene): Promise<void> {
  const reference = await invoice(scene, pickInCrowd(scene))
  await scene.callers.send('void', 'key', `${invoicePath}/${reference}/void`)
}

/** One to three instalments on days that differ between all invoices. */
async function invoice(scene: BillingScene, customer: BilledCustomer): Promise<string> {
  const { callers, random } = scene
  const parts = Array.from({ length: random.integer(1, 3) }, (_, index) => ({
    amount: random.integer(1, 12) * unitKobo,
    dueAt: new Date(Date.now() + (20 + index * 30) * daySeconds * 1_000).toISOString(),
  }))
  const total = parts.reduce((sum, { amount }) => sum + amount, 0)
  const created = await callers.send('invoice', 'key', invoicePath, {
    customer: customer.reference,
    series: random.pick(['INV', 'B']),
    lines: [{ description: 'Ankara fabric', quantity: '1', unitAmount: total }],
    ...(parts.length === 1 ? { dueAt: parts[0]!.dueAt } : { instalments: parts }),
  })
  const reference = String(created!.answer.kept.reference)
  await callers.send('finalize', 'key', `${invoicePath}/${reference}/finalize`)
  return reference
}

async function pay(
  { callers, random }: BillingScene,
  { accountNumber, isOrderly }: BilledCustomer,
): Promise<Answered> {
  const amount = random.integer(1, 24) * unitKobo
  // A refund to this account fails, and gives back what it took.
  const failing = { accountNumber: magicAccounts[1]!.number, bankCode: sandboxBankItself.code }
  const sender = !isOrderly && random.integer(1, 4) === 1 ? { sender: failing } : {}
  const body = { accountNumber, amount, ...sender }
  return (await callers.send('payment', 'key', '/v1/test/bank-transfers', body))!
}
