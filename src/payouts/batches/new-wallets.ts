import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Batch, BatchItem, ItemState } from './batch.js'

/**
 * Several items of a batch may pay one wallet that has no token account yet. The first of them
 * creates it and is charged for it; the others wait until that one has ended. If it failed, nothing
 * was created, its fee is released, and the next one creates the account.
 */
export const creationFee = 'crypto_account_creation'

type WalletItem = Pick<BatchItem, 'number' | 'state'> & { address: string }

/** The items of a batch in these states that pay these wallets. */
export function findWalletItems(
  db: Queryable,
  { environmentId, id }: Pick<Batch, 'environmentId' | 'id'>,
  { addresses, states }: { addresses: string[]; states: ItemState[] },
): Promise<WalletItem[]> {
  return db.rows(sql<WalletItem>`
    select number, state, destination ->> 'address' as address from payout_batch_items
    where environment_id = ${environmentId} and batch_id = ${id} and state = any (${states}::text[])
      and destination ->> 'address' = any (${addresses}::text[])
    order by number`)
}

export function walletOfItem({ destination }: Pick<BatchItem, 'destination'>): string | undefined {
  return destination.kind === 'wallet' ? destination.address : undefined
}

/** The number of the first of the items that pays each wallet. */
export function firstItemByWallet(items: Omit<WalletItem, 'state'>[]): Map<string, number> {
  const first = new Map<string, number>()
  for (const { address, number } of items)
    first.set(address, Math.min(number, first.get(address) ?? number))
  return first
}
