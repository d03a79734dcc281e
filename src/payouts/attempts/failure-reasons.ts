/** Why a payout failed, as API clients see it. The docs are generated from this table. */
export const failureReasons = {
  crypto_transfer: {
    expired: 'Five attempts expired without reaching a block.',
    insufficient_treasury: 'Our hot wallet could not cover it. Your request was correct.',
    destination_frozen: 'The issuer froze the token account of the destination.',
    destination_wrong_token: 'The token account of the destination changed its owner.',
    chain_error: 'The transaction reached a block and failed there.',
    operator_decision: 'The operator confirmed that it did not land and no longer can.',
    approval_rejected: 'A second member rejected it. Nothing was signed.',
    approval_expired: 'Not approved in time. Nothing was signed.',
    callback_rejected: 'Your callback rejected it. Nothing was signed.',
  },
  bank_transfer: {
    account_closed: 'The account was closed.',
    account_not_found: "The account does not exist at the recipient's bank.",
    insufficient_liquidity: "The recipient's bank lacks the liquidity to accept it.",
    bank_returned: "The recipient's bank returned it.",
    insufficient_float: 'Our account at the bank could not cover it. Your request was correct.',
    bank_declined: 'The bank declined it without giving a reason.',
    operator_decision: 'The operator confirmed with the bank that it failed.',
    approval_rejected: 'A second member rejected it. Nothing was sent to the bank.',
    approval_expired: 'Not approved in time. Nothing was sent to the bank.',
    callback_rejected: 'Your callback rejected it. Nothing was sent to the bank.',
  },
} as const

export type ChainFailure = Exclude<
  keyof typeof failureReasons.crypto_transfer,
  'expired' | 'operator_decision' | ApprovalFailure
>
export type BankFailure = Exclude<keyof typeof failureReasons.bank_transfer, ApprovalFailure>

/** Of a payout that no rail was asked to carry out. */
export type ApprovalFailure = 'approval_rejected' | 'approval_expired' | 'callback_rejected'

/** Outcome of an attempt that an operator ended. */
export const operatorDecision: BankFailure = 'operator_decision'

/** The operator's funds were missing, not the merchant's. */
export function isShortfall(reason: string): boolean {
  return reason === 'insufficient_treasury' || reason === 'insufficient_float'
}
