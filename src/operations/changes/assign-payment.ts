import type { Mode } from '../../base/environment.js'
import { fromReference, prefixes } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import {
  assignNotice,
  findAssignable,
  findNotice,
} from '../../collections/notices/assign-notice.js'
import { getEnvironment } from '../../merchants/environments.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, type Operator } from './audit-operator.js'

export type Assignment = {
  rail: string
  mode: Mode
  id: string
  merchant: string
  /** A virtual or dedicated account of the merchant. */
  account: string
  note: string
}

/** Refuses what cannot be assigned, before another operator is asked. */
export async function checkAssignment(db: Queryable, assignment: Assignment) {
  const { rail, mode, merchant } = assignment
  const { state } = await findNotice(db, assignment)
  if (state !== 'UNMATCHED')
    throw new Refusal('validation_failed', {
      reason: 'invalid_state',
      message: `This notice is ${state}. Only a payment without an account can be assigned.`,
    })
  const environment = await getEnvironment(db, { merchant, mode })
  const accountId = readAccountId(assignment.account)
  const account = await findAssignable(db, { rail, environmentId: environment.id, accountId })
  return { environment, account }
}

/** Books a bank payment whose account is unknown into an account of a merchant. */
export async function assignPayment(
  tx: Tx,
  now: Date,
  assignment: Assignment,
  operator: Operator,
): Promise<void> {
  const { rail, mode, id, merchant, account, note } = assignment
  const { id: environmentId, merchantId } = await getEnvironment(tx, { merchant, mode })
  const accountId = readAccountId(account)
  await assignNotice(tx, now, { rail, mode, id, environmentId, accountId })
  const details = { rail, mode, id, reference: account, note }
  auditOperator(tx, now, operator, {
    action: 'notice.assign',
    merchantId,
    environmentId,
    details,
    shown: { account, mode, payment: id },
  })
}

function readAccountId(reference: string): string {
  const { virtualAccount, dedicatedAccount } = prefixes
  const id = fromReference(virtualAccount, reference) ?? fromReference(dedicatedAccount, reference)
  if (id) return id
  throw new Refusal('validation_failed', {
    message: 'Name the account by its reference, va_… or da_….',
    details: [{ field: 'account', issue: 'must be the reference of a bank account' }],
  })
}
