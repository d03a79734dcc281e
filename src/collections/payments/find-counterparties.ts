import type { EnvironmentId } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'

/** Who paid, or who was paid. */
export type Counterparty = {
  name: string | null
  bankName: string | null
  accountNumber: string | null
  address: string | null
}

/** By the id of the payment or payout. */
export async function findCounterparties(
  db: Queryable,
  environmentId: EnvironmentId,
  causeIds: string[],
): Promise<Map<string, Counterparty>> {
  if (causeIds.length === 0) return new Map()
  const rows = await db.rows(sql<Counterparty & { id: string }>`
    select id, sender ->> 'name' as name, sender ->> 'bankName' as bank_name, sender ->>
      'accountNumber' as account_number, sender ->> 'address' as address
    from payments where environment_id = ${environmentId} and id = any (${causeIds}::uuid[])
    union all
    select id, destination ->> 'accountName', destination ->> 'bankName',
      destination ->> 'accountNumber', destination ->> 'address'
    from payouts where environment_id = ${environmentId} and id = any (${causeIds}::uuid[])`)
  return new Map(
    rows.map(({ id, name, bankName, accountNumber, address }) => [
      id,
      { name, bankName, accountNumber, address },
    ]),
  )
}
