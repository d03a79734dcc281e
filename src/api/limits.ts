import { minute, second } from '../base/clock.js'

export const requestRateLimits = {
  tracked: 50_000,
  /**
   * Forms of public pages that open an account at a bank, per address. Everyone in a hall may share
   * one address.
   */
  formsPerMinuteMax: 60,
  /** With several API processes, each is granted this fraction of its part of what remains. */
  sharesPerProcess: 16,
  listsRunning: 3,
  listsWaiting: 50,
  listsRetryAfterSeconds: 1,
} as const

export const streamLimits = {
  perSessionMax: 5,
  perNetworkMax: 20,
  totalMax: 10_000,
  durationMaxMs: 15 * minute,
  heartbeatIntervalMs: 15 * second,
  /** When a page reconnects after its stream ended, and `Retry-After` of a refused stream. */
  retryMs: 3 * second,
  /** `Retry-After` when the process has no free stream. Our page polls instead. */
  fullRetryMs: minute,
} as const

export const metadataLimits = { keys: 50, bytes: 8 * 1024 } as const
