import { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { type Program, runCommand } from '../support/program.js'
import { type Chained, type Deposit, readChain } from './deposit-chain.js'
import type { Payers } from './deposit-payers.js'
import type { Coin, PlannedWallet } from './deposit-shops.js'
import { databaseUrlOf, openSite } from './storm-site.js'

type Row = { id: string; wallet: string; asset: string; amount: bigint }
type Money = Record<Coin, bigint>

export type Aftermath = {
  deposits: number
  /** Deposits to swept token accounts, and those among them to closed ones. */
  afterSweep: number
  byVariance: Record<string, number>
  sweeps: Record<string, number>
  /** Deposits that are not exactly one payment, and payments without a deposit. */
  wrongPayments: string[]
  /** Deposits of another coin than the wallet's: stored as notices, never credited. */
  wrongNotices: string[]
  /** Keys whose coins were not sent exactly once, or whose answer changed. */
  wrongAnswers: string[]
  wrongEvents: string[]
  wrongSums: string[]
  /** Coins that left wallets without a landed sweep in the ledger. */
  wrongSweeps: string[]
  /** Token accounts in two sweeps at once. */
  sweptTwice: string[]
  /** Wallets whose balance differs from the ledger. */
  wrongWallets: string[]
  treasury: Money
  expectedTreasury: Money
  verdicts: { code: number | null; out: string }[]
  exitCode: number | null
}

type Scene = { home: string; payers: Payers; planned: PlannedWallet[]; program: Program }

const demoFunding = 10_000_000_000n

/** Compares the chain, read by an independent client, with the ledger, wallet by wallet. */
export async function proveDeposits(scene: Scene): Promise<Aftermath> {
  const { home, payers, planned, program } = scene
  const site = openSite(home)
  const db = new Database(databaseUrlOf(home), () => {})
  const chain = await readChain(site.chain, scene)
  const { payments, refused } = await readBooked(db)
  const isWrongCoin = wrongCoinOf(planned)
  const right = chain.deposits.filter((deposit) => !isWrongCoin(deposit))
  const aftermath = {
    deposits: chain.deposits.length,
    afterSweep: chain.afterSweep,
    byVariance: await countBy(db, 'variance', 'payments'),
    sweeps: await countBy(db, 'state', 'sweeps'),
    wrongPayments: findDifferences(right, payments),
    wrongNotices: findDifferences(chain.deposits.filter(isWrongCoin), refused),
    wrongAnswers: [...findUnsent(payers, chain.deposits), ...(await payers.findChanged(site, 200))],
    wrongEvents: await findWrongEvents(db),
    wrongSums: await findWrongSums(db, planned, right),
    wrongSweeps: findDifferences(chain.swept, await readSwept(db)),
    sweptTwice: await findSweptTwice(db),
    wrongWallets: await findWrongWallets(db, chain),
    treasury: chain.treasury,
    expectedTreasury: expectTreasury(chain),
  }
  await db.close()
  const verdicts = await Promise.all(
    ['verify-ledger', 'reconcile'].map((command) => runCommand(home, command)),
  )
  program.signal('SIGINT')
  return { ...aftermath, verdicts, exitCode: (await program.ended).code }
}

export { readChain as readDeposits } from './deposit-chain.js'

function wrongCoinOf(planned: PlannedWallet[]) {
  const assets = new Map(planned.map(({ address, expected }) => [address, expected?.asset]))
  return ({ wallet, asset }: Deposit) => (assets.get(wallet) ?? asset) !== asset
}

export async function readBooked(db: Database): Promise<{ payments: Row[]; refused: Row[] }> {
  const payments = await db.rows(sql<Row>`
    select p.rail_id as id, a.number as wallet, p.asset, p.amount from payments p
    join collection_accounts a on a.environment_id = p.environment_id and a.id = p.account_id`)
  const refused = await db.rows(sql<Row>`
    select id, report ->> 'accountNumber' as wallet, report ->> 'currency' as asset,
      (report ->> 'amount')::bigint as amount
    from notices where state = 'REFUSED'`)
  return { payments, refused }
}

async function readSwept(db: Database): Promise<Row[]> {
  return db.rows(sql<Row>`
    select s.token || ':' || p.token_account as id, t.wallet, s.asset, p.amount
    from sweep_parts p join sweeps s on s.rail = p.rail and s.id = p.sweep_id
    join token_accounts t on t.rail = p.rail and t.address = p.token_account
    where s.state = 'LANDED'`)
}

/** Items without exactly one equal on the other side. */
function findDifferences(one: Row[], other: Row[]): string[] {
  const show = ({ id, wallet, asset, amount }: Row) => `${id} ${wallet} ${amount} ${asset}`
  const [left, right] = [one.map(show), other.map(show)]
  const missing = left.filter((each) => !right.includes(each)).map((each) => `missing: ${each}`)
  const invented = right.filter((each) => !left.includes(each)).map((each) => `invented: ${each}`)
  const isOnce = new Set(right).size === right.length && new Set(left).size === left.length
  return [...missing, ...invented, ...(isOnce ? [] : ['something is there twice'])]
}

/** Each answer names its own transaction with the requested amount. */
function findUnsent({ answers, orders }: Payers, deposits: Deposit[]): string[] {
  const bySignature = new Map(deposits.map((deposit) => [deposit.signature, deposit]))
  const signatures = new Set<string>()
  return [...answers].flatMap(([key, { text }]) => {
    const { signature } = JSON.parse(text).data as { signature: string }
    const { wallet, asset, amount } = orders.get(key)!
    const isNew = !signatures.has(signature)
    signatures.add(signature)
    const sent = bySignature.get(signature)
    const isSent = sent?.wallet === wallet.address && sent.asset === asset
    const units = BigInt(Math.round(Number(amount) * 1e6))
    return isNew && isSent && sent.amount === units ? [] : [`${key}: ${signature}`]
  })
}

/** The events that each payment must have emitted, and no others. */
async function findWrongEvents(db: Database): Promise<string[]> {
  const rows = await db.rows(sql<{ id: string; emitted: string; wanted: string }>`
    select p.id, coalesce(emitted.types, '') as emitted, concat_ws(',',
      case when p.source = 'crypto_wallet' then case p.variance
        when 'DUPLICATE' then 'crypto_wallet.duplicate_payment'
        when 'LATE' then 'crypto_wallet.late_payment'
        when 'OVERPAID' then 'crypto_wallet.overpaid' end end,
      case when p.source = 'crypto_wallet' and p.variance in ('NONE', 'OVERPAID')
        then 'crypto_wallet.paid' end,
      case when p.variance = 'UNDERPAID' then 'crypto_wallet.underpaid' end,
      case when p.source = 'dedicated_crypto_wallet'
        then 'dedicated_crypto_wallet.credited' end,
      case when p.amount_held > 0 then 'payment.held' end) as wanted
    from payments p left join lateral (
      select string_agg(e.type, ',' order by e.type collate "C") as types from events e
      where e.environment_id = p.environment_id and e.cause_id = p.id) emitted on true`)
  return rows
    .filter(({ emitted, wanted }) => emitted !== wanted)
    .map(({ id, emitted, wanted }) => `${id}: ${emitted} instead of ${wanted}`)
}

/** Per merchant and coin: deposits equal available plus held plus fees. */
async function findWrongSums(
  db: Database,
  planned: PlannedWallet[],
  deposits: Deposit[],
): Promise<string[]> {
  const owners = new Map(planned.map(({ address, shop }) => [address, shop.environmentId]))
  const sums = new Map<string, bigint>()
  for (const { wallet, asset, amount } of deposits) {
    const name = `${owners.get(wallet)} ${asset}`
    sums.set(name, (sums.get(name) ?? 0n) + amount)
  }
  const rows = await db.rows(sql<{ name: string; sum: bigint }>`
    select environment_id || ' ' || asset as name,
      sum(credits_posted - debits_posted)::bigint as sum
    from ledger_accounts where name in ('available', 'suspense', 'fees')
      and environment_id = any(${[...new Set(owners.values())]})
    group by environment_id, asset having sum(credits_posted) > 0`)
  const booked = new Map(rows.map(({ name, sum }) => [name, sum]))
  return [...new Set([...sums.keys(), ...booked.keys()])].filter(
    (name) => sums.get(name) !== booked.get(name),
  )
}

async function findSweptTwice(db: Database): Promise<string[]> {
  const rows = await db.rows(sql<{ address: string }>`
    select distinct p.token_account as address from sweep_parts p
    join sweeps s on s.rail = p.rail and s.id = p.sweep_id
    join sweep_parts q on q.rail = p.rail and q.token_account = p.token_account
      and q.sweep_id <> p.sweep_id
    join sweeps r on r.rail = q.rail and r.id = q.sweep_id
    where s.created_at < coalesce(r.ended_at, 'infinity')
      and r.created_at < coalesce(s.ended_at, 'infinity')`)
  return rows.map(({ address }) => address)
}

/** The recorded balance equals the chain's, and deposits minus sweeps. */
async function findWrongWallets(db: Database, { held }: Chained): Promise<string[]> {
  const rows = await db.rows(sql<{ address: string; amount: bigint }>`
    select address, amount from token_accounts`)
  return rows
    .filter(({ address, amount }) => (held.get(address) ?? 0n) !== amount)
    .map(({ address, amount }) => `${address}: ${held.get(address) ?? 0n}, known as ${amount}`)
}

function expectTreasury({ swept }: Chained): Money {
  const sum = (coin: Coin) =>
    swept
      .filter(({ asset }) => asset === coin)
      .reduce((all, { amount }) => all + amount, demoFunding)
  return { USDC: sum('USDC'), USDT: sum('USDT') }
}

async function countBy(db: Database, column: string, table: string) {
  const rows = await db.rows<{ name: string; count: number }>({
    text: `select ${column} as name, count(*)::int as count from ${table} group by 1 order by 1`,
    values: [],
  })
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}
