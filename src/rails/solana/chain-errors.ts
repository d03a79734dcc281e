import type { ChainFailure } from '../../payouts/failure-reasons.js'
import { instructionIndex } from './compile.js'

/** An error of a transaction as nodes write it: a word, or a word with its particulars. */
export type TransactionError = string | { [name: string]: unknown }

/** Errors of the fee payer, who is the treasury. */
export const treasuryErrors = [
  'InsufficientFundsForFee',
  'AccountNotFound',
  'InsufficientFundsForRent',
]

/** These depend on the moment, not on the transaction. */
const passing = new Set([
  'AccountInUse',
  'BlockhashNotFound',
  'ClusterMaintenance',
  'AlreadyProcessed',
  'WouldExceedMaxBlockCostLimit',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'ProgramCacheHitMaxLimit',
  'ResanitizationNeeded',
])

const tokenErrors = { insufficientFunds: 1, frozen: 17 } as const
const systemErrors = { insufficientLamports: 1 } as const

export function isPassing(error: TransactionError): boolean {
  return passing.has(errorNameOf(error))
}

export function reasonOf(error: TransactionError): ChainFailure {
  if (treasuryErrors.includes(errorNameOf(error))) return 'insufficient_treasury'
  const [index, detail] = instructionErrorOf(error)
  if (index === instructionIndex.createAccount) {
    if (customOf(detail) === systemErrors.insufficientLamports) return 'insufficient_treasury'
    if (isWrongOwner(detail)) return 'destination_wrong_token'
  }
  if (index === instructionIndex.transfer) {
    if (customOf(detail) === tokenErrors.insufficientFunds) return 'insufficient_treasury'
    // The destination was made a moment before, so what is no token account is ours: a treasury
    // that has never held the coin.
    if (detail === 'InvalidAccountData') return 'insufficient_treasury'
    if (customOf(detail) === tokenErrors.frozen) return 'destination_frozen'
  }
  return 'chain_error'
}

export function errorNameOf(error: TransactionError): string {
  return typeof error === 'string' ? error : Object.keys(error)[0]!
}

export function instructionErrorOf(error: TransactionError): [number?, unknown?] {
  if (typeof error === 'string' || !Array.isArray(error.InstructionError)) return []
  return error.InstructionError as [number, unknown]
}

export function customOf(detail: unknown): number | undefined {
  return (detail as { Custom?: number } | undefined)?.Custom
}

/** How the program that makes token accounts complains of one that is not the wallet's. */
function isWrongOwner(detail: unknown): boolean {
  return customOf(detail) === 0 || detail === 'IllegalOwner' || detail === 'InvalidAccountOwner'
}
