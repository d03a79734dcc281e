import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { newId } from '../base/ids.js'
import { Refusal } from '../base/refusal.js'
import { emitAll } from '../events/emit.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { withCredit } from './credit/customer-credit.js'
import { type Customer, customerReference, noCredit, type ShownCustomer } from './customer.js'
import { showCustomer } from './resource.js'
import { insertCustomer, lockCustomer, updateCustomer } from './store-customers.js'

export type NewCustomer = Pick<
  Customer,
  'environmentId' | 'name' | 'email' | 'phone' | 'externalReference' | 'metadata'
>

export async function createCustomer(
  tx: Tx,
  { now, realNow }: { now: Date; realNow: RealTime },
  wanted: NewCustomer,
): Promise<ShownCustomer> {
  const created: Customer = {
    ...wanted,
    id: newId(now),
    eventSequence: 1,
    createdAt: now,
    erasedAt: null,
  }
  await insertCustomer(tx, created)
  const { environmentId, id } = created
  const type = 'customer.created'
  const shown = { ...created, credit: noCredit }
  const data = showCustomer(shown)
  emitAll(tx, realNow, [{ environmentId, type, resourceId: id, causeId: id, sequence: 1, data }])
  return shown
}

export type CustomerChange = Partial<Omit<NewCustomer, 'environmentId'>>

export async function changeCustomer(
  tx: Tx,
  name: { environmentId: EnvironmentId; reference: string },
  change: CustomerChange,
): Promise<ShownCustomer> {
  const before = await lockCustomer(tx, name)
  refuseErased(before)
  const changed = { ...before, ...change }
  await updateCustomer(tx, changed)
  return (await withCredit(tx, [changed]))[0]!
}

export function refuseErased(customer: Customer): void {
  if (customer.erasedAt === null) return
  throw new Refusal('customer_failed', {
    reason: 'invalid_state',
    message: `The personal data of ${customerReference(customer)} was erased.`,
  })
}
