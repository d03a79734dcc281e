import { limits } from '../../base/limits.js'
import type { BankFailure } from '../../payouts/failure-reasons.js'
import type { Bank } from '../../payouts/ports.js'
import { toNuban } from './nuban.js'

/** Exists in test mode only, and so that a merchant needs no real bank to try a payout. */
export const sandboxBankItself: Bank = { code: '999', name: 'Sandbox Bank' }

/** What the bank does with a transfer, counted from when it was received. */
export type Behaviour = {
  isLostAtFirst: boolean
  /** Null: it stays unknown for ever. */
  endsAfterMs: number | null
  /** Null: it completes. */
  failureReason: BankFailure | null
  /** After completion; null: it is never reversed. */
  reversesAfterMs: number | null
}

export type MagicAccount = {
  /** The first nine digits, which decide; the tenth is the check digit of whichever bank. */
  serial: string
  /** The whole number, as it is valid at the Sandbox Bank. */
  number: string
  happens: string
  /** What a payout to it comes to. */
  reaches: 'COMPLETED' | 'FAILED' | 'COMPLETED, then REVERSED' | 'SUBMITTED' | 'refused'
  /** How the account is refused before anything is sent; undefined: it resolves. */
  refusedAs?: 'account_not_found' | 'rail_unavailable'
  behaviour: Behaviour
}

const { processingMs, unknownForMs, reversesAfterMs } = limits.sandboxBank

/** Every number that is not in the table below. */
export const ordinary: Behaviour = {
  isLostAtFirst: false,
  endsAfterMs: processingMs,
  failureReason: null,
  reversesAfterMs: null,
}

/**
 * Account numbers that make the sandbox bank misbehave, at whichever bank they are said to be. This
 * table is what the bank obeys and what the documentation is written from.
 */
export const magicAccounts: readonly MagicAccount[] = [
  magic('990000001', {
    happens:
      'Fails: the bank of the recipient has no money to take it up (`insufficient_liquidity`).',
    reaches: 'FAILED',
    behaviour: { ...ordinary, failureReason: 'insufficient_liquidity' },
  }),
  magic('990000002', {
    happens: 'Fails: the account was closed (`account_closed`).',
    reaches: 'FAILED',
    behaviour: { ...ordinary, failureReason: 'account_closed' },
  }),
  magic('990000003', {
    happens: `Completes, and is reversed ${seconds(reversesAfterMs)} later.`,
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
    happens: 'Is never answered for: it stays unknown until it is settled by instruction.',
    reaches: 'SUBMITTED',
    behaviour: { ...ordinary, endsAfterMs: null },
  }),
  magic('990000007', {
    happens: 'Is lost by the bank, which does not know it until it is sent again; then completes.',
    reaches: 'COMPLETED',
    behaviour: { ...ordinary, isLostAtFirst: true },
  }),
  magic('990000008', {
    happens: 'Does not resolve: no such account.',
    reaches: 'refused',
    refusedAs: 'account_not_found',
    behaviour: { ...ordinary, failureReason: 'account_not_found' },
  }),
  magic('990000009', {
    happens: 'The bank of the account cannot be reached to resolve it.',
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
