import type { RealTime } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import type { Seal } from '../../base/sealed.js'
import { createMerchant, type NewMerchant } from '../../merchants/create-merchant.js'
import { type ApiKey, type IssuedKey, revokeKey } from '../../merchants/keys/api-keys.js'
import { issueKey } from '../../merchants/keys/issue-key.js'
import { resumeMerchant, suspendMerchant } from '../../merchants/suspension.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, type Operator } from './audit-operator.js'

/** A merchant with both environments, and the two test keys it starts with. */
export async function openMerchant(
  tx: Tx,
  now: RealTime,
  { seal, displayName }: { seal: Seal; displayName: string },
  operator: Operator,
): Promise<{ merchant: NewMerchant; keys: IssuedKey[] }> {
  const merchant = await createMerchant(tx, now, displayName)
  const newKey = {
    seal,
    environment: merchant.environments.test,
    name: 'First key',
    expiresAt: null,
    allowedAddresses: [],
    shownTo: typeof operator === 'string' ? null : operator.userId,
  }
  const secretKey = await issueKey(tx, now, { ...newKey, kind: 'secret', isRevealable: true })
  const publicKey = await issueKey(tx, now, { ...newKey, kind: 'public' })
  const keys = [secretKey, publicKey]
  const details = { displayName: merchant.displayName }
  auditOperator(tx, now, operator, {
    action: 'merchant.create',
    merchantId: merchant.id,
    details,
    shown: details,
  })
  for (const key of keys)
    auditOperator(tx, now, operator, { action: 'key.create', ...auditOf(key) })
  return { merchant, keys }
}

/** Suspends or resumes a merchant. Returns false if it was so already. */
export async function changeSuspension(
  tx: Tx,
  now: RealTime,
  change: { merchantId: string; isSuspended: boolean; reason: string },
  operator: Operator,
): Promise<boolean> {
  const { merchantId, isSuspended, reason } = change
  const isFresh = isSuspended
    ? await suspendMerchant(tx, now, merchantId)
    : await resumeMerchant(tx, merchantId)
  const action = isSuspended ? 'merchant.suspend' : 'merchant.resume'
  if (isFresh)
    auditOperator(tx, now, operator, { action, merchantId, details: { reason }, shown: {} })
  return isFresh
}

/** Ends a key for good. Revoking it again changes nothing. */
export async function endKey(
  tx: Tx,
  now: RealTime,
  name: Pick<ApiKey, 'environmentId' | 'id'>,
  operator: Operator,
): Promise<{ key: ApiKey; isFresh: boolean }> {
  const revoked = await revokeKey(tx, now, name)
  if (revoked.isFresh) {
    const audited = auditOf(revoked.key)
    auditOperator(tx, now, operator, {
      action: 'key.revoke',
      ...audited,
      shown: audited.details,
    })
  }
  return revoked
}

/** Audit details of a key: everything but the key itself. */
export function auditOf(key: ApiKey) {
  const { kind, mode, name, hint, expiresAt, allowedAddresses, permissions, payoutsWait } = key
  const reference = toReference(prefixes.apiKey, key.id)
  return {
    merchantId: key.merchantId,
    environmentId: key.environmentId,
    details: {
      key: reference,
      kind,
      mode,
      name,
      hint,
      expiresAt,
      allowedAddresses,
      ...(permissions && { permissions }),
      ...(payoutsWait && { payoutsWaitForApproval: true }),
    },
  }
}
