/** Why a payout failed, for programs to read. The documentation is written from it. */
export const failureReasons = {
  crypto_transfer: {
    expired: 'No attempt came into a block in time, five times over.',
    insufficient_treasury: 'Our hot wallet could not pay it. Your request was fine.',
    destination_frozen: 'The issuer froze the token account of the destination meanwhile.',
    destination_wrong_token: 'The token account of the destination changed its owner meanwhile.',
    chain_error: 'The chain took the transaction and refused to carry it out.',
    operator_decision: 'The operator found out that it never landed; it cannot land any more.',
  },
  bank_transfer: {
    account_closed: 'The account was closed.',
    account_not_found: 'The bank of the recipient does not know the account.',
    insufficient_liquidity: 'The bank of the recipient has no money to take it up.',
    bank_declined: 'The bank declined it without saying more.',
    operator_decision: 'The bank told the operator, not the service, that it failed.',
  },
} as const

export type ChainFailure = Exclude<
  keyof typeof failureReasons.crypto_transfer,
  'expired' | 'operator_decision'
>
export type BankFailure = keyof typeof failureReasons.bank_transfer

/** The outcome of an attempt that an operator ended. */
export const operatorDecision: BankFailure = 'operator_decision'
