import type { SplitRule } from '../../../../sdk/src/types'
import { type Asset, toUnits, toWire } from '../../parts/money-format'
import { dayOf } from '../../parts/time-format'
import type { RuleLine } from './describe-line'

export type ShareKind = 'percent' | 'flat' | 'remainder'
export type Release = 'now' | 'days' | 'date'

/** A line as it is typed. */
export type LineForm = {
  /** Stays with the line when others move. */
  id: number
  subaccount: string | null
  kind: ShareKind
  percent: string
  flat: bigint | null
  min: bigint | null
  max: bigint | null
  release: Release
  days: string
  date: string
}

let lastId = 0

export function newLine(): LineForm {
  lastId += 1
  return {
    id: lastId,
    subaccount: null,
    kind: 'percent',
    percent: '',
    flat: null,
    min: null,
    max: null,
    release: 'now',
    days: '7',
    date: '',
  }
}

export function typedLines({ lines, asset }: SplitRule): LineForm[] {
  return lines.map((line) => typedLine(line, asset))
}

function typedLine(line: RuleLine, asset: Asset | null): LineForm {
  const units = (amount: number | string | null) =>
    amount === null || asset === null ? null : toUnits(amount, asset)
  const { subaccount, percent, releaseAt, releaseAfterDays } = line
  return {
    ...newLine(),
    subaccount,
    kind: line.remainder ? 'remainder' : percent === null ? 'flat' : 'percent',
    percent: percent ?? '',
    flat: units(line.flat),
    min: units(line.min),
    max: units(line.max),
    release: releaseAfterDays !== null ? 'days' : releaseAt === null ? 'now' : 'date',
    ...(releaseAfterDays !== null && { days: String(releaseAfterDays) }),
    ...(releaseAt !== null && { date: dayOf(releaseAt) }),
  }
}

export const isPercent = (text: string) => /^\d{1,3}(\.\d{1,2})?$/.test(text.trim())
export const isDays = (text: string) => /^[1-9]\d{0,2}$/.test(text.trim())

/** As the API takes it; null while something is missing. */
export function toBody(line: LineForm, asset: Asset | null): object | null {
  const { subaccount, kind, percent, flat, min, max, release, days, date } = line
  const isShareMissing =
    (kind === 'percent' && !isPercent(percent)) ||
    (kind === 'flat' && (flat === null || flat === 0n || asset === null))
  const isReleaseMissing =
    (release === 'days' && !isDays(days)) || (release === 'date' && date === '')
  if (subaccount === null || isShareMissing || isReleaseMissing) return null
  const hasBounds = kind !== 'remainder' && asset !== null
  return {
    subaccount,
    ...(kind === 'percent' && { percent: percent.trim() }),
    ...(kind === 'flat' && { flat: toWire(flat!, asset!) }),
    ...(kind === 'remainder' && { remainder: true }),
    ...(hasBounds && min !== null && { min: toWire(min, asset) }),
    ...(hasBounds && max !== null && { max: toWire(max, asset) }),
    ...(release === 'days' && { releaseAfterDays: Number(days) }),
    // The start of the day in Lagos.
    ...(release === 'date' && { releaseAt: `${date}T00:00:00+01:00` }),
  }
}
