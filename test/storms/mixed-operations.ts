import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { magicWallets } from '../../src/simulation/magic-wallets.js'
import { magicAccounts } from '../../src/simulation/sandbox-bank/magic-accounts.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import type { Random } from '../support/seed.js'
import type { Answered, Caller } from './journal.js'
import type { JournalCallers } from './journal-callers.js'
import type { MixedSite } from './mixed-site.js'

const bankPath = '/v1/disbursements/bank-transfer'
const cryptoPath = '/v1/disbursements/crypto'
const batchPath = '/v1/disbursements/batches'
const decisionPath = '/v1/disbursements'
const coins = ['USDC', 'USDT'] as const
const bankCode = '058'
const pollIntervalMs = 200
/** Every payout of the guarded merchant waits: its rule allows less than the smallest. */
export const approvalRule = {
  appliesTo: 'all',
  NGN: { each: 100, perDay: null },
  USDC: { each: '0.01', perDay: null },
  USDT: { each: '0.01', perDay: null },
}

/** Serials of the magic accounts that fail, and that the bank loses at first. */
const failingSerial = magicAccounts[0]!.serial
const losingSerial = magicAccounts[6]!.serial
export const failingWallet = magicWallets[0]!.address
const lateWallet = magicWallets[2]!.address

type Scene = { site: MixedSite; callers: JournalCallers; random: Random }

/** What merchants and payers do, and how often. */
const shares: [number, (scene: Scene) => Promise<void>][] = [
  [8, fund],
  [20, payToBank],
  [20, payToWallet],
  [6, payToBankWithCoins],
  [6, payToWalletWithNaira],
  [16, convert],
  [14, bePaid],
  [14, payUnderApproval],
  [3, payBatch],
  [2, payBatchUnderApproval],
  [4, settle],
]
const turns = shares.flatMap(([count, operate]) => Array.from({ length: count }, () => operate))

export async function takeTurn(scene: Scene): Promise<void> {
  await scene.random.pick(turns)(scene)
}

/** Retries what a stopped run left without an answer, and decides what it left to decide. */
export async function finishOpen(scene: Scene): Promise<void> {
  const { journal } = scene.callers
  for (const operation of [...journal.open.values()]) await scene.callers.complete(operation)
  const decided = new Set(journal.list('decision').map(({ answer }) => answer.kept.reference))
  for (const pending of journal.list('approved payout', 'approved batch submission')) {
    const { reference, status } = pending.answer.kept
    if (status !== 'PENDING' || decided.has(reference)) continue
    const isBatch = pending.kind === 'approved batch submission'
    await decide(scene, isBatch ? batchPath : decisionPath, pending)
  }
}

async function fund({ callers, random }: Scene): Promise<void> {
  const body = { asset: 'NGN', amount: random.integer(1, 1_000_000) }
  await callers.send('funding', 'key', '/v1/test/balances/fund', body)
}

async function payToBank({ callers, random }: Scene): Promise<void> {
  await callers.send('bank payout', 'key', bankPath, newBankTransfer(random))
}

async function payToWallet({ site, callers, random }: Scene): Promise<void> {
  await callers.send('crypto payout', 'key', cryptoPath, newCryptoTransfer(site, random))
}

async function payToBankWithCoins({ callers, random }: Scene): Promise<void> {
  const fundFrom = { asset: random.pick(coins), maxRate: '1' }
  const body = { ...newBankTransfer(random), fundFrom }
  await callers.send('bank payout', 'key', bankPath, body)
}

async function payToWalletWithNaira({ site, callers, random }: Scene): Promise<void> {
  const fundFrom = { asset: 'NGN', maxRate: '1000000' }
  const body = { ...newCryptoTransfer(site, random), fundFrom }
  await callers.send('crypto payout', 'key', cryptoPath, body)
}

async function convert({ callers, random }: Scene): Promise<void> {
  const coin = random.pick(coins)
  const wanted =
    random.integer(0, 1) === 0
      ? { from: 'NGN', to: coin, amount: random.integer(1_000_000, 30_000_000) }
      : { from: coin, to: 'NGN', amount: decimalOf(random, 1, 150) }
  const { reference } = await callers.change('key', 'POST', '/v1/conversions/quotes', wanted)
  await callers.send('conversion', 'key', '/v1/conversions', { quote: reference })
}

/** A payer pays an account exactly; the merchant refunds a part of every third payment. */
async function bePaid({ callers, random }: Scene): Promise<void> {
  const amount = random.integer(10_000, 1_000_000)
  const opening = { merchantReference: randomUUID(), amount }
  const path = '/v1/collections/virtual-accounts'
  const opened = await callers.send('virtual account', 'key', path, opening)
  const { accountNumber } = opened!.answer.kept
  const body = { accountNumber, amount }
  const paid = await callers.send('payment', 'key', '/v1/test/bank-transfers', body)
  if (random.integer(1, 3) > 1) return
  const { reference } = paid!.answer.kept
  const refund = { amount: random.integer(1, amount), reason: 'requested_by_customer' }
  await callers.send('refund', 'key', `/v1/collections/payments/${reference}/refund`, refund)
}

async function payUnderApproval(scene: Scene): Promise<void> {
  const { site, callers, random } = scene
  const isBank = random.integer(0, 1) === 0
  const pending = isBank
    ? await callers.send('approved payout', 'maker', bankPath, newBankTransfer(random))
    : await callers.send('approved payout', 'maker', cryptoPath, newCryptoTransfer(site, random))
  await decide(scene, decisionPath, pending!)
}

async function decide({ callers, random }: Scene, path: string, pending: Answered): Promise<void> {
  const { reference, orderHash } = pending.answer.kept
  const isApproved = random.integer(1, 5) > 1
  const [verb, body] = isApproved
    ? ['approve', { orderHash }]
    : ['reject', { reason: 'Paid already' }]
  await callers.send('decision', 'approver', `${path}/${reference}/${verb}`, body)
}

async function payBatch(scene: Scene): Promise<void> {
  await submitBatch(scene, 'key', 'batch')
}

async function payBatchUnderApproval(scene: Scene): Promise<void> {
  const submitted = await submitBatch(scene, 'maker', 'approved batch')
  await decide(scene, batchPath, submitted!)
}

/** A batch is submitted when a worker has validated it. */
async function submitBatch(scene: Scene, caller: Caller, kind: string) {
  const { site, callers, random } = scene
  const count = random.integer(2, 12)
  const asset = random.pick(coins)
  const items = (newItem: () => object) => Array.from({ length: count }, newItem)
  const body =
    random.integer(0, 1) === 0
      ? { kind: 'bank_transfer', items: items(() => newBankTransfer(random)) }
      : {
          kind: 'crypto_transfer',
          asset,
          items: items(() => {
            const { amount, destinationAddress } = newCryptoTransfer(site, random)
            return { amount, destinationAddress }
          }),
        }
  const created = await callers.send(kind, caller, batchPath, body)
  const batch = `${batchPath}/${created!.answer.kept.reference}`
  while ((await callers.read(caller, batch)).status === 'VALIDATING') await sleep(pollIntervalMs)
  return callers.send(`${kind} submission`, caller, `${batch}/submit`)
}

async function settle({ callers, random }: Scene): Promise<void> {
  const body = { amount: random.integer(1_000, 50_000) * 100 }
  await callers.send('settlement', 'key', '/v1/settlements', body)
}

function newBankTransfer(random: Random) {
  return { amount: random.integer(100, 50_000) * 100, bankCode, accountNumber: pickAccount(random) }
}

/** One account in 12 fails, and the bank loses the first transfer to another. */
function pickAccount({ integer }: Random): string {
  const roll = integer(1, 12)
  const ordinary = String(integer(100_000_000, 899_999_999))
  const serial = roll === 1 ? failingSerial : roll === 2 ? losingSerial : ordinary
  return toNuban({ bankCode, serial })
}

export function isFailingAccount(accountNumber: string): boolean {
  return accountNumber.startsWith(failingSerial)
}

function newCryptoTransfer({ wallets }: MixedSite, random: Random) {
  const roll = random.integer(1, 20)
  const ordinary = random.pick(wallets)
  return {
    amount: decimalOf(random, 1, 20),
    asset: random.pick(coins),
    network: 'SOLANA',
    destinationAddress: roll === 1 ? failingWallet : roll === 2 ? lateWallet : ordinary,
  }
}

function decimalOf({ integer }: Random, from: number, to: number): string {
  return `${integer(from, to)}.${integer(1, 999_999).toString().padStart(6, '0')}`
}
