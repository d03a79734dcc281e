import type { EnvironmentId } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { notFound, Refusal } from '../../base/refusal.js'
import { sql } from '../../postgres/sql.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { accountReference, type CollectionAccount } from './account.js'
import { customerAccountKinds, type ShownAccount, shownColumns } from './customer-accounts.js'

type GivableAccount = ShownAccount & Pick<CollectionAccount, 'environmentId' | 'customerId'>

/** A dedicated account or wallet. Accounts are locked before customers, as payments do it. */
export async function lockGivableAccount(
  tx: Tx,
  { environmentId, reference }: { environmentId: EnvironmentId; reference: string },
): Promise<GivableAccount> {
  const id =
    fromReference(prefixes.dedicatedAccount, reference) ??
    fromReference(prefixes.dedicatedCryptoWallet, reference)
  const [account] = id
    ? await tx.rows(sql<GivableAccount>`
        select environment_id, customer_id, ${shownColumns} from collection_accounts
        where environment_id = ${environmentId} and id = ${id}
          and kind = any(${[...customerAccountKinds]})
        for no key update`)
    : []
  if (!account) throw notFound('dedicated account', reference)
  return account
}

/** Throws a refusal if the account belongs to another customer. */
export function giveToCustomer(tx: Tx, account: GivableAccount, customerId: string): void {
  if (account.customerId !== null && account.customerId !== customerId)
    throw new Refusal('customer_failed', {
      reason: 'invalid_state',
      message: `${accountReference(account)} belongs to another customer.`,
    })
  tx.write(sql`
    update collection_accounts set customer_id = ${customerId}
    where environment_id = ${account.environmentId} and id = ${account.id}`)
}
