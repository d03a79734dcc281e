import type { Variance } from '../../src/collections/accounts/account.js'
import type { NoticeState } from '../../src/collections/notices/store-notices.js'
import { type ProofResult, verifyLedger } from '../../src/operations/proofs/verify-ledger.js'
import { reconcile } from '../../src/operations/reconcile/reconcile.js'
import type { Difference } from '../../src/payouts/reconciliation/compare-books.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import type { SandboxBank } from '../../src/simulation/sandbox-bank/sandbox-bank.js'
import { inTestMode } from '../support/open-manilla.js'
import { countBy } from './multiset.js'
import type { Kind, PlannedPayment } from './payment-plan.js'

type Row = { railId: string; number: string; amount: bigint; variance: Variance; places: bigint }
type Places = { accepted: bigint; held: bigint; returning: bigint; returned: bigint }

export type Aftermath = {
  byVariance: Record<string, number>
  /** Payments at the bank, and their amounts in the ledger. */
  bank: { taken: bigint; sentBack: bigint }
  books: Places
  /** Payments that are not posted exactly once and in full, or should not be posted. */
  wrongPayments: string[]
  wrongVariances: string[]
  wrongNotices: string[]
  /** Accounts whose paid event is missing, repeated or wrong. */
  wrongEvents: string[]
  /** Differences between ledger and bank, except unknown account numbers. */
  differences: Difference[]
  unknownNumbers: { expected: number; found: number }
  findings: ProofResult[]
}

type Scene = { db: Database; bank: SandboxBank; planned: PlannedPayment[] }

/** Compares payments with the ledger, the bank and the events. */
export async function provePayments({ db, bank, planned }: Scene): Promise<Aftermath> {
  const rows = await db.rows(sql<Row>`
    select p.rail_id, a.number, p.amount, p.variance,
      p.amount_accepted + p.amount_held + p.amount_returning + p.amount_returned as places
    from payments p join collection_accounts a
      on a.environment_id = p.environment_id and a.id = p.account_id`)
  const [books] = await db.rows(sql<Places>`
    select coalesce(sum(amount_accepted), 0)::bigint as accepted,
      coalesce(sum(amount_held), 0)::bigint as held,
      coalesce(sum(amount_returning), 0)::bigint as returning,
      coalesce(sum(amount_returned), 0)::bigint as returned
    from payments`)
  const [reconciled] = await reconcile(
    { db, rails: { solana: { test: undefined, live: undefined }, rails: inTestMode(bank) } },
    new Date(),
  )
  const unknown = new Set(planned.filter(isOf('unknown')).map(({ id }) => id))
  const isUnknown = ({ name }: Difference) => unknown.has(name)
  const { differences } = reconciled!
  return {
    byVariance: countBy(rows, ({ variance }) => variance),
    bank: await readBank(db, planned),
    books: books!,
    wrongPayments: findWrongPayments(planned, rows),
    wrongVariances: findWrongVariances(planned, rows),
    wrongNotices: await findWrongNotices(db, planned),
    wrongEvents: await findWrongEvents(db),
    differences: differences.filter((difference) => !isUnknown(difference)),
    unknownNumbers: { expected: unknown.size, found: differences.filter(isUnknown).length },
    findings: (await verifyLedger(db)).filter(({ counterexamples }) => counterexamples.length > 0),
  }
}

function isOf(...kinds: Kind[]) {
  return ({ kind }: PlannedPayment) => kinds.includes(kind)
}

/** A naira payment to one of our accounts, above zero. */
function isSound(payment: PlannedPayment): boolean {
  return !isOf('unknown', 'foreign', 'zero')(payment)
}

function findWrongPayments(planned: PlannedPayment[], rows: Row[]): string[] {
  const counts = countBy(rows, ({ railId }) => railId)
  const byId = new Map(rows.map((row) => [row.railId, row]))
  const wrong = planned.filter((payment) => {
    const { id, amount, account } = payment
    const row = byId.get(id)
    if (!isSound(payment)) return row !== undefined
    const isWhole = row?.amount === amount && row.places === amount
    return counts[id] !== 1 || !isWhole || row.number !== account.number
  })
  const known = new Set(planned.map(({ id }) => id))
  const invented = rows.filter(({ railId }) => !known.has(railId))
  return [...wrong.map(({ id }) => id), ...invented.map(({ railId }) => railId)]
}

const expected: Partial<Record<Kind, Variance>> = {
  under: 'UNDERPAID',
  over: 'OVERPAID',
  any_amount: 'NONE',
  late: 'LATE',
  cancelled: 'LATE',
  inactive: 'LATE',
}

/** Of equal payments to one account, the first judged pays it. */
function findWrongVariances(planned: PlannedPayment[], rows: Row[]): string[] {
  const varianceOf = new Map(rows.map(({ railId, variance }) => [railId, variance]))
  const single = planned.filter(({ id, kind }) => {
    return expected[kind] !== undefined && varianceOf.get(id) !== expected[kind]
  })
  const racing = new Map<string, PlannedPayment[]>()
  for (const payment of planned.filter(isOf('exact', 'duplicate'))) {
    const { number } = payment.account
    racing.set(number, [...(racing.get(number) ?? []), payment])
  }
  const unfair = [...racing].filter(([, payments]) => {
    const firsts = payments.filter(({ id }) => varianceOf.get(id) === 'NONE')
    const seconds = payments.filter(({ id }) => varianceOf.get(id) === 'DUPLICATE')
    return firsts.length !== 1 || firsts.length + seconds.length !== payments.length
  })
  return [...single.map(({ id }) => id), ...unfair.map(([number]) => number)]
}

async function findWrongNotices(db: Database, planned: PlannedPayment[]): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string; state: NoticeState }>`select id, state from notices`)
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  const wanted = (payment: PlannedPayment): NoticeState => {
    if (isSound(payment)) return 'BOOKED'
    return payment.kind === 'unknown' ? 'UNMATCHED' : 'REFUSED'
  }
  const wrong = planned.filter((payment) => states.get(payment.id) !== wanted(payment))
  return rows.length === planned.length ? wrong.map(({ id }) => id) : ['too many or too few']
}

export async function findWrongEvents(db: Database): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string }>`
    select coalesce(a.id, e.resource_id) as id
    from (select * from collection_accounts where status = 'PAID') a
    full join (select environment_id, resource_id, count(*) as count from events
      where type = 'virtual_account.paid' group by environment_id, resource_id) e
      on e.environment_id = a.environment_id and e.resource_id = a.id
    where a.id is null or e.count is distinct from 1`)
  return rows.map(({ id }) => id)
}

/** From the sandbox bank's own tables. */
async function readBank(db: Database, planned: PlannedPayment[]) {
  const ours = planned.filter(isSound).map(({ account }) => account.number)
  const [taken] = await db.rows(sql<{ sum: bigint }>`
    select coalesce(sum(amount), 0)::bigint as sum from sandbox_payments
    where account_number = any (${[...new Set(ours)]}) and currency = 'NGN' and amount > 0`)
  const [sent] = await db.rows(sql<{ sum: bigint }>`
    select coalesce(sum(amount), 0)::bigint as sum from sandbox_transfers
    where is_reported and ending = 'completed' and reversal_number is null`)
  return { taken: taken!.sum, sentBack: sent!.sum }
}
