import { prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { show } from '../support/show.js'
import type { Answered, Journal } from './journal.js'
import { findChangedAnswers } from './journal-callers.js'
import { findWrongPayments, idOf } from './journal-payments.js'
import { differ } from './multiset.js'
import { runProofs } from './run-proofs.js'
import { type ExpectedSplits, expectSplits } from './split-oracle.js'
import { comesBack, fundedAmount, type SplitScene } from './split-site.js'

type PayoutRow = {
  reference: string
  kind: string
  /** Reference of the sub-account that pays; null: the merchant. */
  seller: string | null
  debit: bigint
  amount: bigint
  status: string
  accountNumber: string
  /** Of a settlement. */
  isSettlement: boolean
  isScheduled: boolean
}

type Balance = { available: bigint; held: bigint; pending: bigint; owed: bigint }

type Books = {
  payouts: PayoutRow[]
  /** By reference of the sub-account. */
  balances: Map<string, Balance & { status: string }>
  merchant: { available: bigint; receivables: bigint }
}

/**
 * Compares what was acknowledged with the books: every share, refund and payout once, the balance of
 * every sub-account, what it owes, and the rest of the merchant, exact to the kobo. Then all proofs.
 * Only while nothing is under way.
 */
export async function proveSplits(scene: SplitScene): Promise<string[]> {
  const { callers, random } = scene
  const { journal } = callers
  const expected = expectSplits(journal)
  const books = await readBooks(scene)
  return [
    ...(await findWrongShares(scene, expected)),
    ...(await findWrongPayments(scene.site.db, journal)),
    ...findWrongPayouts(journal, books),
    ...(await findWrongBankEffects(scene, books)),
    ...findWrongSellers(scene, expected, books),
    ...findWrongMerchant(journal, books),
    ...(await findWrongAnswers(scene, books)),
    ...(await findWrongEvents(scene)),
    ...(await runProofs(scene.site)),
    // Last: a retry of a lost operation would do it.
    ...(await findChangedAnswers(callers, random)),
  ]
}

const sellerOf = (id: string) => toReference(prefixes.subaccount, id)

async function readBooks({ site: { db, environmentId } }: SplitScene): Promise<Books> {
  const payouts = await db.rows(sql<PayoutRow & { id: string; takesFrom: string }>`
    select p.id, p.kind, p.takes_from, p.amount + p.fee + p.levy as debit, p.amount, p.status,
      p.destination ->> 'accountNumber' as account_number,
      s.id is not null as is_settlement, s.scheduled_for is not null as is_scheduled
    from payouts p left join settlements s
      on s.environment_id = p.environment_id and s.payout_id = p.id`)
  const accounts = await db.rows(sql<{ name: string; balance: bigint; held: bigint }>`
    select name, credits_posted - debits_posted as balance, debits_pending as held
    from ledger_accounts where environment_id = ${environmentId} and asset = 'NGN'`)
  const byName = new Map(accounts.map((account) => [account.name, account]))
  const balanceOf = (name: string) => byName.get(name)?.balance ?? 0n
  const sellers = await db.rows(sql<{ id: string; status: string }>`
    select id, status from subaccounts`)
  return {
    payouts: payouts.map(({ id, takesFrom, ...row }) => ({
      ...row,
      reference: id,
      seller: takesFrom.startsWith('sub:') ? sellerOf(takesFrom.slice(4)) : null,
    })),
    balances: new Map(
      sellers.map(({ id, status }) => [
        sellerOf(id),
        {
          status,
          available: balanceOf(`sub:${id}`),
          held: byName.get(`sub:${id}`)?.held ?? 0n,
          pending: balanceOf(`sub_pending:${id}`),
          owed: -balanceOf(`sub_owed:${id}`),
        },
      ]),
    ),
    merchant: { available: balanceOf('available'), receivables: balanceOf('receivables') },
  }
}

/** Each payment gave its lines what the oracle says, and refunds took back what it says. */
async function findWrongShares(
  { site: { db } }: SplitScene,
  { shares }: ExpectedSplits,
): Promise<string[]> {
  type Row = { payment: string; line: number; seller: string; figures: string; status: string }
  const rows = await db.rows(sql<Row>`
    select payment_id as payment, line, subaccount_id as seller, status,
      concat_ws(' ', amount, fee, taken_back) as figures
    from payment_shares`)
  const booked = rows.map(({ payment, line, seller, figures, status }) =>
    [payment, line, sellerOf(seller), figures, status].join(' '),
  )
  const wanted = shares.map(({ payment, line, seller, amount, fee, takenBack, isPending }) => {
    const status = isPending ? 'PENDING' : 'POSTED'
    return [idOf(payment), line, seller, amount, fee, takenBack, status].join(' ')
  })
  return differ('share', wanted, booked)
}

/** Payouts that were acknowledged exist once; others only where a worker or a closing makes them. */
function findWrongPayouts(journal: Journal, { payouts }: Books): string[] {
  const describe = (id: string, seller: string | null, debit: bigint) => `${id} ${seller} ${debit}`
  const sellerIn = ({ path }: Answered) => path.split('/')[3]!
  const acknowledged = [
    ...journal
      .list('payout')
      .map(({ body, answer: { kept } }) =>
        describe(idOf(kept.reference), body.from, BigInt(kept.totalDebit!)),
      ),
    ...journal.list('settlement').map((settled) => {
      const { transferReference, amount, fee } = settled.answer.kept
      const debit = BigInt(amount!) + BigInt(fee!)
      return describe(idOf(transferReference), sellerIn(settled), debit)
    }),
  ]
  const paidOut = journal
    .list('closing')
    .filter(({ body }) => body.balance === 'pay_out')
    .map(sellerIn)
  const isByWorker = ({ kind, isScheduled }: PayoutRow) => isScheduled || kind === 'bank_return'
  const isClosing = ({ isSettlement, seller }: PayoutRow) =>
    isSettlement && seller !== null && paidOut.includes(seller)
  const requested = payouts.filter((row) => !isByWorker(row) && !isClosing(row))
  const closing = payouts.filter(isClosing)
  const wrongEnds = payouts.filter(({ status, accountNumber }) => {
    const hasComeBack = status === 'FAILED' || status === 'REVERSED'
    return hasComeBack !== comesBack(accountNumber) || (!hasComeBack && status !== 'COMPLETED')
  })
  return [
    ...differ(
      'payout',
      acknowledged,
      requested.map(({ reference, seller, debit }) => describe(reference, seller, debit)),
    ),
    ...differ(
      'closing payout of',
      paidOut,
      closing.map(({ seller }) => seller!),
    ),
    ...wrongEnds.map(({ reference, kind, status }) => `${kind} ${reference} is ${status}`),
  ]
}

/** The bank carried out every completed transfer once, and nothing else. */
async function findWrongBankEffects(
  { site: { db } }: SplitScene,
  { payouts }: Books,
): Promise<string[]> {
  const rows = await db.rows(sql<{ reference: string; amount: bigint }>`
    select reference, amount from sandbox_transfers where ending = 'completed'`)
  const atBank = rows.map(
    ({ reference, amount }) => `${idOf(reference.replaceAll('-', '_'))} ${amount}`,
  )
  const inBooks = payouts
    .filter(({ status }) => status !== 'FAILED')
    .map(({ reference, amount }) => `${reference} ${amount}`)
  return differ('bank transfer', inBooks, atBank)
}

/** Exact for steady sellers. What shaky ones have and owe may both be too large by the same. */
function findWrongSellers(
  { site }: SplitScene,
  { sellers }: ExpectedSplits,
  { payouts, balances, merchant }: Books,
): string[] {
  const shaky = new Set(
    site.sellers.filter(({ group }) => group === 'shaky').map(({ reference }) => reference),
  )
  const spent = new Map<string, bigint>()
  for (const { seller, debit, status } of payouts)
    if (seller !== null && status === 'COMPLETED')
      spent.set(seller, (spent.get(seller) ?? 0n) + debit)
  const wrong: string[] = []
  for (const [seller, { position, pending }] of sellers) {
    const found = balances.get(seller)
    if (!found) {
      wrong.push(`seller ${seller} is lost`)
      continue
    }
    // What a closed seller had is the merchant's.
    const isClosed = found.status === 'CLOSED'
    const money = isClosed ? 0n : position - (spent.get(seller) ?? 0n) - pending
    const isShaky = shaky.has(seller)
    const least = isShaky ? smaller(found.available, found.owed) : 0n
    const wanted = {
      available: (money > 0n ? money : 0n) + least,
      held: 0n,
      pending,
      owed: (money < 0n ? -money : 0n) + least,
      status: found.status,
    }
    if (show(wanted) !== show(ordered(found)))
      wrong.push(`seller ${seller} has ${show(ordered(found))}, not ${show(wanted)}`)
  }
  if (sellers.size !== balances.size) wrong.push(`${balances.size} sellers, not ${sellers.size}`)
  const owed = sumOf([...balances.values()].map((balance) => balance.owed))
  if (merchant.receivables !== owed)
    wrong.push(`receivables are ${merchant.receivables}, and sellers owe ${owed}`)
  return wrong
}

const ordered = ({ available, held, pending, owed, status }: Balance & { status: string }) => ({
  available,
  held,
  pending,
  owed,
  status,
})

const smaller = (left: bigint, right: bigint) => (left < right ? left : right)

/** All money that came in and did not leave is the merchant's, or in a sub-account. */
function findWrongMerchant(journal: Journal, { payouts, balances, merchant }: Books): string[] {
  const paid = journal
    .list('payment')
    .map(({ answer: { kept } }) => BigInt(kept.amountAccepted!) - BigInt(kept.fee!))
  const left = payouts.filter(({ status }) => status === 'COMPLETED').map(({ debit }) => debit)
  const inSubaccounts = [...balances.values()].map(({ available, pending }) => available + pending)
  const wanted = fundedAmount + sumOf(paid) - sumOf(left) - sumOf(inSubaccounts)
  if (merchant.available === wanted) return []
  return [`the merchant has ${merchant.available}, not ${wanted}`]
}

/** The API shows the balances of the books. */
async function findWrongAnswers(
  { site, callers }: SplitScene,
  { balances }: Books,
): Promise<string[]> {
  const wrong: string[] = []
  for (const reference of [...site.sellers.map((seller) => seller.reference), ...site.spenders]) {
    const shown = await callers.read('key', `/v1/subaccounts/${reference}`)
    const naira = shown.balances.find(({ asset }: { asset: string }) => asset === 'NGN')
    const { available, held, pending, owed } = balances.get(reference)!
    const wanted = [available, held, pending, owed].map(Number)
    const found = [naira.available, naira.held, naira.pending, naira.owed]
    if (show(found) !== show(wanted))
      wrong.push(`seller ${reference} is shown with ${show(found)}, not ${show(wanted)}`)
  }
  return wrong
}

/** One event for each payment that was split, each release and each new debt. */
async function findWrongEvents({ site: { db } }: SplitScene): Promise<string[]> {
  const events = await db.rows(sql<{ name: string }>`
    select type || ' ' || cause_id as name from events
    where type in ('split.posted', 'split.released', 'subaccount.receivable')`)
  const wanted = await db.rows(sql<{ name: string }>`
    select 'split.posted ' || (array_agg(id order by line))[1] as name from payment_shares
      group by payment_id
    union all select 'split.released ' || id from payment_shares where released_at is not null
    union all select 'subaccount.receivable ' || id from share_take_backs where owed > 0`)
  return differ(
    'event',
    wanted.map(({ name }) => name),
    events.map(({ name }) => name),
  )
}

function sumOf(amounts: bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
