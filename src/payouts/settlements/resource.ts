import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes, toReference } from '../../base/ids.js'
import {
  accountName,
  accountNumber,
  bankCode,
  bankName,
  decimal,
  kobo,
  naira,
  notYet,
  orNull,
  reference,
  resource,
  stablecoin,
  text,
  time,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import type { StatementSum } from '../../ledger/statement.js'
import { toWire } from '../../money/amounts.js'
import type { Coin } from '../../money/assets.js'
import { vatRates } from '../../money/vat.js'
import { type Payout, type PayoutStatus, payingSubaccountOf, referenceOf } from '../payout.js'
import { feeVatOf } from '../resource.js'
import {
  type Settlement,
  type SettlementStatus,
  settlementReference,
  settlementStatuses,
} from './settlement.js'
import type { SettlementSums } from './store-settlements.js'

const koboOf = (example: number, description: string) =>
  withExample(withDescription(kobo, description), example)

const entryNumber = (example: number, description: string) =>
  Type.Integer({ description, examples: [example] })

const reportLine = Type.Object({
  type: text('payment', 'Why the balance changed, as in balance entries.'),
  effect: Type.Enum(['post', 'hold', 'release'], {
    description: 'As in balance entries.',
    examples: ['post'],
  }),
  count: Type.Integer({ description: 'Number of entries.', examples: [3] }),
  amount: koboOf(1_350_000, 'Sum of the entries in kobo; negative if the balance fell.'),
  feeVat: koboOf(0, 'VAT of the fees that `amount` contains, in kobo, with the sign of `amount`.'),
})

const lineExamples = [
  { type: 'payment', effect: 'post', count: 3, amount: 1_350_000, feeVat: 0 },
  { type: 'payment_fee', effect: 'post', count: 3, amount: -13_500, feeVat: 0 },
  { type: 'payment_refund', effect: 'hold', count: 1, amount: -84_000, feeVat: 0 },
]

export const settlement = resource('Settlement', {
  reference: reference(prefixes.settlement, 'Identifies the settlement.'),
  status: Type.Enum([...settlementStatuses], {
    description:
      '`PENDING` while it waits for your callback or for members. `SUBMITTED` until its transfer ends as `PAID` or `FAILED`. `REVERSED` if the bank returned the money later. The next settlement includes returned naira; the coins of a failed transfer stay in your stablecoin balance.',
    examples: ['SUBMITTED'],
  }),
  subaccount: notYet(
    reference(prefixes.subaccount, 'Identifies the sub-account.'),
    'The owner of the settled balance, if it is a sub-account; its naira go to its bank account. Null: you, and your primary bank account or wallet.',
  ),
  scheduledFor: orNull(
    timestamp('The scheduled time that it was made for.'),
    'Null if you requested it.',
  ),
  amount: koboOf(
    1_250_000,
    'Paid to the bank account of the owner, or converted for your wallet, in kobo.',
  ),
  fee: koboOf(2_500, 'The fee for the bank transfer, or for the conversion, in kobo.'),
  levy: koboOf(0, 'Stamp duty on the bank transfer, in kobo; 0 where your own account is exempt.'),
  feeVat: koboOf(0, 'VAT that `fee` contains, in kobo.'),
  currency: naira,
  bankCode: orNull(bankCode, 'Code of the bank; null for a wallet.'),
  bankName: orNull(bankName, 'Name of the bank; null for a wallet.'),
  accountNumber: orNull(accountNumber, 'Ten-digit account number; null for a wallet.'),
  accountName: orNull(accountName, 'Name of the account holder; null for a wallet.'),
  asset: notYet(stablecoin, 'The stablecoin that was paid; null for a bank account.'),
  assetAmount: notYet(decimal, 'Paid to your wallet, in `asset`; null for a bank account.'),
  assetFee: notYet(
    decimal,
    'The fee for the crypto transfer, in `asset`; null for a bank account.',
  ),
  assetFeeVat: notYet(decimal, 'VAT that `assetFee` contains; null for a bank account.'),
  conversion: notYet(
    reference(prefixes.conversion),
    'The conversion of the naira; null for a bank account.',
  ),
  walletAddress: notYet(walletAddress, 'Your wallet; null for a bank account.'),
  transferReference: reference(
    prefixes.bankTransfer,
    'The bank or crypto transfer; `merchantReference` there is the reference of the settlement.',
  ),
  failureReason: notYet(
    Type.String(),
    'Why the transfer failed; null otherwise. docs/reference/payouts.md lists every value.',
  ),
  period: Type.Object(
    {
      from: notYet(time, 'When the settlement before was made; null for the first one.'),
      to: timestamp('When this settlement was made.'),
      firstEntry: entryNumber(1, 'Number of the first balance entry in the period.'),
      lastEntry: entryNumber(9, 'Number of the last one. The last entries hold this settlement.'),
    },
    { description: 'The part of the naira statement since the settlement before.' },
  ),
  report: Type.Object(
    {
      opening: koboOf(0, 'Available balance at the start of the period, in kobo.'),
      credits: koboOf(1_350_000, 'Sum of all entries that raised the balance, in kobo.'),
      debits: koboOf(97_500, 'Sum of all other entries, without this settlement, in kobo.'),
      closing: koboOf(0, 'Available balance after this settlement, in kobo.'),
      lines: Type.Array(reportLine, {
        description: 'Entries by type and effect, without this settlement.',
        examples: [lineExamples],
      }),
    },
    { description: '`opening` + `credits` − `debits` = `amount` + `fee` + `levy` + `closing`.' },
  ),
  reserve: koboOf(0, 'Reserve in your settings when it was made, in kobo.'),
  paidAt: notYet(time, 'When the bank confirmed that the money arrived.'),
  failedAt: notYet(time, 'When the transfer failed.'),
  reversedAt: notYet(time, 'When the bank returned the money.'),
  createdAt: timestamp('When the settlement was made.'),
})

const sumsOf = (example: [number, number, number]) => ({
  count: Type.Integer({ description: 'Number of settlements.', examples: [example[0]] }),
  amount: koboOf(example[1], 'Sum of their amounts in kobo.'),
  fee: koboOf(example[2], 'Sum of their fees in kobo.'),
  levy: koboOf(0, 'Sum of their stamp duties in kobo.'),
  feeVat: koboOf(0, 'VAT that `fee` contains, in kobo.'),
})

/** Settlements of a period. Money that came back is in no sum but that of its status. */
export const settlementSummary = resource('SettlementSummary', {
  ...sumsOf([1, 1_250_000, 2_500]),
  byStatus: Type.Object(
    Object.fromEntries(
      settlementStatuses.map((status) => [
        status,
        Type.Object(sumsOf(status === 'SUBMITTED' ? [1, 1_250_000, 2_500] : [0, 0, 0]), {
          description: `Those that are \`${status}\`.`,
        }),
      ]),
    ),
    {
      description:
        'The same for each status. Money of `FAILED` and `REVERSED` came back, so it is not in `amount`, `fee` and `levy` above.',
    },
  ),
})

type SettlementJson = Static<typeof settlement>

export function showSettlement(settlement: Settlement, payout: Payout): SettlementJson {
  const { lines, conversionId, convertedAmount, conversionFee } = settlement
  const { destination } = payout
  const bank = destination.kind === 'bank_account' ? destination : null
  const wallet = destination.kind === 'wallet' ? destination : null
  const coin = payout.asset as Coin
  // A settlement to a wallet is charged in naira by its conversion.
  const fee = conversionFee ?? payout.fee
  const feeVat =
    conversionId === null
      ? feeVatOf(payout)
      : vatRates.vatOf({ environmentId: payout.environmentId, causeId: conversionId, fee })
  const amount = convertedAmount === null ? payout.amount : convertedAmount - fee
  return {
    reference: settlementReference(settlement),
    status: statusOf(payout),
    subaccount: payingSubaccountOf(payout),
    scheduledFor: isoOrNull(settlement.scheduledFor),
    amount: toWire(amount, 'NGN'),
    fee: toWire(fee, 'NGN'),
    levy: toWire(payout.levy, 'NGN'),
    feeVat: toWire(feeVat, 'NGN'),
    currency: 'NGN',
    bankCode: bank?.bankCode ?? null,
    bankName: bank?.bankName ?? null,
    accountNumber: bank?.accountNumber ?? null,
    accountName: bank?.accountName ?? null,
    asset: wallet ? coin : null,
    assetAmount: wallet ? toWire(payout.amount, coin) : null,
    assetFee: wallet ? toWire(payout.fee, coin) : null,
    assetFeeVat: wallet ? toWire(feeVatOf(payout), coin) : null,
    conversion: conversionId && toReference(prefixes.conversion, conversionId),
    walletAddress: wallet?.address ?? null,
    transferReference: referenceOf(payout),
    failureReason: payout.failureReason,
    period: {
      from: isoOrNull(settlement.previousAt),
      to: toIsoText(settlement.createdAt),
      firstEntry: Number(settlement.firstEntry),
      lastEntry: Number(settlement.lastEntry),
    },
    report: {
      opening: toWire(settlement.opening, 'NGN'),
      credits: toWire(sumOf(lines.filter(({ change }) => change > 0n)), 'NGN'),
      debits: toWire(-sumOf(lines.filter(({ change }) => change < 0n)), 'NGN'),
      closing: toWire(settlement.closing, 'NGN'),
      lines: lines.map(({ purpose, kind, count, change, vat }) => ({
        type: purpose,
        effect: kind,
        count,
        amount: toWire(change, 'NGN'),
        feeVat: toWire(vat, 'NGN'),
      })),
    },
    reserve: toWire(settlement.reserve, 'NGN'),
    paidAt: isoOrNull(payout.completedAt),
    failedAt: isoOrNull(payout.failedAt),
    reversedAt: isoOrNull(payout.reversedAt),
    createdAt: toIsoText(settlement.createdAt),
  }
}

function statusOf({ status }: Pick<Payout, 'status'>): SettlementStatus {
  return status === 'COMPLETED' ? 'PAID' : status
}

/** The status of the payout of a settlement with this status. */
export function payoutStatusOf(status: SettlementStatus): PayoutStatus {
  return status === 'PAID' ? 'COMPLETED' : status
}

export function showSettlementSummary(sums: SettlementSums[]): Static<typeof settlementSummary> {
  const add = (of: SettlementSums[]) => ({
    count: of.reduce((sum, { count }) => sum + count, 0),
    amount: toWire(
      of.reduce((sum, { amount }) => sum + amount, 0n),
      'NGN',
    ),
    fee: toWire(
      of.reduce((sum, { fee }) => sum + fee, 0n),
      'NGN',
    ),
    levy: toWire(
      of.reduce((sum, { levy }) => sum + levy, 0n),
      'NGN',
    ),
    feeVat: toWire(
      of.reduce((sum, { feeVat }) => sum + feeVat, 0n),
      'NGN',
    ),
  })
  const of = (wanted: SettlementStatus) => sums.filter((sum) => statusOf(sum) === wanted)
  return {
    ...add([...of('SUBMITTED'), ...of('PAID')]),
    count: add(sums).count,
    byStatus: Object.fromEntries(settlementStatuses.map((status) => [status, add(of(status))])),
  }
}

function isoOrNull(time: Date | null): string | null {
  return time && toIsoText(time)
}

/** All entries of one type and effect have the same sign. */
function sumOf(lines: StatementSum[]): bigint {
  return lines.reduce((sum, { change }) => sum + change, 0n)
}
