import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes } from '../../base/ids.js'
import {
  accountNumber,
  anyAmount,
  anyAsset,
  bankCode,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
  walletSample,
  withDescription,
  withExample,
} from '../../base/shapes.js'
import { toWire } from '../../money/amounts.js'
import { vatRates } from '../../money/vat.js'
import { payingSubaccountOf, referenceOf } from '../payout.js'
import { creator } from '../records/disbursement-resource.js'
import {
  approvalFields,
  payingSubaccount,
  savedRecipient,
  showApproval,
  shownPurpose,
  showSavedRecipient,
  transferStatus,
} from '../resource.js'
import {
  type Batch,
  type BatchItemWithPayout,
  batchReference,
  batchStates,
  itemStates,
  payableAmount,
  payingAccountOf,
} from './batch.js'

const kind = Type.Enum(['bank_transfer', 'crypto_transfer'], {
  description: 'Kind of all items.',
  examples: ['bank_transfer'],
})

const countOf = (example: number, description: string) =>
  Type.Integer({ description, examples: [example] })

const amountOf = (example: number, description: string) =>
  withExample(withDescription(anyAmount, description), example)

export const payoutBatch = resource('PayoutBatch', {
  reference: reference(prefixes.payoutBatch, 'Identifies the batch.'),
  name: orNull(text('November salaries', 'Your own name for the batch.')),
  kind,
  asset: withDescription(anyAsset, 'Asset of all items.'),
  status: Type.Enum([...batchStates], {
    description:
      '`VALIDATING` until every item is checked: then `READY`, or `INVALID` if an item cannot be paid. After you submit it: `PROCESSING`, or `PENDING` while it needs approval by a second member. `COMPLETED` when every item has ended. `CANCELLED`, `REJECTED` and `EXPIRED`: nothing was paid.',
    examples: ['READY'],
  }),
  items: countOf(120, 'Number of items.'),
  amount: amountOf(150_000_000, 'Total amount of the items that can be paid.'),
  fee: amountOf(300_000, 'Total fee quoted for the items that can be paid.'),
  feeVat: amountOf(
    0,
    'VAT that `fee` contains, at the rate when the batch was created. It is of the total: those of the items are rounded one by one.',
  ),
  levy: amountOf(0, 'Total stamp duty quoted for the items that can be paid.'),
  totalDebit: amountOf(
    150_300_000,
    'What your balance must cover: `amount` plus `fee` plus `levy`.',
  ),
  paid: Type.Object(
    {
      amount: amountOf(0, 'What the recipients got.'),
      fee: amountOf(0, 'Fees of these transfers.'),
      feeVat: amountOf(0, 'VAT that `fee` contains, computed as that of the batch.'),
      levy: amountOf(0, 'Stamp duties of these transfers.'),
      count: countOf(0, 'Number of these items.'),
    },
    {
      description:
        'Items that were paid. A transfer that the bank returns later stays included; the item shows it as `REVERSED`.',
    },
  ),
  counts: Type.Object(
    {
      pending: countOf(0, 'Not validated yet.'),
      valid: countOf(120, 'Can be paid; after submission, not sent yet.'),
      invalid: countOf(0, 'Cannot be paid.'),
      submitted: countOf(0, 'Transfers in progress.'),
      completed: countOf(0, 'Paid.'),
      failed: countOf(0, 'Not paid: refused, or the transfer failed.'),
      warnings: countOf(3, 'Items in any state with warnings.'),
    },
    { description: 'Items by state.' },
  ),
  progress: Type.Object(
    {
      validated: countOf(120, 'Items that were checked.'),
      processed: countOf(0, 'Items that became a transfer, or were refused.'),
      ended: countOf(0, 'Items that were paid or failed.'),
    },
    { description: 'Progress, in numbers of items.' },
  ),
  from: payingSubaccount,
  retryOf: notYet(
    text(referenceSample(prefixes.payoutBatch)),
    'The batch whose failed items this one pays again; null otherwise.',
  ),
  createdBy: Type.Optional(
    orNull(
      creator,
      'API key or member that created the batch. Absent in responses to changes and in events.',
    ),
  ),
  ...approvalFields,
  createdAt: timestamp('When the batch was created.'),
  validatedAt: notYet(time, 'When the last item was checked.'),
  submittedAt: notYet(time, 'When the batch was submitted.'),
  endedAt: notYet(time, 'When the batch was completed, cancelled, rejected or expired.'),
})

export const payoutBatchItem = resource('PayoutBatchItem', {
  row: countOf(1, 'Number of the item in the batch, from 1.'),
  status: Type.Enum([...itemStates], {
    description:
      '`PENDING` until it is checked: then `VALID` or `INVALID`. `SUBMITTED` once its transfer exists; then `COMPLETED` or `FAILED`. `FAILED` also if the transfer was refused.',
    examples: ['VALID'],
  }),
  asset: anyAsset,
  amount: amountOf(1_250_000, 'What the recipient gets.'),
  fee: withExample(
    orNull(
      anyAmount,
      'Fee of the transfer, or its quote until the transfer exists. Null: not known yet.',
    ),
    2_500,
  ),
  feeVat: withExample(
    orNull(
      anyAmount,
      'VAT that `fee` contains: at the rate when the batch was created, or when the transfer was. Null: not known yet.',
    ),
    0,
  ),
  levy: withExample(
    orNull(anyAmount, 'Stamp duty of the transfer, or its quote. Null: not known yet.'),
    0,
  ),
  bankCode: Type.Optional(bankCode),
  bankName: Type.Optional(orNull(text('GTBank', 'Name of the bank; null if not known yet.'))),
  accountNumber: Type.Optional(accountNumber),
  accountName: Type.Optional(
    orNull(text('ADA OBI', 'Name of the account holder, as the bank reports it.')),
  ),
  sentAccountName: Type.Optional(orNull(text('Ada Obi', 'The name that you sent.'))),
  narration: Type.Optional(orNull(text('Salary', 'Text that the recipient reads.'))),
  purpose: Type.Optional(shownPurpose),
  destinationAddress: Type.Optional(text(walletSample, 'Wallet address of the recipient.')),
  recipient: savedRecipient,
  merchantReference: orNull(text('salary-1', 'Your own reference for the transfer.')),
  warnings: Type.Array(
    Type.Object({
      code: Type.Enum(['duplicate_in_batch', 'paid_recently', 'in_another_batch'], {
        description:
          '`duplicate_in_batch`: an earlier item has the same recipient and amount. `paid_recently`: a transfer in the last 30 days had them. `in_another_batch`: an item of a batch that has not ended has them.',
        examples: ['duplicate_in_batch'],
      }),
      message: text('Same recipient and amount as row 3.'),
    }),
    { description: 'Possible mistakes. The item is paid nevertheless.' },
  ),
  problem: notYet(
    Type.Object({
      reason: text('account_not_found', 'A reason of errors, or of failed transfers.'),
      message: text('GTBank has no account 0123456789.'),
    }),
    'Why the item cannot be paid, failed, or has to wait.',
  ),
  transferReference: notYet(
    text(referenceSample(prefixes.bankTransfer)),
    'The transfer that pays the item.',
  ),
  transferStatus: notYet(
    text('COMPLETED'),
    'State of the transfer. A completed transfer may still become `REVERSED`.',
  ),
  endedAt: notYet(time, 'When the item was paid or failed.'),
})

export function showBatch(batch: Batch): Static<typeof payoutBatch> {
  const { environmentId, id, asset, fee, levy, itemCount, approval } = batch
  const vatOf = (charged: bigint) => vatRates.vatOf({ environmentId, causeId: id, fee: charged })
  const amount = payableAmount(batch)
  const ended = batch.completedCount + batch.failedCount
  const processed = ended + batch.submittedCount
  const validated = processed + batch.validCount + batch.invalidCount
  return {
    reference: batchReference(batch),
    name: batch.name,
    kind: batch.kind,
    asset,
    status: batch.state,
    items: itemCount,
    amount: toWire(amount, asset),
    fee: toWire(fee, asset),
    feeVat: toWire(vatOf(fee), asset),
    levy: toWire(levy, asset),
    totalDebit: toWire(amount + fee + levy, asset),
    paid: {
      amount: toWire(batch.paidAmount, asset),
      fee: toWire(batch.paidFee, asset),
      feeVat: toWire(vatOf(batch.paidFee), asset),
      levy: toWire(batch.paidLevy, asset),
      count: batch.completedCount,
    },
    counts: {
      pending: itemCount - validated,
      valid: batch.validCount,
      invalid: batch.invalidCount,
      submitted: batch.submittedCount,
      completed: batch.completedCount,
      failed: batch.failedCount,
      warnings: batch.warnedCount,
    },
    progress: { validated, processed, ended },
    from: payingSubaccountOf({ takesFrom: payingAccountOf(batch) }) ?? undefined,
    retryOf: batch.retryOf && batchReference({ id: batch.retryOf }),
    approval: approval === null ? undefined : showApproval(approval),
    orderHash: approval?.orderHash,
    createdAt: toIsoText(batch.createdAt),
    validatedAt: batch.validatedAt && toIsoText(batch.validatedAt),
    submittedAt: batch.submittedAt && toIsoText(batch.submittedAt),
    endedAt: batch.endedAt && toIsoText(batch.endedAt),
  }
}

export function showItem(
  { environmentId, id, kind, asset }: Pick<Batch, 'environmentId' | 'id' | 'kind' | 'asset'>,
  item: BatchItemWithPayout,
): Static<typeof payoutBatchItem> {
  const { destination, payoutId, payoutStatus } = item
  return {
    row: item.number,
    status: item.state,
    asset,
    amount: asset === 'NGN' ? toWire(item.amount, asset) : item.requestedAmount,
    fee: item.fee === null ? null : toWire(item.fee, asset),
    feeVat:
      item.fee === null
        ? null
        : toWire(vatRates.vatOf({ environmentId, causeId: payoutId ?? id, fee: item.fee }), asset),
    levy: item.fee === null ? null : toWire(item.levy ?? 0n, asset),
    ...(destination.kind === 'wallet'
      ? { destinationAddress: destination.address }
      : {
          bankCode: destination.bankCode,
          bankName: item.bankName,
          accountNumber: destination.accountNumber,
          accountName: item.accountName,
          sentAccountName: destination.accountName || null,
          narration: destination.narration,
          purpose: item.purpose ?? undefined,
        }),
    recipient: showSavedRecipient(item),
    merchantReference: item.merchantReference,
    warnings: item.warnings,
    problem: item.problem,
    transferReference: payoutId && referenceOf({ kind, id: payoutId }),
    transferStatus: payoutStatus && transferStatus({ asset, status: payoutStatus }),
    endedAt: item.endedAt && toIsoText(item.endedAt),
  }
}
