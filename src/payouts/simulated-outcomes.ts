import type { PayoutKind } from './payout.js'

/** What a tester can have happen, in words for merchants. The documentation is written from it. */
type Outcome = { happens: string; reaches: string }

const atBank = {
  complete: { happens: 'The bank completes it now.', reaches: 'COMPLETED' },
  fail: { happens: 'The bank declines it now (`bank_declined`).', reaches: 'FAILED' },
  reverse: {
    happens: 'The bank completes it now and sends it back after; a completed one, at once.',
    reaches: 'COMPLETED, then REVERSED',
  },
  stay_unknown: {
    happens: 'The bank never says what became of it, until it is told otherwise.',
    reaches: 'SUBMITTED',
  },
  lose: {
    happens: 'The bank loses it. It is sent again, and does what its account number says.',
    reaches: 'SUBMITTED, then as its account',
  },
} as const satisfies Record<string, Outcome>

const onChain = {
  land: { happens: 'The transaction lands now.', reaches: 'CONFIRMED' },
  fail: {
    happens: 'The transaction lands now and fails, so that nothing moves.',
    reaches: 'FAILED',
  },
  expire: {
    happens: 'No attempt lands: each expires and is signed anew, until the last has.',
    reaches: 'FAILED',
  },
} as const satisfies Record<string, Outcome>

export const simulatedOutcomes = {
  bank_transfer: atBank,
  bank_return: atBank,
  crypto_transfer: onChain,
  crypto_return: onChain,
} as const satisfies Record<PayoutKind, Record<string, Outcome>>
