import { strict as assert } from 'node:assert'
import { day, second } from '../base/clock.js'
import { limits } from '../base/limits.js'

export const keyLimits = {
  /** A revoked key may work for this long. */
  cacheMs: second,
  keysCachedMax: 10_000,
  lastUsedIntervalMs: 5 * second,
  rollGraceMaxMs: 7 * day,
  perEnvironmentMax: 100,
  allowedAddressesMax: 50,
} as const

export const kycLimits = {
  documentBytesMax: 5 * 1024 * 1024,
  documentsMax: 20,
  peopleMax: 10,
  textLengthMax: 500,
  noteLengthMax: 2_000,
  decisionsShownMax: 50,
  /** Sealed again at a time while the secret is rotated. */
  documentsPerBatchMax: 4,
  formsPerBatchMax: 100,
} as const

export const bankAccountLimits = {
  /** In live mode or under an approval rule, how long a new wallet waits for settlements. */
  walletUsableAfterMs: 3 * day,
  /** In live mode, how long a bank account that a member chose waits for its first settlement. */
  usableAfterMs: day,
  activeMax: 20,
} as const

export const feeLimits = { basisPointsMax: 10_000, tiersMax: 20 } as const

export const logFactLimits = {
  /** Merchants whose loggers are kept. */
  merchantsCachedMax: 10_000,
} as const

export const lowBalanceLimits = {
  environmentsPerBatchMax: 1_000,
  pollIntervalMs: 10 * second,
} as const

export const settingsLimits = {
  frameOriginsMax: 10,
  testAddressesMax: 20,
  reminderDaysMax: 5,
  reminderDistanceMaxDays: 90,
  callbackUrlLengthMax: 2_048,
  callbackRetryMaxMinutes: 24 * 60,
  coolingOffMaxHours: 30 * 24,
  velocityLimitsMax: 20,
  velocityCountMax: 1_000_000,
  duplicateMaxMinutes: 7 * 24 * 60,
  logoBytesMax: 32 * 1024,
  /** Sides of an uploaded logo; the page shows it at 44 pixels. */
  logoPixelsMin: 16,
  logoPixelsMax: 1_024,
  documentBytesMax: 64 * 1024,
  environmentsCachedMax: 500,
} as const

assert(bankAccountLimits.walletUsableAfterMs >= bankAccountLimits.usableAfterMs)
// A logo in base64 fits the stored settings and the request that sets it.
const logoLength = Math.ceil(settingsLimits.logoBytesMax / 3) * 4
assert(logoLength < settingsLimits.documentBytesMax)
assert(logoLength < limits.http.bodyBytesMax)
