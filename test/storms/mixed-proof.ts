import type { EnvironmentId } from '../../src/base/environment.js'
import { fromReferenceOfAnyKind } from '../../src/base/ids.js'
import { fromWire } from '../../src/money/amounts.js'
import type { Asset } from '../../src/money/assets.js'
import { sql } from '../../src/postgres/sql.js'
import { mainnetMints } from '../../src/rails/solana/programs.js'
import { callLocalnet } from '../../src/simulation/embedded-chain.js'
import { tokenAccountOf } from '../simulation/localnet/transfers.js'
import type { Random } from '../support/seed.js'
import type { Answered, Journal } from './journal.js'
import { findChangedAnswers, type JournalCallers } from './journal-callers.js'
import { failingWallet, isFailingAccount } from './mixed-operations.js'
import { credits, type MixedSite } from './mixed-site.js'
import { differ, differenceOf } from './multiset.js'
import { runProofs } from './run-proofs.js'

const assets = ['NGN', 'USDC', 'USDT'] as const
const coins = ['USDC', 'USDT'] as const
const pageSize = 1_000

type PayoutRow = {
  environmentId: EnvironmentId
  id: string
  kind: string
  asset: Asset
  amount: bigint
  fee: bigint
  status: string
  failureReason: string | null
  /** A wallet's address, or an account number. */
  destination: string
  batchId: string | null
  batchItem: number | null
}
type ConversionRow = {
  environmentId: EnvironmentId
  id: string
  sourceAsset: Asset
  targetAsset: Asset
  sourceAmount: bigint
  targetAmount: bigint
  payoutId: string | null
}
type PaymentRow = {
  environmentId: EnvironmentId
  id: string
  amount: bigint
  fee: bigint
  returned: bigint
  railId: string
}

type Books = { payouts: PayoutRow[]; conversions: ConversionRow[]; payments: PaymentRow[] }

type Scene = { site: MixedSite; callers: JournalCallers; random: Random }

/**
 * Compares every answer with the books, the books with the bank and the chain, and runs all proofs.
 * Returns what is wrong. Only while nothing is under way.
 */
export async function proveMixed(scene: Scene): Promise<string[]> {
  const { site, callers } = scene
  const { journal } = callers
  const books = await readBooks(site)
  return [
    ...findWrongPayouts(journal, books),
    ...findWrongConversions(journal, books),
    ...(await findWrongBatches(site, journal, books)),
    ...findWrongPayments(journal, books),
    ...(await findWrongFundings(site, journal)),
    ...(await findWrongBalances(site, journal, books)),
    ...(await findWrongBankEffects(site, books)),
    ...(await findWrongChainEffects(site, books)),
    ...(await runProofs(site)),
    // Last: a retry of a lost operation would do it.
    ...(await findChangedAnswers(callers, scene.random)),
  ]
}

async function readBooks({ db }: MixedSite): Promise<Books> {
  return {
    payouts: await db.rows(sql<PayoutRow>`
      select environment_id, id, kind, asset, amount, fee, status, failure_reason, batch_id, batch_item,
        coalesce(destination ->> 'address', destination ->> 'accountNumber') as destination
      from payouts`),
    conversions: await db.rows(sql<ConversionRow>`
      select environment_id, id, source_asset, target_asset, source_amount, target_amount, payout_id
      from conversions`),
    payments: await db.rows(sql<PaymentRow>`
      select environment_id, id, amount, fee, amount_returned + amount_returning as returned, rail_id
      from payments`),
  }
}

function idOf(reference: string | number | undefined): string {
  return fromReferenceOfAnyKind(String(reference)) ?? `unknown ${reference}`
}

/** Every acknowledged payout exists once with its amount and its end, and there are no others. */
function findWrongPayouts(journal: Journal, { payouts }: Books): string[] {
  const rows = new Map(payouts.map((row) => [row.id, row]))
  const rejected = new Set(
    journal
      .list('decision')
      .filter(({ path }) => path.endsWith('/reject'))
      .map(({ answer }) => idOf(answer.kept.reference)),
  )
  const wrong = new Set<string>()
  const explained = new Set<string>()
  const explain = (id: string, asset: Asset, wanted: { amount: bigint; debit: bigint }) => {
    const row = rows.get(id)
    const isSame = row?.amount === wanted.amount && row.amount + row.fee === wanted.debit
    if (!isSame || row.asset !== asset) wrong.add(`payout ${id} is not as it was answered`)
    if (explained.has(id)) wrong.add(`payout ${id} was answered twice`)
    explained.add(id)
  }
  for (const { body, answer } of journal.list('bank payout', 'crypto payout', 'approved payout')) {
    const { reference, amount, totalDebit } = answer.kept
    const asset: Asset = body.asset ?? 'NGN'
    if (fromWire(amount!, asset) !== fromWire(body.amount, asset))
      wrong.add(`${reference} was answered with another amount`)
    const wanted = { amount: fromWire(amount!, asset), debit: fromWire(totalDebit!, asset) }
    explain(idOf(reference), asset, wanted)
  }
  for (const { answer } of journal.list('settlement')) {
    const { transferReference, amount, fee } = answer.kept
    const wanted = { amount: BigInt(amount!), debit: BigInt(amount!) + BigInt(fee!) }
    explain(idOf(transferReference), 'NGN', wanted)
  }
  for (const row of payouts) {
    const isOwn = row.batchId !== null || row.kind === 'bank_return'
    if (!isOwn && !explained.has(row.id)) wrong.add(`payout ${row.id} was never answered`)
    const hasFailed = rejected.has(row.id) || isFailing(row)
    const wanted = hasFailed ? 'FAILED' : 'COMPLETED'
    const { id, kind, status, failureReason, destination } = row
    if (status !== wanted)
      wrong.add(`${kind} ${id} to ${destination} is ${status} (${failureReason}), not ${wanted}`)
  }
  return [...wrong]
}

function isFailing({ destination }: PayoutRow): boolean {
  return destination === failingWallet || isFailingAccount(destination)
}

function findWrongConversions(journal: Journal, { conversions, payouts }: Books): string[] {
  const rows = new Map(conversions.map((row) => [row.id, row]))
  const answered = journal.list('conversion')
  const wrong = answered.filter(({ answer }) => {
    const { reference, from, to, sourceAmount, targetAmount } = answer.kept
    const row = rows.get(idOf(reference))
    return (
      row?.sourceAsset !== from ||
      row?.targetAsset !== to ||
      row?.sourceAmount !== fromWire(sourceAmount!, from as Asset) ||
      row?.targetAmount !== fromWire(targetAmount!, to as Asset)
    )
  })
  const known = new Set(answered.map(({ answer }) => idOf(answer.kept.reference)))
  const funded = new Set(
    journal
      .list('bank payout', 'crypto payout')
      .filter(({ body }) => body.fundFrom !== undefined)
      .map(({ answer }) => idOf(answer.kept.reference)),
  )
  const paying = conversions.filter(({ payoutId }) => payoutId !== null && funded.has(payoutId))
  for (const { id } of paying) known.add(id)
  const strange = conversions.filter(({ id }) => !known.has(id))
  const twice = differenceOf(
    paying.map(({ payoutId }) => payoutId!),
    payouts.map(({ id }) => id),
  )
  return [
    ...wrong.map(({ key }) => `conversion of ${key} is not as it was answered`),
    ...strange.map(({ id }) => `conversion ${id} was never answered`),
    ...twice.map((id) => `payout ${id} converted more than once`),
  ]
}

/** Every item of a submitted batch became one payout of its amount; no other batch paid anything. */
async function findWrongBatches(
  { db }: MixedSite,
  journal: Journal,
  { payouts }: Books,
): Promise<string[]> {
  const batches = new Map(
    journal.list('batch', 'approved batch').map((one) => [idOf(one.answer.kept.reference), one]),
  )
  const rejected = new Set(
    journal
      .list('decision')
      .filter(({ path }) => path.endsWith('/reject'))
      .map(({ answer }) => idOf(answer.kept.reference)),
  )
  const submitted = new Set(
    journal
      .list('batch submission', 'approved batch submission')
      .map(({ answer }) => idOf(answer.kept.reference)),
  )
  const rows = await db.rows(sql<{ id: string; state: string }>`
    select id, state from payout_batches`)
  const byBatch = new Map<string, PayoutRow[]>()
  for (const payout of payouts)
    if (payout.batchId !== null)
      byBatch.set(payout.batchId, [...(byBatch.get(payout.batchId) ?? []), payout])
  const wrong = rows.filter(({ id, state }) => {
    const batch = batches.get(id)
    if (!batch) return true
    const isPaid = submitted.has(id) && !rejected.has(id)
    const wanted = isPaid ? batch.body.items : []
    const made = byBatch.get(id) ?? []
    const isEnded = isPaid ? state === 'COMPLETED' : state !== 'COMPLETED'
    return !isEnded || listAmounts(batch, wanted) !== listMade(made)
  })
  const known = new Set(rows.map(({ id }) => id))
  return [
    ...wrong.map(({ id, state }) => `batch ${id} (${state}) is not as it was answered`),
    ...[...batches.keys()].filter((id) => !known.has(id)).map((id) => `batch ${id} is lost`),
  ]
}

function listAmounts({ body }: Answered, items: { amount: string | number }[]): string {
  const asset: Asset = body.asset ?? 'NGN'
  return items.map(({ amount }, index) => `${index + 1} ${fromWire(amount, asset)}`).join()
}

function listMade(made: PayoutRow[]): string {
  return made
    .toSorted((one, other) => one.batchItem! - other.batchItem!)
    .map(({ batchItem, amount }) => `${batchItem} ${amount}`)
    .join()
}

function findWrongPayments(journal: Journal, { payments, payouts }: Books): string[] {
  const rows = new Map(payments.map((row) => [row.id, row]))
  const answered = journal.list('payment')
  const wrong = answered.filter(({ body, answer }) => {
    return rows.get(idOf(answer.kept.reference))?.amount !== BigInt(body.amount)
  })
  const known = new Set(answered.map(({ answer }) => idOf(answer.kept.reference)))
  const refunded = new Map<string, bigint>()
  for (const { body, answer } of journal.list('refund')) {
    const id = idOf(answer.kept.reference)
    refunded.set(id, (refunded.get(id) ?? 0n) + BigInt(body.amount))
  }
  const returns = payouts.filter(({ kind }) => kind === 'bank_return')
  const sums = [sumOf([...refunded.values()]), sumOf(returns.map(({ amount }) => amount))]
  return [
    ...wrong.map(({ key }) => `payment of ${key} is not as it was answered`),
    ...payments
      .filter(({ id }) => !known.has(id))
      .map(({ id }) => `payment ${id} was never answered`),
    ...payments
      .filter(({ id, returned }) => returned !== (refunded.get(id) ?? 0n))
      .map(({ id }) => `payment ${id} is not refunded as it was answered`),
    ...(sums[0] === sums[1] ? [] : [`refunds of ${sums[0]} were paid as ${sums[1]}`]),
  ]
}

async function findWrongFundings({ db }: MixedSite, journal: Journal): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string; amount: bigint }>`
    select cause_id as id, amount from ledger_transfers where purpose = 'test_funding'`)
  const booked = rows.map(({ id, amount }) => `${id} ${amount}`)
  const answered = journal
    .list('funding')
    .map(({ body, answer }) => `${idOf(answer.kept.reference)} ${body.amount}`)
  return differ('funding', answered, booked)
}

/** From the answers and the ends of payouts; the ledger is not asked. */
async function findWrongBalances(
  { db, free, guarded }: MixedSite,
  journal: Journal,
  { payouts, conversions, payments }: Books,
): Promise<string[]> {
  const expected = new Map<string, bigint>()
  const add = (environmentId: EnvironmentId, asset: Asset, amount: bigint) => {
    const name = `${environmentId} ${asset}`
    expected.set(name, (expected.get(name) ?? 0n) + amount)
  }
  for (const { environmentId } of [free, guarded])
    for (const asset of assets) add(environmentId, asset, credits[asset])
  for (const { body } of journal.list('funding'))
    add(free.environmentId, 'NGN', BigInt(body.amount))
  for (const { environmentId, amount, fee } of payments) add(environmentId, 'NGN', amount - fee)
  for (const { environmentId, asset, amount, fee, status } of payouts)
    if (status !== 'FAILED') add(environmentId, asset, -amount - fee)
  for (const row of conversions) {
    add(row.environmentId, row.sourceAsset, -row.sourceAmount)
    add(row.environmentId, row.targetAsset, row.targetAmount)
  }
  const rows = await db.rows(sql<{ name: string; available: bigint; held: bigint }>`
    select environment_id || ' ' || asset as name,
      credits_posted - debits_posted as available, debits_pending as held
    from ledger_accounts where name = 'available'`)
  const found = new Map(rows.map((row) => [row.name, row]))
  return [...expected].flatMap(([name, amount]) => {
    const { available, held } = found.get(name) ?? {}
    return available === amount && held === 0n
      ? []
      : [`balance ${name} is ${available} with ${held} held, not ${amount}`]
  })
}

/** The bank carried out every completed transfer once, and nothing else. */
async function findWrongBankEffects({ db }: MixedSite, { payouts }: Books): Promise<string[]> {
  const rows = await db.rows(sql<{ reference: string; amount: bigint; ending: string }>`
    select reference, amount, ending from sandbox_transfers where ending is not null`)
  const atBank = rows.map(({ reference, amount, ending }) => {
    return `${idOf(reference.replaceAll('-', '_'))} ${amount} ${ending}`
  })
  const inBooks = payouts
    .filter(({ asset, status }) => asset === 'NGN' && status === 'COMPLETED')
    .map(({ id, amount }) => `${id} ${amount} completed`)
  return differ(
    'bank transfer',
    inBooks,
    atBank.filter((line) => line.endsWith(' completed')),
  )
}

type Line = { signature: string; memo: string | null; err: unknown }

/** The chain carried out every confirmed transfer once, and the treasury has the rest. */
async function findWrongChainEffects(site: MixedSite, { payouts }: Books): Promise<string[]> {
  const wrong: string[] = []
  for (const coin of coins) {
    const paid = payouts.filter(({ asset, status }) => asset === coin && status === 'COMPLETED')
    const account = await tokenAccountOf(site.treasuryAddress, mainnetMints[coin])
    const landed = (await listLandings(site, account)).map((memo) => idOf(memo))
    const ids = paid.map(({ id }) => id)
    wrong.push(...differ(`${coin} transfer`, ids, landed))
    const { value } = (await callLocalnet(site.chain.url, 'getTokenAccountBalance', [account])) as {
      value: { amount: string }
    }
    const expected = 3n * credits[coin] - sumOf(paid.map(({ amount }) => amount))
    if (BigInt(value.amount) !== expected)
      wrong.push(`the treasury has ${value.amount} ${coin}, not ${expected}`)
  }
  return wrong
}

/** Memos of the transactions that succeeded, without the one that minted. */
async function listLandings({ chain }: MixedSite, account: string): Promise<string[]> {
  const memos: string[] = []
  for (let before: string | undefined; ; ) {
    const options = { commitment: 'confirmed', limit: pageSize, ...(before && { before }) }
    const params = [account, options]
    const lines = (await callLocalnet(chain.url, 'getSignaturesForAddress', params)) as Line[]
    const landed = lines.filter(({ err }) => err === null)
    memos.push(...landed.map(({ memo }) => memo?.replace(/^\[\d+\] /, '') ?? 'no memo'))
    if (lines.length < pageSize) return memos.filter((memo) => !memo.startsWith('all '))
    before = lines.at(-1)!.signature
  }
}

function sumOf(amounts: bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
