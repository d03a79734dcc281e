/** Nothing goes wrong. A counter is the number of calls that a fault still applies to. */
export function noFaults() {
  return {
    /** Every answer is this late. */
    delayMs: 0,
    /** `refused`: the connection is closed; `silent`: no answer ever; `unavailable`: 503. */
    down: 'no' as 'no' | 'refused' | 'silent' | 'unavailable',
    /** Payouts and refunds that are carried out, and whose answer is lost. */
    lostAnswers: 0,
    /** Payouts that are carried out, and answered with an error of the server. */
    errorsAfterPayout: 0,
    /** Queries for a payout that are answered "not found" although it exists. */
    hiddenPayouts: 0,
    /** Payouts stay pending until `settle`. */
    arePayoutsHeld: false,
    /** Payouts wait for a one-time password, as with OTP switched on. */
    asksForOtp: false,
    /** Payouts are refused because the caller's address is not on the allow-list. */
    refusesAddress: false,
    /** Payouts are refused because the business is not registered. */
    refusesBusiness: false,
    /** `lost`: never sent; `twice`: sent twice; `early`: before the answer of the call. */
    notices: 'sent' as 'sent' | 'lost' | 'twice' | 'reversed_order' | 'early',
    /** Notices carry a wrong signature. */
    forgesSignature: false,
    /** Rows appear in lists this late. */
    listDelayMs: 0,
    /** Name resolution: fails, is rate-limited, or returns another name. */
    resolve: 'works' as 'works' | 'fails' | 'limited' | 'other_name',
    /** Opening an account is carried out, and its answer is lost. */
    lostOpenings: 0,
    /** Queries for refunds that are answered with an error of the server. */
    failedRefundQueries: 0,
    /** Accounts are opened at a bank of this name, which is not in the list of banks. */
    accountBank: null as string | null,
    /** Stamp duty is debited with payouts: `with_transfer` shows it there, `apart` does not. */
    debitsStampDuty: 'no' as 'no' | 'with_transfer' | 'apart',
    /** Unknown payouts and refunds are answered 404 with this code, or text if it has no codes. */
    missingCode: null as string | null,
  }
}

/** What may go wrong at a provider. */
export type Faults = ReturnType<typeof noFaults>

/** ₦50 on payouts of ₦10,000 and more; a provider does not know what a payout is for. */
export function stampDutyOn(
  amount: bigint,
  { debitsStampDuty }: Faults,
): { debited: bigint; isShown: boolean } {
  const isDue = debitsStampDuty !== 'no' && amount >= 1_000_000n
  return { debited: isDue ? 5_000n : 0n, isShown: isDue && debitsStampDuty === 'with_transfer' }
}

/** In the rows of payouts; absent: none was debited. */
export type StampDuty = ReturnType<typeof stampDutyOn>

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
