import type { Environment } from '../../base/environment.js'
import {
  type FeeOperation,
  feeOperations,
  setFeeSchedule,
  type VersionedFee,
} from '../../merchants/settings/fee-schedules.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import type { FeeSchedule } from '../../money/fees.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, type Operator } from './audit-operator.js'

/** Replaces the fee of one operation by a new version. */
export async function changeFee(
  tx: Tx,
  now: Date,
  change: {
    environment: Pick<Environment, 'id' | 'merchantId' | 'mode'>
    operation: FeeOperation
    schedule: FeeSchedule
  },
  operator: Operator,
): Promise<VersionedFee> {
  const { environment, operation, schedule } = change
  const { id: environmentId, merchantId, mode } = environment
  const fee = await setFeeSchedule(tx, now, { environmentId, operation, schedule })
  const details = { mode, operation, version: fee.version, schedule: describeFee(operation, fee) }
  auditOperator(tx, now, operator, {
    action: 'fees.set',
    merchantId,
    environmentId,
    details,
    shown: details,
  })
  return fee
}

/** For people: with units. A tier is `upTo:flat:points`. */
export function describeFee(operation: FeeOperation, fee: VersionedFee) {
  const show = (amount: bigint) => formatMoney(amount, feeOperations[operation].unit)
  return {
    flat: show(fee.flat),
    basisPoints: fee.basisPoints,
    floor: show(fee.floor),
    cap: fee.cap === null ? null : show(fee.cap),
    tiers: fee.tiers.map((tier) => `${show(tier.upTo)}:${show(tier.flat)}:${tier.basisPoints}`),
  }
}

/** In the units of the forms and options, so that the output can be used as input. */
export function showFee(operation: FeeOperation, fee: VersionedFee) {
  const { unit } = feeOperations[operation]
  return {
    operation,
    version: fee.version,
    unit,
    flat: formatDecimal(fee.flat, unit),
    basisPoints: fee.basisPoints,
    floor: formatDecimal(fee.floor, unit),
    cap: fee.cap === null ? null : formatDecimal(fee.cap, unit),
    tiers: fee.tiers.map(({ upTo, flat, basisPoints }) => ({
      upTo: formatDecimal(upTo, unit),
      flat: formatDecimal(flat, unit),
      basisPoints,
    })),
  }
}
