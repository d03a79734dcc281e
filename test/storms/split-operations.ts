import { randomUUID } from 'node:crypto'
import type { Answered } from './journal.js'
import {
  changeRule,
  createRule,
  dayMs,
  newTerms,
  pickAccount,
  pickSender,
  type SellerGroup,
  type SplitScene,
  type SplitTerms,
  sellersOf,
} from './split-site.js'

const bankCode = '058'
const bankPath = '/v1/disbursements/bank-transfer'
const subaccountPath = '/v1/subaccounts'
const largeSale = 3_000_000

/** A balance may be spent by the time an operation arrives. */
export const expectedRefusals: ReadonlySet<string> = new Set([
  'transfer insufficient_balance',
  'payout insufficient_balance',
  'settlement insufficient_balance',
  'settlement nothing_to_settle',
])

const shares: [number, (scene: SplitScene) => Promise<void>][] = [
  [24, sellByRule],
  [24, sellInline],
  [16, sellByAccount],
  [4, sellByChangedRule],
  [8, sellAndSpend],
  [8, giveToSeller],
  [14, takeFromSeller],
  [8, moveBetweenSellers],
  [14, payFromSeller],
  [8, settleSeller],
  [6, openAndClose],
]
const turns = shares.flatMap(([count, operate]) => Array.from({ length: count }, () => operate))

export async function takeSplitTurn(scene: SplitScene): Promise<void> {
  await scene.random.pick(turns)(scene)
}

/** Time passes for the merchant: shares are released, and sellers are settled. */
export async function advanceClock({ site, callers }: SplitScene, byMs: number): Promise<void> {
  const body = { seconds: byMs / 1_000 }
  await callers.send('clock', 'key', '/v1/test/clock/advance', body)
  site.aheadMs += byMs
}

const pickGroup = ({ random }: SplitScene): SellerGroup =>
  random.integer(1, 4) === 1 ? 'shaky' : 'steady'

async function sellByRule(scene: SplitScene): Promise<void> {
  const { site, random } = scene
  const rule = random.pick(site.rules)
  await sell(scene, rule.group, { rule: rule.reference })
}

/** One sale before and one after a rule is changed. */
async function sellByChangedRule(scene: SplitScene): Promise<void> {
  const group = pickGroup(scene)
  const rule = await createRule(scene, newTerms(scene, group))
  await sell(scene, group, { rule })
  await changeRule(scene, rule, newTerms(scene, group))
  await sell(scene, group, { rule })
}

/** The seller spends its share before the sale is refunded, and owes it. */
async function sellAndSpend(scene: SplitScene): Promise<void> {
  const { site, callers, random } = scene
  const seller = random.pick(site.spenders)
  const amount = random.integer(1_000_000, 3_000_000)
  const terms = { feeBearer: 'all', lines: [{ subaccount: seller, percent: '61.37' }] }
  const accountNumber = await openAccount(scene, amount, terms)
  const paid = await pay(scene, 'steady', { accountNumber, amount })
  const { balances } = await callers.read('key', `${subaccountPath}/${seller}`)
  const { available } = balances.find(({ asset }: { asset: string }) => asset === 'NGN')
  if (available > 0) await move(scene, seller, { to: 'merchant', amount: available })
  await refund(scene, paid, random.integer(1, amount))
}

async function sellInline(scene: SplitScene): Promise<void> {
  const group = pickGroup(scene)
  await sell(scene, group, newTerms(scene, group))
}

/** An account that takes any amount, and is split by the version that it was opened with. */
async function sellByAccount(scene: SplitScene): Promise<void> {
  const { site, random } = scene
  const { accountNumber, group } = random.pick(site.accounts)
  const amount = random.integer(20_000, 800_000)
  await payAndRefund(scene, group, { accountNumber, amount })
}

async function sell(
  scene: SplitScene,
  group: SellerGroup,
  splits: SplitTerms | { rule: string },
): Promise<Answered> {
  const amount = scene.random.integer(1_000_000, 3_000_000)
  const accountNumber = await openAccount(scene, amount, splits)
  return payAndRefund(scene, group, { accountNumber, amount })
}

async function openAccount(
  { site, callers }: SplitScene,
  amount: number,
  splits: object,
): Promise<string> {
  // Longer than the clock is ever advanced at once.
  const expiresAt = new Date(Date.now() + site.aheadMs + (23 / 24) * dayMs).toISOString()
  const opening = { merchantReference: randomUUID(), amount, expiresAt, splits }
  const path = '/v1/collections/virtual-accounts'
  const opened = await callers.send('virtual account', 'key', path, opening)
  return String(opened!.answer.kept.accountNumber)
}

/** Refunds of a payment follow each other, so that their order is known. */
async function payAndRefund(
  scene: SplitScene,
  group: SellerGroup,
  { accountNumber, amount }: { accountNumber: string; amount: number },
): Promise<Answered> {
  const { random } = scene
  const paid = await pay(scene, group, { accountNumber, amount })
  let left = amount
  for (let steps = random.integer(0, 3); steps > 0 && left > 0; steps -= 1) {
    const refunded = random.integer(1, 3) === 1 ? left : random.integer(1, left)
    await refund(scene, paid, refunded)
    left -= refunded
  }
  return paid
}

async function pay(
  { callers, random }: SplitScene,
  group: SellerGroup,
  payment: { accountNumber: string; amount: number },
): Promise<Answered> {
  const sender = pickSender(random, group)
  const body = { ...payment, ...(sender && { sender }) }
  return (await callers.send('payment', 'key', '/v1/test/bank-transfers', body))!
}

async function refund({ callers }: SplitScene, paid: Answered, amount: number): Promise<void> {
  const path = `/v1/collections/payments/${paid.answer.kept.reference}/refund`
  await callers.send('refund', 'key', path, { amount })
}

const pickSeller = ({ site, random }: SplitScene) => random.pick(site.sellers)

async function move({ callers }: SplitScene, seller: string, body: object): Promise<void> {
  await callers.send('transfer', 'key', `${subaccountPath}/${seller}/transfers`, {
    asset: 'NGN',
    ...body,
  })
}

async function giveToSeller(scene: SplitScene): Promise<void> {
  const amount = scene.random.integer(1, 200_000)
  await move(scene, pickSeller(scene).reference, { from: 'merchant', amount })
}

/** Often more than the seller has; refunds of its sales find nothing afterwards. */
async function takeFromSeller(scene: SplitScene): Promise<void> {
  const amount = scene.random.integer(1, 400_000)
  await move(scene, pickSeller(scene).reference, { to: 'merchant', amount })
}

async function moveBetweenSellers(scene: SplitScene): Promise<void> {
  const { site, random } = scene
  const [from, to] = random.shuffle(site.sellers)
  await move(scene, from!.reference, { to: to!.reference, amount: random.integer(1, 150_000) })
}

async function payFromSeller(scene: SplitScene): Promise<void> {
  const { callers, random } = scene
  const { reference: from, group } = pickSeller(scene)
  const amount = random.integer(100, 3_000) * 100
  const accountNumber = pickAccount(random, group)
  await callers.send('payout', 'key', bankPath, { amount, bankCode, accountNumber, from })
}

/** All that it has, or a part. */
async function settleSeller(scene: SplitScene): Promise<void> {
  const { callers, random } = scene
  const path = `${subaccountPath}/${pickSeller(scene).reference}/settlements`
  const body = random.integer(0, 1) === 0 ? {} : { amount: random.integer(100, 2_000) * 100 }
  await callers.send('settlement', 'key', path, body)
}

/**
 * A seller with money of its own and of a sale is closed. A sale that is paid afterwards gives it
 * nothing.
 */
async function openAndClose(scene: SplitScene): Promise<void> {
  const { site, callers, random } = scene
  const isPaidOut = random.integer(0, 1) === 0
  const accountNumber = pickAccount(random, 'shaky')
  const created = await callers.send('short seller', 'key', subaccountPath, {
    name: 'Short',
    bankAccount: { bankCode, accountNumber },
  })
  const seller = String(created!.answer.kept.reference)
  await move(scene, seller, { from: 'merchant', amount: random.integer(200_000, 900_000) })
  const steady = random.pick(sellersOf(site, 'steady')).reference
  const splits = {
    feeBearer: random.pick(['merchant', 'subaccounts', 'all', seller]),
    lines: [
      { subaccount: seller, percent: '30' },
      { subaccount: steady, percent: '30' },
    ],
  }
  const [before, after] = [
    await openAccount(scene, largeSale, splits),
    await openAccount(scene, largeSale, splits),
  ]
  const sold = await pay(scene, 'steady', { accountNumber: before, amount: largeSale })
  const balance = isPaidOut ? 'pay_out' : 'move'
  await callers.send('closing', 'key', `${subaccountPath}/${seller}/close`, { balance })
  // One that is paid out is closed when the money has arrived, at a moment that nobody knows.
  if (isPaidOut) return
  await payAndRefund(scene, 'steady', { accountNumber: after, amount: largeSale })
  if (random.integer(0, 1) === 0) await refund(scene, sold, random.integer(1, largeSale))
}
