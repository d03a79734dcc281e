const team = 'Members, sign-in and roles: holds no money.'
const operators = 'What operators do and see: holds no money.'
const reports = 'Sums for reports, which are computed again from the rows they sum.'
const settings = 'Settings of a merchant, written in one transaction that moves no money.'
const checks = 'Results of comparisons, which are made again.'
const rates = 'Rates that are read again; a conversion keeps the one it was made at.'
const invoices = 'What merchants write about invoices, in one transaction that moves no money.'
const complaints = 'What a merchant notes about complaints, in one transaction that moves no money.'
const links = 'Where payers make sessions, written in one transaction that moves no money.'
const recipients = 'Whom a merchant pays, written in one transaction that moves no money.'
const splits = 'Who gets what of later payments, written in one transaction that moves no money.'
const float = 'Reads the balance at the provider, which no payment or payout waits for.'

/** Tables that no path of the crash matrix has to write, and why. */
export const tablesWithoutPath: Record<string, string> = {
  api_key_holders: team,
  audit_heads: 'Written by a trigger of audit_lines, in its transaction.',
  audit_logged_heads: operators,
  audit_verifications: operators,
  chains: 'The genesis hash of a chain, compared when a process starts.',
  clock_moves: 'Moves of the clock of a test environment.',
  default_customers: settings,
  environments: settings,
  fee_schedules: operators,
  installation: 'Written once, when the database is created.',
  invitations: team,
  kyc_decisions: operators,
  kyc_documents: operators,
  kyc_submissions: operators,
  low_balances: 'Whether a merchant was warned of a low balance; compared again.',
  levies: operators,
  levy_debits: operators,
  mail_preferences: team,
  memberships: team,
  merchant_bank_accounts: settings,
  merchants: operators,
  notes: 'Notes of members: hold no money.',
  operator_actions: operators,
  operator_views: operators,
  passkeys: team,
  passwords: team,
  paused_rails: operators,
  payment_screenings:
    'Written in the transaction of its payment; the matrix runs without screening.',
  legal_holds: operators,
  payout_freezes: operators,
  retention_progress: 'Progress of the worker that erases; it moves no money.',
  retention_skips: 'Progress of the worker that erases; it moves no money.',
  proof_runs: checks,
  rate_readings: rates,
  rates,
  reconciliation_differences: checks,
  reconciliations: checks,
  recovery_codes: team,
  report_balances: reports,
  report_changes: reports,
  report_conversion: reports,
  report_entries: reports,
  report_entry_progress: reports,
  report_payout_times: reports,
  report_progress: reports,
  report_received: reports,
  sandbox_payments: 'Books of the sandbox bank: payers of the matrix pay without an instance.',
  screening_decisions:
    'Written in the transaction that moves the money; the matrix runs without screening.',
  session_ends: team,
  setting_changes: settings,
  settlement_wallets: settings,
  sign_in_guesses: team,
  sign_in_steps: team,
  payment_links: links,
  recipients,
  cases: complaints,
  case_items: complaints,
  split_rules: splits,
  credit_notes: invoices,
  reallocations: invoices,
  allocation_moves: invoices,
  start_links: team,
  totp_secrets: team,
  used_challenges: team,
  users: team,
  vat_rates: 'Set by operators: VAT is derived from it, and no money moves.',
}

/** Calls to providers and chains that no run without a fault has to make, and why. */
export const callsWithoutPath: Record<string, string> = {
  'flutterwave /balances/NGN': float,
  'monnify /api/v1/auth/login': 'Signs in before the first call, and has no other effect.',
  'monnify /api/v1/bank-transfer/reserved-accounts/transactions':
    'Reads the payments of one dedicated account, which no route offers.',
  'monnify /api/v1/invoice/${encodeURIComponent(reference)}/details':
    'Read after an opening whose answer was lost: only runs with a fault come by it.',
  'monnify /api/v1/refunds': 'Read by the reconciliation, which the proofs run after each case.',
  'monnify /api/v2/disbursements/wallet-balance': float,
  'paystack /balance': float,
  'paystack /charge/${encodeURIComponent(charge)}':
    'Read after an opening whose answer was lost: only runs with a fault come by it.',
  'paystack /dedicated_account/available_providers': 'Read by `manilla doctor`.',
  'paystack /dedicated_account/requery':
    'Reads the payments of one dedicated account, which no route offers.',
  'solana getFirstAvailableBlock': 'The localnet keeps every block, so it is not asked.',
  'solana getTokenAccountsByOwner': 'Finds other tokens in wallets, which are never credited.',
}
