import type { RealTime } from '../base/clock.js'
import type { EnvironmentId } from '../base/environment.js'
import { listStatement } from '../postgres/statement.js'
import type { Tx } from '../postgres/transactions/tx.js'

/** What a provider charged the operator for a payment or payout, in kobo. */
export type ProviderFee = {
  environmentId: EnvironmentId
  /** The payment or payout. */
  causeId: string
  rail: string
  amount: bigint
}

const insert = listStatement({
  name: 'insert_provider_fees',
  columns: { environmentId: 'int4', causeId: 'uuid', rail: 'text', amount: 'int8' },
  text: (list, parameter, names, values) => `
    insert into provider_fees (${names}, created_at)
    select ${values}, ${parameter(0)}::timestamptz from ${list} on conflict do nothing`,
})

/** The first answer of the provider counts. */
export function recordProviderFees(tx: Tx, now: RealTime, charged: ProviderFee[]): void {
  if (charged.length > 0) tx.write(insert(charged, now))
}
