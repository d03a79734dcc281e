-- Processes that know 0072 may run beside this migration.
-- Money that comes back to a sub-account pays first what it owes: what a failed refund had taken from
-- it, and a payout that its bank returned.

alter table ledger_transfers
  drop constraint transfer_purpose_is_known,
  add constraint transfer_purpose_is_known check (purpose in (
    'test_funding', 'operator_credit', 'crypto_payout', 'crypto_payout_fee', 'bank_payout',
    'bank_payout_fee', 'bank_payout_levy', 'bank_payout_reversal', 'bank_payout_fee_reversal',
    'bank_payout_levy_reversal', 'payment',
    'payment_fee', 'payment_held', 'payment_accepted', 'payment_accepted_fee', 'payment_return',
    'payment_refund', 'payment_return_reversal', 'payment_refund_reversal', 'sweep', 'conversion',
    'conversion_fee', 'conversion_credit', 'subaccount_transfer', 'subaccount_transfer_back',
    'split', 'split_release', 'split_refund', 'split_refund_reversal', 'split_refund_pending',
    'split_refund_pending_reversal', 'receivable',
    'receivable_reversal', 'split_recovered', 'split_receivable_ended', 'transfer_recovered',
    'transfer_receivable_ended', 'take_back_recovered', 'take_back_receivable_ended',
    'payout_recovered', 'payout_receivable_ended'));
