import type { RealTime } from '../base/clock.js'
import { prefixes, toReference } from '../base/ids.js'
import type { Logger } from '../base/log.js'
import { type Outcome, Refusal } from '../base/refusal.js'
import type { BackCoins } from '../conversions/ports.js'
import type { Book } from '../ledger/book.js'
import { type Funding, fundAll } from '../ledger/fund.js'
import type { Moved } from '../ledger/movement.js'
import type { Asset } from '../money/assets.js'
import { payoutLimits } from '../payouts/limits.js'
import type { Database } from '../postgres/database.js'
import { sql } from '../postgres/sql.js'
import { listStatement } from '../postgres/statement.js'
import { gather } from '../postgres/transactions/gather.js'
import type { Tx } from '../postgres/transactions/tx.js'

/** Mints coins to the treasury of the localnet, once per key. */
export interface CoinMint {
  mintAll(backings: { key: string; asset: Asset; amount: bigint }[]): Promise<void>
}

const insertBackings = listStatement({
  name: 'insert_coin_backings',
  columns: { environmentId: 'int4', id: 'uuid', asset: 'text', amount: 'int8' },
  text: (list, parameter, names) => `
    insert into coin_backings (${names}, created_at)
    select ${names}, ${parameter(0)}::timestamptz from ${list}`,
})

/**
 * Credits test balances. Without a mint, as on an external test chain, coins are refused: the
 * treasury could not pay them out, and books and chain would differ.
 */
export function createFunding(mint: CoinMint | undefined): typeof fundAll {
  return mint ? fundAndBack : fundWithoutCoins
}

async function fundWithoutCoins(
  tx: Tx,
  now: RealTime,
  fundings: Funding[],
  locked?: Promise<Book>,
): Promise<Outcome<Moved>[]> {
  const funded = await fundAll(
    tx,
    now,
    fundings.filter((funding) => !isBacked(funding)),
    locked,
  )
  return fundings.map((funding) => (isBacked(funding) ? cannotMint(funding) : funded.shift()!))
}

function cannotMint({ asset }: Funding): Refusal {
  return new Refusal('balance_funding_failed', {
    reason: 'not_simulated',
    message:
      `Test ${asset} can be minted only on the localnet of \`npm start\`. ` +
      `Send ${asset} to a wallet of yours on the test chain, or ask the operator to send it to the ` +
      'hot wallet and run `manilla balances credit`.',
  })
}

/** Credits available balances and records the coins to mint for them. */
async function fundAndBack(
  tx: Tx,
  now: RealTime,
  fundings: Funding[],
  locked?: Promise<Book>,
): Promise<Outcome<Moved>[]> {
  const outcomes = await fundAll(tx, now, fundings, locked)
  const rows = fundings.filter(
    (funding, index) => isBacked(funding) && !(outcomes[index] instanceof Refusal),
  )
  if (rows.length > 0) tx.write(insertBackings(rows, now))
  return outcomes
}

/** Records coins to mint for a conversion that sells more than test mode has. */
export const backCoins: BackCoins = (tx, now, { environmentId, id, asset, amount }) => {
  tx.write(insertBackings([{ environmentId, id, asset, amount }], now))
}

function isBacked({ asset, purpose }: Funding): boolean {
  return purpose === 'test_funding' && asset !== 'NGN'
}

export const firstUnmintedAt = sql`select min(created_at) from coin_backings where not is_minted`

type Backing = { id: string; asset: Asset; amount: bigint }

/** Mints a batch of recorded coins and returns its size. Safe to repeat and to run concurrently. */
export async function mintBackings({
  db,
  mint,
}: {
  db: Database
  mint: CoinMint
}): Promise<number> {
  const unminted = await db.rows(sql<Backing>`
    select id, asset, amount from coin_backings
    where not is_minted order by created_at limit ${payoutLimits.mintsPerBatchMax}`)
  if (unminted.length === 0) return 0
  await mint.mintAll(
    unminted.map(({ id, asset, amount }) => ({
      key: toReference(prefixes.funding, id),
      asset,
      amount,
    })),
  )
  await db.rows(sql`
    update coin_backings set is_minted = true
    where id = any(${unminted.map(({ id }) => id)}::uuid[]) and not is_minted`)
  return unminted.length
}

/**
 * Mints all recorded coins now, for callers that cannot wait for the worker: a funded balance must
 * be usable at once, and a payout must not be refused for lack of coins. Never throws: after a
 * failure the worker tries again.
 */
export function createPendingMint({
  db,
  mint,
  logger,
}: {
  db: Database
  mint: CoinMint | undefined
  logger: Logger
}): () => Promise<void> {
  if (!mint) return async () => {}
  const mintAll = gather(async (calls: true[]) => {
    while ((await mintBackings({ db, mint })) === payoutLimits.mintsPerBatchMax);
    return calls
  })
  return async () => {
    await mintAll(true).catch((error: unknown) =>
      logger.warn({ err: error }, 'test coins could not be minted; the worker retries'),
    )
  }
}
