import type { PayoutKind } from '../payout.js'

/** What a tester can trigger, described for merchants. The docs are generated from this table. */
type SimulatedOutcome = { happens: string; reaches: string }

const atBank = {
  complete: { happens: 'The bank completes it now.', reaches: 'COMPLETED' },
  fail: { happens: 'The bank declines it now (`bank_declined`).', reaches: 'FAILED' },
  reverse: {
    happens:
      'The bank completes it now and reverses it later. If it is completed, reverses it at once.',
    reaches: 'COMPLETED, then REVERSED',
  },
  stay_unknown: {
    happens: 'The bank never reports an outcome, until you send another one.',
    reaches: 'SUBMITTED',
  },
  lose: {
    happens: 'The bank loses it. It is sent again, and its account number decides the outcome.',
    reaches: 'SUBMITTED, then by account number',
  },
} as const satisfies Record<string, SimulatedOutcome>

const onChain = {
  land: { happens: 'The transaction lands now.', reaches: 'CONFIRMED' },
  fail: {
    happens: 'The transaction lands now and fails; nothing moves.',
    reaches: 'FAILED',
  },
  expire: {
    happens: 'No attempt lands: each expires and is signed again, until the attempts are used up.',
    reaches: 'FAILED',
  },
} as const satisfies Record<string, SimulatedOutcome>

export const simulatedOutcomes = {
  bank_transfer: atBank,
  bank_return: atBank,
  crypto_transfer: onChain,
  crypto_return: onChain,
} as const satisfies Record<PayoutKind, Record<string, SimulatedOutcome>>
