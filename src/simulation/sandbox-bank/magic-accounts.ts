import type { BankFailure } from '../../payouts/attempts/failure-reasons.js'
import type { Bank } from '../../payouts/ports.js'
import { sandboxBankLimits } from './limits.js'
import { toNuban } from './nuban.js'

/** Listed in test mode only. */
export const sandboxBankItself: Bank = { code: '999', name: 'Sandbox Bank' }

/** What the sandbox bank does with a transfer; times count from its receipt. */
export type Behaviour = {
  isLostAtFirst: boolean
  /** Null: it stays unknown. */
  endsAfterMs: number | null
  /** Null: it completes. */
  failureReason: BankFailure | null
  /** After completion; null: it is never reversed. */
  reversesAfterMs: number | null
}

export type MagicAccount = {
  /** The first nine digits decide; the tenth is the check digit, which depends on the bank. */
  serial: string
  /** The full number, valid at the Sandbox Bank. */
  number: string
  happens: string
  /** Status of a payout to this account. */
  reaches: 'COMPLETED' | 'FAILED' | 'COMPLETED, then REVERSED' | 'SUBMITTED' | 'refused'
  /** Reason for refusing the account before anything is sent; undefined: it resolves. */
  refusedAs?: 'account_not_found' | 'rail_unavailable'
  behaviour: Behaviour
}

const { processingMs, unknownForMs, reversesAfterMs } = sandboxBankLimits

/** For every number that is not in `magicAccounts`. */
export const ordinary: Behaviour = {
  isLostAtFirst: false,
  endsAfterMs: processingMs,
  failureReason: null,
  reversesAfterMs: null,
}

/**
 * Account numbers that make the sandbox bank misbehave, at any bank code. The bank follows this
 * table, and docs/reference/test-mode.md is generated from it.
 */
export const magicAccounts: readonly MagicAccount[] = [
  magic('990000001', {
    happens: "Fails: the recipient's bank lacks liquidity (`insufficient_liquidity`).",
    reaches: 'FAILED',
    behaviour: { ...ordinary, failureReason: 'insufficient_liquidity' },
  }),
  magic('990000002', {
    happens: 'Fails: the account is closed (`account_closed`).',
    reaches: 'FAILED',
    behaviour: { ...ordinary, failureReason: 'account_closed' },
  }),
  magic('990000003', {
    happens: `Completes and is reversed ${seconds(reversesAfterMs)} later.`,
    reaches: 'COMPLETED, then REVERSED',
    behaviour: { ...ordinary, reversesAfterMs },
  }),
  magic('990000004', {
    happens: `Is unknown for ${seconds(unknownForMs)}, then completes.`,
    reaches: 'COMPLETED',
    behaviour: { ...ordinary, endsAfterMs: unknownForMs },
  }),
  magic('990000005', {
    happens: `Is unknown for ${seconds(unknownForMs)}, then fails (\`bank_declined\`).`,
    reaches: 'FAILED',
    behaviour: { ...ordinary, endsAfterMs: unknownForMs, failureReason: 'bank_declined' },
  }),
  magic('990000006', {
    happens: 'Stays unknown until you settle it.',
    reaches: 'SUBMITTED',
    behaviour: { ...ordinary, endsAfterMs: null },
  }),
  magic('990000007', {
    happens: 'Is lost by the bank until it is sent again, then completes.',
    reaches: 'COMPLETED',
    behaviour: { ...ordinary, isLostAtFirst: true },
  }),
  magic('990000008', {
    happens: 'Does not resolve: unknown account.',
    reaches: 'refused',
    refusedAs: 'account_not_found',
    behaviour: { ...ordinary, failureReason: 'account_not_found' },
  }),
  magic('990000009', {
    happens: 'Does not resolve: the bank does not answer.',
    reaches: 'refused',
    refusedAs: 'rail_unavailable',
    behaviour: { ...ordinary, failureReason: 'bank_declined' },
  }),
]

const bySerial = new Map(magicAccounts.map((account) => [account.serial, account]))

export function findMagicAccount(accountNumber: string): MagicAccount | undefined {
  return bySerial.get(accountNumber.slice(0, 9))
}

function magic(serial: string, account: Omit<MagicAccount, 'serial' | 'number'>): MagicAccount {
  return { serial, number: toNuban({ bankCode: sandboxBankItself.code, serial }), ...account }
}

function seconds(durationMs: number): string {
  return `${durationMs / 1_000} seconds`
}
