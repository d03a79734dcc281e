import Type from 'typebox'
import type { RealTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import { getEnvironment } from '../../merchants/environments.js'
import { feeLimits } from '../../merchants/limits.js'
import { parseFeeSchedule, toFeeDocument } from '../../merchants/settings/fee-document.js'
import {
  type FeeOperation,
  feeOperationNames,
  feeOperations,
  getFeeSchedules,
  listFeeVersions,
  setFeeSchedule,
  type VersionedFee,
} from '../../merchants/settings/fee-schedules.js'
import { formatDecimal, formatMoney, toWire } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import type { FeeSchedule } from '../../money/fees.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, type Operator } from '../changes/audit-operator.js'
import { type FeePreview, previewFee } from '../changes/preview-fees.js'
import { type Action, command, type InputOf, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { amount, asset, mode, time } from '../definitions/views.js'

const points = Type.Integer({ minimum: 0, maximum: feeLimits.basisPointsMax })

/** Amounts are decimals in the main unit of the fee, such as 12.50. */
const decimal = fields.amount('')
const tier = { upTo: decimal, flat: decimal, basisPoints: points }
const schedule = {
  flat: decimal,
  basisPoints: points,
  floor: decimal,
  cap: orNull(decimal),
  tiers: Type.Array(Type.Object(tier, { additionalProperties: false }), {
    maxItems: feeLimits.tiersMax,
  }),
}

const setInput = {
  merchant: fields.merchant,
  mode: fields.mode,
  operation: Type.Enum(feeOperationNames, { description: 'operation to price' }),
  flat: Type.Optional(fields.text('flat part of the fee', { placeholder: 'amount' })),
  basisPoints: Type.Optional(
    fields.read(fields.readBasisPoints, 'hundredths of a percent of the amount', {
      placeholder: 'points',
    }),
  ),
  floor: Type.String({ description: 'minimum fee', placeholder: 'amount', default: '0' }),
  cap: Type.Optional(fields.text('maximum fee', { placeholder: 'amount' })),
  tier: fields.repeated((text) => text, 'different rate up to an amount; repeatable', {
    placeholder: 'upTo:flat:points',
  }),
}

const feeText = resource('FeeText', {
  flat: Type.String(),
  basisPoints: Type.Integer(),
  floor: Type.String(),
  cap: orNull(Type.String()),
  tiers: Type.Array(Type.String()),
})

const feeView = {
  operation: Type.Enum(feeOperationNames),
  version: Type.Integer(),
  unit: asset,
  ...schedule,
}

const preview = orNull(
  resource('FeePreview', {
    since: time,
    isPartial: Type.Boolean(),
    totals: Type.Array(
      resource('FeeTotal', {
        asset,
        count: Type.Integer(),
        amount,
        feeNow: amount,
        feeNew: amount,
        change: Type.String(),
      }),
    ),
  }),
)

/** Fee schedules of a merchant: every version, and a new one with a preview. */
export const feeActions: Action[] = [
  command({
    name: 'fees show',
    description: 'show the current fees; version 0 is the default',
    args: ['merchant'],
    input: { merchant: fields.merchant, mode: fields.mode },
    async run({ db }, name) {
      const fees = await readFees(db, name)
      const text = tableOf(
        fees.map(({ operation, fee }) => ({
          ...describeFee(operation, fee),
          operation,
          version: fee.version,
        })),
        {
          operation: 'operation',
          version: 'version',
          flat: 'flat',
          'basis points': 'basisPoints',
          floor: 'floor',
          cap: 'cap',
          tiers: ({ tiers }) => tiers.join(' '),
        },
        { amounts: ['flat', 'basis points', 'floor', 'cap'] },
      )
      return { data: fees.map(({ operation, fee }) => showFee(operation, fee)), text }
    },
  }),
  route({
    request: 'GET /merchants/:merchant/fees',
    operation: 'listMerchantFees',
    summary: 'Fees of a merchant',
    input: { merchant: fields.merchant, mode: Type.Optional(fields.mode) },
    view: resource('MerchantFees', {
      mode,
      fees: Type.Array(resource('MerchantFee', { ...feeView, text: feeText })),
      versions: Type.Array(
        Type.Object({
          operation: Type.Enum(feeOperationNames),
          version: Type.Integer(),
          createdAt: time,
          text: feeText,
        }),
      ),
    }),
    async run({ db }, { merchant, mode = 'live' }) {
      const { id: environmentId } = await getEnvironment(db, { merchant, mode })
      const versions = await listFeeVersions(db, environmentId)
      return {
        mode,
        fees: (await readFees(db, { merchant, mode })).map(({ operation, fee }) => ({
          ...showFee(operation, fee),
          text: describeFee(operation, fee),
        })),
        versions: versions.map(({ operation, fee, createdAt }) => ({
          operation,
          version: fee.version,
          createdAt,
          text: describeFee(operation, fee),
        })),
      }
    },
  }),
  command({
    name: 'fees set',
    description:
      'replace the fee of one operation. Amounts are decimals in the main unit of the asset: ' +
      '--cap 2000 is ₦2,000.00, --flat 0.5 is 0.5 USDC. Omitted amounts are zero; without ' +
      '--cap there is no cap.',
    args: ['merchant'],
    input: setInput,
    async run({ db, now, operator }, { merchant, mode, operation, ...flags }) {
      if (flags.flat === undefined && flags.basisPoints === undefined)
        throw new Refusal('validation_failed', {
          message: 'Set --flat, --basis-points or both. For no fee, use --flat 0.',
        })
      const schedule = readFlags(flags, feeOperations[operation].unit)
      const environment = await getEnvironment(db, { merchant, mode })
      const change = { environment, operation, schedule }
      const fee = await db.transaction((tx) => changeFee(tx, now, change, operator))
      const { flat, basisPoints, floor, cap, tiers } = describeFee(operation, fee)
      const parts = [
        `flat ${flat}`,
        `${basisPoints} basis points`,
        `at least ${floor}`,
        cap === null ? 'no cap' : `at most ${cap}`,
        ...(tiers.length === 0 ? [] : [`tiers ${tiers.join(' ')}`]),
      ]
      const text = `New fee of ${operation}, version ${fee.version}: ${parts.join(', ')}.`
      return { data: showFee(operation, fee), text }
    },
  }),
  route({
    request: 'POST /merchants/:merchant/fees',
    operation: 'changeMerchantFee',
    summary: 'New version of a fee',
    input: {
      merchant: fields.merchant,
      mode: fields.mode,
      operation: Type.Enum(feeOperationNames),
      schedule: Type.Object(schedule, { additionalProperties: false }),
      dryRun: Type.Optional(Type.Boolean()),
    },
    view: Type.Object({
      ...Type.Partial(Type.Object(feeView)).properties,
      operation: Type.Enum(feeOperationNames),
      isDryRun: Type.Boolean(),
      text: feeText,
      preview,
    }),
    async run({ db, now, operator, requireStepUp }, { merchant, mode, operation, ...input }) {
      const schedule = readSchedule(input.schedule, feeOperations[operation].unit)
      const environment = await getEnvironment(db, { merchant, mode })
      const asked = { environmentId: environment.id, operation, schedule }
      const preview = showPreview(await previewFee(db, now, asked))
      const text = describeFee(operation, { ...schedule, version: 0 })
      if (input.dryRun) return { isDryRun: true, operation, text, preview }
      requireStepUp()
      const change = { environment, operation, schedule }
      const fee = await db.transaction((tx) => changeFee(tx, now, change, operator))
      return { isDryRun: false, ...showFee(operation, fee), text, preview }
    },
  }),
]

async function readFees(db: Queryable, name: { merchant: string; mode: 'test' | 'live' }) {
  const { id: environmentId } = await getEnvironment(db, name)
  const names = feeOperationNames.map((operation) => ({ environmentId, operation }))
  const fees = await getFeeSchedules(db, names)
  return fees.map((fee, index) => ({ operation: feeOperationNames[index]!, fee }))
}

type Flags = Omit<InputOf<typeof setInput>, 'merchant' | 'mode' | 'operation'>

function readFlags(flags: Flags, unit: Asset): FeeSchedule {
  return {
    flat: fields.readAmountOrZero(flags.flat ?? '0', unit),
    basisPoints: flags.basisPoints ?? 0,
    floor: fields.readAmountOrZero(flags.floor, unit),
    cap: flags.cap === undefined ? null : fields.readAmountOrZero(flags.cap, unit),
    tiers: (flags.tier ?? []).map((text) => readTier(text, unit)),
  }
}

function readTier(text: string, unit: Asset): FeeSchedule['tiers'][number] {
  const [, upTo = '', flat = '', points = ''] = /^([^:]+):([^:]+):(\d{1,5})$/.exec(text) ?? []
  if (!upTo)
    throw new Refusal('validation_failed', {
      message: `Tier "${text}" must have the form upTo:flat:points, such as 5000:10:0.`,
    })
  return {
    upTo: fields.readAmountOrZero(upTo, unit),
    flat: fields.readAmountOrZero(flat, unit),
    basisPoints: Number(points),
  }
}

function readSchedule(given: InputOf<typeof schedule>, unit: Asset): FeeSchedule {
  const read = (field: string, text: string) =>
    /^0+(\.0+)?$/.test(text) ? 0n : fields.readAmountField(`schedule.${field}`, text, unit)
  const parsed = parseFeeSchedule(
    toFeeDocument({
      flat: read('flat', given.flat),
      basisPoints: given.basisPoints,
      floor: read('floor', given.floor),
      cap: given.cap === null ? null : read('cap', given.cap),
      tiers: given.tiers.map((tier, index) => ({
        upTo: read(`tiers.${index}.upTo`, tier.upTo),
        flat: read(`tiers.${index}.flat`, tier.flat),
        basisPoints: tier.basisPoints,
      })),
    }),
  )
  if ('issue' in parsed) throw new Refusal('validation_failed', { message: parsed.issue })
  return parsed
}

/** Null: this fee cannot be previewed. */
function showPreview(preview: FeePreview | undefined) {
  if (!preview) return null
  const { since, isPartial, totals } = preview
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

/** Replaces the fee of one operation by a new version. */
async function changeFee(
  tx: Tx,
  now: RealTime,
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

/** Amounts as text with units. A tier is `upTo:flat:points`. */
function describeFee(operation: FeeOperation, fee: VersionedFee) {
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
function showFee(operation: FeeOperation, fee: VersionedFee) {
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
