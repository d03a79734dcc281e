import type { EnvironmentId } from '../../base/environment.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'

/**
 * `NONE`: nothing was stated. `DRAFT`: the merchant fills in the form. `SUBMITTED`: the operator
 * reviews it. `MORE_NEEDED`: the operator asked for more. Only `APPROVED` opens live mode.
 */
export const kycStatuses = [
  'NONE',
  'DRAFT',
  'SUBMITTED',
  'MORE_NEEDED',
  'APPROVED',
  'REJECTED',
] as const
export type KycStatus = (typeof kycStatuses)[number]

/** Returns false if it was already approved. */
export async function approveKyc(tx: Tx, environmentId: EnvironmentId): Promise<boolean> {
  const rows = await tx.rows(sql`
    update environments set kyc_status = 'APPROVED'
    where id = ${environmentId} and kyc_status <> 'APPROVED' returning id`)
  return rows.length > 0
}

export async function isKycApproved(db: Queryable, environmentId: EnvironmentId): Promise<boolean> {
  const rows = await db.rows(sql`
    select from environments where id = ${environmentId} and kyc_status = 'APPROVED'`)
  return rows.length > 0
}

/** Returns false if it was not approved. Live accounts that exist keep working. */
export async function withdrawKyc(tx: Tx, environmentId: EnvironmentId): Promise<boolean> {
  const rows = await tx.rows(sql`
    update environments set kyc_status = 'NONE'
    where id = ${environmentId} and kyc_status = 'APPROVED' returning id`)
  return rows.length > 0
}

/** What an environment in live mode cannot create without KYC; a test compares it with the API. */
export const needsKyc = [
  'virtual accounts',
  'dedicated accounts',
  'crypto wallets',
  'dedicated crypto wallets',
  'checkout sessions',
]
