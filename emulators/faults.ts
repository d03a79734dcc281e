/** What may go wrong at a provider. A counter is the number of calls that it still applies to. */
export type Faults = {
  /** Every answer is this late. */
  delayMs: number
  /** `refused`: the connection is closed; `silent`: no answer ever; `unavailable`: 503. */
  down: 'no' | 'refused' | 'silent' | 'unavailable'
  /** Payouts and refunds that are carried out, and whose answer is lost. */
  lostAnswers: number
  /** Payouts that are carried out, and answered with an error of the server. */
  errorsAfterPayout: number
  /** Queries for a payout that are answered "not found" although it exists. */
  hiddenPayouts: number
  /** Payouts stay pending until `settle`. */
  arePayoutsHeld: boolean
  /** Payouts wait for a one-time password, as with OTP switched on. */
  asksForOtp: boolean
  /** Payouts are refused because the caller's address is not on the allow-list. */
  refusesAddress: boolean
  /** Payouts are refused because the business is not registered. */
  refusesBusiness: boolean
  /** `lost`: never sent; `twice`: sent twice; `early`: before the answer of the call. */
  notices: 'sent' | 'lost' | 'twice' | 'reversed_order' | 'early'
  /** Notices carry a wrong signature. */
  forgesSignature: boolean
  /** Rows appear in lists this late. */
  listDelayMs: number
  /** Name resolution: fails, is rate-limited, or returns another name. */
  resolve: 'works' | 'fails' | 'limited' | 'other_name'
  /** Opening an account is carried out, and its answer is lost. */
  lostOpenings: number
  /** Queries for refunds that are answered with an error of the server. */
  failedRefundQueries: number
  /** Accounts are opened at a bank of this name, which is not in the list of banks. */
  accountBank: string | null
  /** Unknown payouts and refunds are answered 404 with this code, or text if it has no codes. */
  missingCode: string | null
}

export function noFaults(): Faults {
  return {
    delayMs: 0,
    down: 'no',
    lostAnswers: 0,
    errorsAfterPayout: 0,
    hiddenPayouts: 0,
    arePayoutsHeld: false,
    asksForOtp: false,
    refusesAddress: false,
    refusesBusiness: false,
    notices: 'sent',
    forgesSignature: false,
    listDelayMs: 0,
    resolve: 'works',
    lostOpenings: 0,
    failedRefundQueries: 0,
    accountBank: null,
    missingCode: null,
  }
}

type Counter =
  | 'lostAnswers'
  | 'errorsAfterPayout'
  | 'hiddenPayouts'
  | 'lostOpenings'
  | 'failedRefundQueries'

/** Whether the fault applies to this call; uses it up once. */
export function takeFault(faults: Faults, counter: Counter): boolean {
  if (faults[counter] <= 0) return false
  faults[counter] -= 1
  return true
}
