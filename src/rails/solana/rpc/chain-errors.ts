import type { ChainFailure } from '../../../payouts/attempts/failure-reasons.js'
import { firstTransferIndex } from '../deposits/compile-sweep.js'
import { instructionIndex } from '../payouts/compile.js'

/** A transaction error as nodes encode it: a name, or a name with details. */
export type TransactionError = string | { [name: string]: unknown }

/** Errors of the fee payer, which is the treasury. */
const treasuryErrors = ['InsufficientFundsForFee', 'AccountNotFound', 'InsufficientFundsForRent']

/** Errors that may not occur again when the same transaction is retried. */
const transientErrors = new Set([
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

const tokenErrors = { insufficientFunds: 1, notEmpty: 11, frozen: 17 } as const
const systemErrors = { insufficientLamports: 1 } as const

export function isTransientError(error: TransactionError): boolean {
  return transientErrors.has(errorNameOf(error))
}

export function payoutFailureOf(error: TransactionError): ChainFailure {
  if (treasuryErrors.includes(errorNameOf(error))) return 'insufficient_treasury'
  const [index, detail] = instructionErrorOf(error)
  if (index === instructionIndex.createAccount) {
    if (customOf(detail) === systemErrors.insufficientLamports) return 'insufficient_treasury'
    if (isWrongOwner(detail)) return 'destination_wrong_token'
  }
  if (index === instructionIndex.transfer) {
    if (customOf(detail) === tokenErrors.insufficientFunds) return 'insufficient_treasury'
    // The previous instruction created the destination, so the invalid account is the source: the
    // treasury has never held this coin.
    if (detail === 'InvalidAccountData') return 'insufficient_treasury'
    if (customOf(detail) === tokenErrors.frozen) return 'destination_frozen'
  }
  return 'chain_error'
}

export function sweepFailureOf(error: TransactionError): string {
  if (treasuryErrors.includes(errorNameOf(error))) return 'insufficient_treasury'
  const [index = 0, detail] = instructionErrorOf(error)
  const custom = customOf(detail)
  if (index < firstTransferIndex)
    return custom === systemErrors.insufficientLamports ? 'insufficient_treasury' : 'chain_error'
  if (custom === tokenErrors.frozen) return 'account_frozen'
  if (custom === tokenErrors.notEmpty) return 'account_not_empty'
  // `InvalidAccountData`: the token account was closed.
  const isMissing = detail === 'InvalidAccountData' || custom === tokenErrors.insufficientFunds
  return isMissing ? 'coins_missing' : 'chain_error'
}

function errorNameOf(error: TransactionError): string {
  return typeof error === 'string' ? error : Object.keys(error)[0]!
}

function instructionErrorOf(error: TransactionError): [number?, unknown?] {
  if (typeof error === 'string' || !Array.isArray(error.InstructionError)) return []
  return error.InstructionError as [number, unknown]
}

function customOf(detail: unknown): number | undefined {
  return (detail as { Custom?: number } | undefined)?.Custom
}

/** The associated token program's errors for an account that the wallet does not own. */
function isWrongOwner(detail: unknown): boolean {
  return customOf(detail) === 0 || detail === 'IllegalOwner' || detail === 'InvalidAccountOwner'
}
