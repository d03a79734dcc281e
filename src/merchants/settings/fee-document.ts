import Type, { type Static } from 'typebox'
import Value from 'typebox/value'
import type { FeeSchedule } from '../../money/fees.js'
import { feeLimits } from '../limits.js'

const closed = { additionalProperties: false }

/** Whole numbers of the smallest unit, as strings: JSON parsers disagree on large numbers. */
const Amount = Type.String({ pattern: '^(0|[1-9][0-9]{0,15})$' })
const BasisPoints = Type.Integer({ minimum: 0, maximum: feeLimits.basisPointsMax })

export const FeeDocument = Type.Object(
  {
    flat: Amount,
    basisPoints: BasisPoints,
    floor: Amount,
    cap: Type.Union([Amount, Type.Null()]),
    tiers: Type.Array(
      Type.Object({ upTo: Amount, flat: Amount, basisPoints: BasisPoints }, closed),
      { maxItems: feeLimits.tiersMax },
    ),
  },
  closed,
)
export type FeeDocument = Static<typeof FeeDocument>

/** Why a document is not a fee schedule, as a sentence. */
export type NotASchedule = { issue: string }

/** Parses a stored or proposed schedule strictly. */
export function parseFeeSchedule(document: unknown): FeeSchedule | NotASchedule {
  if (!Value.Check(FeeDocument, document)) {
    const [error] = Value.Errors(FeeDocument, document)
    return { issue: `Fee schedule: ${error?.instancePath || 'the document'} ${error?.message}.` }
  }
  const schedule: FeeSchedule = {
    flat: BigInt(document.flat),
    basisPoints: document.basisPoints,
    floor: BigInt(document.floor),
    cap: document.cap === null ? null : BigInt(document.cap),
    tiers: document.tiers.map(({ upTo, flat, basisPoints }) => ({
      upTo: BigInt(upTo),
      flat: BigInt(flat),
      basisPoints,
    })),
  }
  const issue = judgeSchedule(schedule)
  return issue ? { issue } : schedule
}

function judgeSchedule({ floor, cap, tiers }: FeeSchedule): string | undefined {
  if (cap !== null && cap < floor) return 'The cap must not be below the floor.'
  const isAscending = tiers.every((tier, index) => tier.upTo > (tiers[index - 1]?.upTo ?? 0n))
  return isAscending ? undefined : 'Each tier must have a higher upper limit than the one before.'
}

export function toFeeDocument(schedule: FeeSchedule): FeeDocument {
  return {
    flat: schedule.flat.toString(),
    basisPoints: schedule.basisPoints,
    floor: schedule.floor.toString(),
    cap: schedule.cap === null ? null : schedule.cap.toString(),
    tiers: schedule.tiers.map(({ upTo, flat, basisPoints }) => ({
      upTo: upTo.toString(),
      flat: flat.toString(),
      basisPoints,
    })),
  }
}
