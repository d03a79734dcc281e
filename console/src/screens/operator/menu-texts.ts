/** Words of the operator's menu, which the frame loads. The others are in operator-screens.ts. */
export const operatorMenuTexts = {
  menu: {
    health: 'Health',
    actions: 'To confirm',
    merchants: 'Merchants',
    kyc: 'KYC review',
    fees: 'Fees',
    payouts: 'Payout review',
    review: 'Review',
    notices: 'Held notices',
    treasury: 'Treasury',
    exchange: 'Exchange',
    levies: 'Levies and VAT',
    reconciliation: 'Reconciliation',
    rails: 'Rails',
    freezes: 'Freezes',
    operators: 'Operators',
    audit: 'Audit log',
  },
}
