import {
  customOf,
  errorNameOf,
  instructionErrorOf,
  type TransactionError,
  treasuryErrors,
} from './chain-errors.js'

const tokenErrors = { insufficientFunds: 1, notEmpty: 11, frozen: 17 } as const
/** The accounts of the wallets are emptied after those instructions that are the treasury's own. */
const firstPart = 3

/** Why a sweep failed, as a word for programs. */
export function explainSweepError(error: TransactionError): string {
  if (treasuryErrors.includes(errorNameOf(error))) return 'insufficient_treasury'
  const [index = 0, detail] = instructionErrorOf(error)
  const custom = customOf(detail)
  if (index < firstPart) return custom === 1 ? 'insufficient_treasury' : 'chain_error'
  if (custom === tokenErrors.frozen) return 'account_frozen'
  if (custom === tokenErrors.notEmpty) return 'account_not_empty'
  // An account that is not there any more is none.
  const isMissing = detail === 'InvalidAccountData' || custom === tokenErrors.insufficientFunds
  return isMissing ? 'coins_missing' : 'chain_error'
}
