import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import { getEnvironment } from '../../merchants/environments.js'
import { feeLimits } from '../../merchants/limits.js'
import { parseFeeSchedule, toFeeDocument } from '../../merchants/settings/fee-document.js'
import {
  type FeeOperation,
  feeOperationNames,
  feeOperations,
  getFeeSchedules,
  listFeeVersions,
} from '../../merchants/settings/fee-schedules.js'
import { formatMoney, parseMoney, toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { FeeSchedule } from '../../money/fees.js'
import { changeFee, describeFee, showFee } from '../../operations/actions/change-fees.js'
import { type FeePreview, previewFee } from '../../operations/actions/preview-fees.js'
import { closed } from '../parse/schemas.js'
import type { Route } from '../server/route.js'
import { oneMerchant } from './merchants.js'
import type { OperatorParts } from './operator-parts.js'
import { modeText, operatorOf, operatorRoute, requireStepUp } from './operator-route.js'

/** A decimal in the main unit of the fee, such as 12.50. */
const amountText = Type.String({ minLength: 1, maxLength: 30 })
const points = Type.Integer({ minimum: 0, maximum: feeLimits.basisPointsMax })

const scheduleBody = closed({
  flat: amountText,
  basisPoints: points,
  floor: amountText,
  cap: Type.Union([amountText, Type.Null()]),
  tiers: Type.Array(closed({ upTo: amountText, flat: amountText, basisPoints: points }), {
    maxItems: feeLimits.tiersMax,
  }),
})

/** Fee schedules of a merchant: every version, and a new one with a preview. */
export function feeRoutes({ db }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/merchants/:id/fees',
    operation: 'listMerchantFees',
    summary: 'Fees of a merchant',
    params: oneMerchant,
    query: closed({ mode: Type.Optional(modeText) }),
    async handle({ params, query }) {
      const { mode = 'live' } = query
      const { id: environmentId } = await getEnvironment(db, { merchant: params.id, mode })
      const names = feeOperationNames.map((operation) => ({ environmentId, operation }))
      const fees = await getFeeSchedules(db, names)
      const versions = await listFeeVersions(db, environmentId)
      return {
        mode,
        fees: fees.map((fee, index) => {
          const operation = feeOperationNames[index]!
          return { ...showFee(operation, fee), text: describeFee(operation, fee) }
        }),
        versions: versions.map(({ operation, fee, createdAt }) => ({
          operation,
          version: fee.version,
          createdAt,
          text: describeFee(operation, fee),
        })),
      }
    },
  })
  const change = operatorRoute({
    method: 'POST',
    path: '/merchants/:id/fees',
    operation: 'changeMerchantFee',
    summary: 'New version of a fee',
    params: oneMerchant,
    body: closed({
      mode: modeText,
      operation: Type.Enum(feeOperationNames),
      schedule: scheduleBody,
      dryRun: Type.Optional(Type.Boolean()),
    }),
    async handle(request) {
      const { mode, dryRun = false } = request.body
      const operation = request.body.operation as FeeOperation
      const { unit } = feeOperations[operation]
      const schedule = readSchedule(request.body.schedule, unit)
      const environment = await getEnvironment(db, { merchant: request.params.id, mode })
      const asked = { environmentId: environment.id, operation, schedule }
      const preview = await previewFee(db, request.now, asked)
      const shown = preview ? showPreview(preview) : null
      const text = describeFee(operation, { ...schedule, version: 0 })
      if (dryRun) return { isDryRun: true, operation, text, preview: shown }
      requireStepUp(request)
      const fee = await db.transaction((tx) =>
        changeFee(tx, request.now, { environment, operation, schedule }, operatorOf(request)),
      )
      return { isDryRun: false, ...showFee(operation, fee), text, preview: shown }
    },
  })
  return [list, change]
}

type ScheduleText = {
  flat: string
  basisPoints: number
  floor: string
  cap: string | null
  tiers: { upTo: string; flat: string; basisPoints: number }[]
}

function readSchedule(text: ScheduleText, unit: Asset): FeeSchedule {
  const read = (field: string, amount: string) => readAmountOrZero(field, amount, unit)
  const schedule = {
    flat: read('flat', text.flat),
    basisPoints: text.basisPoints,
    floor: read('floor', text.floor),
    cap: text.cap === null ? null : read('cap', text.cap),
    tiers: text.tiers.map((tier, index) => ({
      upTo: read(`tiers.${index}.upTo`, tier.upTo),
      flat: read(`tiers.${index}.flat`, tier.flat),
      basisPoints: tier.basisPoints,
    })),
  }
  const parsed = parseFeeSchedule(toFeeDocument(schedule))
  if ('issue' in parsed) throw new Refusal('validation_failed', { message: parsed.issue })
  return parsed
}

function readAmountOrZero(field: string, text: string, unit: Asset): bigint {
  if (/^0+(\.0+)?$/.test(text)) return 0n
  const amount = parseMoney(text, unit)
  if (typeof amount === 'bigint') return amount
  throw new Refusal('validation_failed', {
    message: `schedule.${field} ${amount.issue}.`,
    details: [{ field: `schedule.${field}`, issue: amount.issue }],
  })
}

function showPreview({ since, totals, isPartial }: FeePreview) {
  return {
    since,
    isPartial,
    totals: totals.map(({ asset, count, amount, feeNow, feeNew }) => ({
      asset,
      count,
      amount: toWire(amount, asset),
      feeNow: toWire(feeNow, asset),
      feeNew: toWire(feeNew, asset),
      change: `${feeNew < feeNow ? '−' : '+'}${formatMoney(
        feeNew < feeNow ? feeNow - feeNew : feeNew - feeNow,
        asset,
      )}`,
    })),
  }
}
