import type { EnvironmentId } from '../base/environment.js'
import { toJson } from '../base/json-text.js'
import { Refusal } from '../base/refusal.js'
import { sql } from '../postgres/sql.js'
import type { Tx } from '../postgres/transactions/tx.js'
import { withCredit } from './credit/customer-credit.js'
import { type Customer, customerReference, type ShownCustomer } from './customer.js'
import { end } from './schedules/change-schedule.js'
import { lockSchedulesOf, updateSchedule } from './schedules/store-schedules.js'
import { lockCustomer, updateCustomer } from './store-customers.js'

/**
 * Replaces what says who the customer is, and ends its schedules; what was invoiced and paid stays.
 * Schedules are locked before customers, as by the workers that make their invoices. Refuses a
 * customer whose data a legal hold keeps.
 */
export async function eraseCustomer(
  tx: Tx,
  now: Date,
  { environmentId, id }: { environmentId: EnvironmentId; id: string },
): Promise<ShownCustomer> {
  const schedules = await lockSchedulesOf(tx, { environmentId, id })
  const before = await lockCustomer(tx, { environmentId, reference: customerReference({ id }) })
  const [shown] = await withCredit(tx, [before])
  if (before.erasedAt !== null) return shown!
  await refuseHeld(tx, now, before)
  const erased: ShownCustomer = {
    ...shown!,
    name: `Erased customer ${customerReference(before).slice(-8)}`,
    email: null,
    phone: null,
    externalReference: null,
    metadata: toJson({}),
    erasedAt: now,
  }
  await updateCustomer(tx, erased)
  for (const schedule of schedules) updateSchedule(tx, end(now, schedule))
  return erased
}

async function refuseHeld(tx: Tx, now: Date, customer: Customer): Promise<void> {
  const { environmentId, id, name, email, phone } = customer
  const [row] = await tx.rows(sql<{ isHeld: boolean }>`
    select is_held(${now}, ${environmentId}::integer,
      concat_ws(' ', ${name}::text, ${email}::text, ${phone}::text),
      array[${id}::uuid]) as is_held`)
  if (!row!.isHeld) return
  throw new Refusal('customer_failed', {
    reason: 'invalid_state',
    message: `A legal hold keeps the data of ${customerReference(customer)}. Nothing was erased. Ask the operator when the hold ends.`,
  })
}
