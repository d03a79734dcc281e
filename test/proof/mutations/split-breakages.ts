import type { Breakage, Edit, MatrixPaths } from './breakage.js'

const refunded: MatrixPaths = { of: ['splits'], named: ['payment is split'] }
const givenBack: MatrixPaths = { of: ['splits'], named: ['refund of a split payment fails'] }
const owing: MatrixPaths = { of: ['splits'], named: ['a seller owes'] }
const taxed = (...named: string[]): MatrixPaths => ({ of: ['levies'], named })

const eventsOfOneCauseMayRepeat: Edit[] = [
  'one_event_per_type_and_cause',
  'event_sequence_grows_per_resource',
].map((name) => ({
  file: 'migrations/0004_events.sql',
  old: `create unique index ${name}`,
  new: `create index ${name}`,
}))

/** Breakages of splits, of what sellers owe, of levies, VAT and provider fees. */
export const splitBreakages: Breakage[] = [
  {
    name: 'second-share-skipped',
    why: 'Only the first seller of a sale gets its share.',
    paths: givenBack,
    edits: [
      {
        file: 'src/subaccounts/shares/share-payment.ts',
        old: '    if (net === 0n) return []',
        new: '    if (net === 0n || index > 0) return []',
      },
    ],
  },
  {
    name: 'share-rounded-up',
    why: 'Sellers get fractions of a kobo that belong to the merchant.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/splits/compute-split.ts',
        old: '(accepted * BigInt(basisPoints!)) / 10_000n',
        new: '(accepted * BigInt(basisPoints!) + 9_999n) / 10_000n',
      },
    ],
  },
  {
    name: 'share-without-its-fee',
    why: 'Sellers who bear the fee are credited it, and the merchant pays.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/shares/share.ts',
        old: '  return amount - fee\n',
        new: '  return fee < 0n ? fee : amount\n',
      },
    ],
  },
  {
    name: 'fee-borne-by-merchant-only',
    why: 'The fee that sellers should bear is taken from the merchant.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/splits/compute-split.ts',
        old: "  if (feeBearer === 'merchant') return { lines",
        new: "  if (feeBearer !== 'all') return { lines",
      },
    ],
  },
  {
    name: 'released-at-once',
    why: 'A share that the merchant keeps back is paid before its time.',
    paths: refunded,
    edits: [
      {
        file: 'src/subaccounts/shares/store-shares.ts',
        old: 'after(share.releaseAt!, -clockOffsetMs)',
        new: 'after(share.createdAt, -clockOffsetMs)',
      },
    ],
  },
  {
    name: 'released-with-what-was-refunded',
    why: 'A release counts money that a refund has taken: it never happens, or takes from others.',
    paths: refunded,
    edits: [
      {
        file: 'src/subaccounts/shares/release-shares.ts',
        old: '  const amount = netOf(share) - share.takenPending\n',
        new: '  const amount = netOf(share)\n',
      },
    ],
  },
  {
    name: 'release-forgets-what-is-owed',
    why: 'A seller is paid a released share while it owes money.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/shares/release-shares.ts',
        old: '  const lines = [credit, ...recover(book, share, amount)]\n',
        new: '  const lines = amount < 0n ? recover(book, share, amount) : [credit]\n',
      },
    ],
  },
  {
    name: 'split-forgets-what-is-owed',
    why: 'A seller is paid its share while it owes money.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/shares/share-payment.ts',
        old: '  if (!isPending) lines.push',
        new: '  if (!isPending && amount < 0n) lines.push',
      },
    ],
  },
  {
    name: 'receivable-forgotten',
    why: 'A refund beyond what the seller has is paid by the merchant for good.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/shares/take-back.ts',
        old: '  if (owed > 0n)\n    lines.push',
        new: '  if (owed < 0n)\n    lines.push',
      },
    ],
  },
  {
    name: 'debt-stays-when-it-is-paid',
    why: 'A seller pays the same debt from every share.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/receivables.ts',
        old: `    {
      debit: 'receivables',
      credit: owedName(subaccountId),
      amount: recovered,
      purpose: purposes.debt,
    },
`,
        new: '',
      },
    ],
  },
  {
    name: 'taken-back-rounded-up',
    why: 'Refunds in many steps take more from sellers than their part.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/splits/compute-take-back.ts',
        old: 'return (share * refunded) / accepted - (share * refundedBefore) / accepted',
        new: 'return (share * refunded + accepted - 1n) / accepted - (share * refundedBefore) / accepted',
      },
    ],
  },
  {
    name: 'taken-back-twice',
    why: 'A second refund takes back what the first one took.',
    paths: refunded,
    edits: [
      {
        file: 'src/subaccounts/shares/proportions.ts',
        old: '  return amount - takenBack\n',
        new: '  return amount - 0n * takenBack\n',
      },
    ],
  },
  {
    name: 'failed-refund-keeps-shares',
    why: 'The payer got nothing, and sellers have lost their shares.',
    paths: givenBack,
    edits: [
      {
        file: 'src/subaccounts/shares/store-shares.ts',
        old: '  if (refunds.length > 0) tx.write(giveBack(refunds, now))',
        new: '  if (refunds.length > 1) tx.write(giveBack(refunds, now))',
      },
    ],
  },
  {
    name: 'failed-refund-keeps-the-debt',
    why: 'A seller gets the money back and still owes it.',
    paths: givenBack,
    edits: [
      {
        file: 'src/subaccounts/shares/give-back.ts',
        old: '  const forgiven = smallerOf(stillOwed, taken.owed)\n',
        new: '  const forgiven = smallerOf(stillOwed, 0n)\n',
      },
    ],
  },
  {
    name: 'levy-not-held',
    why: 'A merchant without money for the duty pays out, and the operator owes it.',
    paths: taxed('stamp duty completes'),
    edits: [
      {
        file: 'src/payouts/requests/create-payouts.ts',
        old: "  if (levy > 0n) lines.push({ debit, credit: 'levies'",
        new: "  if (levy < 0n) lines.push({ debit, credit: 'levies'",
      },
    ],
  },
  {
    name: 'levy-stays-held',
    why: 'The duty of a failed payout is never given back.',
    paths: taxed('stamp duty fails'),
    edits: [
      {
        file: 'src/ledger/book.ts',
        old: '    for (const line of hold.lines) {\n      const debit',
        new: `    for (const line of hold.lines) {
      if (verb === 'release' && line.credit === 'levies') continue
      const debit`,
      },
    ],
  },
  {
    name: 'levy-not-reversed',
    why: 'The duty of a reversed payout is kept.',
    paths: taxed('stamp duty is reversed'),
    edits: [
      {
        file: 'src/payouts/attempts/follow-reversals.ts',
        old: "  if (levy > 0n) lines.push({ debit: 'levies'",
        new: "  if (levy < 0n) lines.push({ debit: 'levies'",
      },
    ],
  },
  {
    name: 'levy-below-its-threshold-only',
    why: 'Transfers that owe the duty do not pay it.',
    paths: taxed('stamp duty completes'),
    edits: [
      {
        file: 'src/payouts/levies/levy.ts',
        old: 'terms !== null && amount >= terms.threshold',
        new: 'terms !== null && amount < terms.threshold',
      },
    ],
  },
  {
    name: 'vat-on-top-of-the-fee',
    why: 'Merchants are shown more VAT than the fee contains.',
    paths: taxed('payment at paystack'),
    edits: [
      {
        file: 'src/money/vat.ts',
        old: '  return (2n * fee * rate + whole + rate) / (2n * (whole + rate))\n',
        new: '  return (2n * fee * rate + whole) / (2n * whole)\n',
      },
    ],
  },
  {
    name: 'vat-rounded-down',
    why: 'The VAT that merchants are shown is a kobo short.',
    paths: taxed('payment at paystack'),
    edits: [
      {
        file: 'src/money/vat.ts',
        old: '  return (2n * fee * rate + whole + rate) / (2n * (whole + rate))\n',
        new: '  return (fee * rate) / (whole + rate)\n',
      },
    ],
  },
  {
    name: 'provider-fee-of-payments-forgotten',
    why: 'The margin of an operator is shown without what the provider took.',
    paths: taxed('payment at paystack'),
    edits: [
      {
        file: 'src/collections/payments/record-payments.ts',
        old: '    return amount === undefined ? [] : [{ environmentId, causeId, rail, amount }]',
        new: '    return amount !== 0n ? [] : [{ environmentId, causeId, rail, amount }]',
      },
    ],
  },
  {
    name: 'released-twice',
    why: 'Two workers credit the same share, from what is pending for later.',
    paths: owing,
    edits: [
      {
        file: 'src/subaccounts/shares/release-shares.ts',
        old: "(await lockShares(tx, claimed)).filter(({ status }) => status === 'PENDING')",
        new: 'await lockShares(tx, claimed)',
      },
      ...eventsOfOneCauseMayRepeat,
    ],
  },
  {
    name: 'given-back-twice',
    why: 'Two workers give a seller back what one refund took.',
    paths: givenBack,
    edits: [
      {
        file: 'src/subaccounts/shares/store-shares.ts',
        old: "= 'GIVING_BACK'\n    order",
        new: "<> 'TAKEN'\n    order",
      },
      {
        file: 'migrations/0071_payment_shares.sql',
        old: 'taken_back between 0 and amount and taken_pending between 0 and least(taken_back, amount - fee)',
        new: 'taken_back <= amount',
      },
    ],
  },
]
