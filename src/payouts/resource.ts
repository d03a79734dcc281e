import Type, { type Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { prefixes, toReference } from '../base/ids.js'
import { type JsonText, withField } from '../base/json-text.js'
import {
  accountName,
  accountNumber,
  bankCode,
  bankName,
  decimal,
  flag,
  kobo,
  metadata,
  naira,
  network,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  sampleSignature,
  sampleTime,
  signature,
  stablecoin,
  text,
  time,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from '../base/shapes.js'
import { formatDecimal, toWire } from '../money/amounts.js'
import type { Coin } from '../money/assets.js'
import { vatRates } from '../money/vat.js'
import type { ScreeningFinding } from '../screening/ports.js'
import { type WaitReason, waitReasons } from './controls/wait.js'
import { payoutPurposes } from './levies/levy.js'
import {
  type ApprovalDecision,
  type AttemptState,
  attemptStates,
  type Payout,
  type PayoutApproval,
  type PayoutAttempt,
  type PayoutStatus,
  payingSubaccountOf,
  payoutStatuses,
  referenceOf,
  totalDebitOf,
} from './payout.js'
import type { BankDestination } from './ports.js'

const merchantReference = Type.Optional(
  text(
    'payout-9',
    'Your own reference, if you sent one. Unique among your transfers of this kind.',
  ),
)
const failureReason = notYet(
  Type.String(),
  'Why the transfer failed; null otherwise. docs/reference/payouts.md lists every value.',
)
/** Shown by transfers and batches. */
export const payingSubaccount = Type.Optional(
  Type.String({
    'x-left-out': true,
    description: 'The sub-account that pays. Left out if you do.',
    examples: [referenceSample(prefixes.subaccount)],
  }),
)
/** Shown by transfers and items of batches. */
export const savedRecipient = Type.Optional(
  Type.String({
    'x-left-out': true,
    description: 'The saved recipient that it goes to. Left out if it is not saved.',
    examples: [referenceSample(prefixes.recipient)],
  }),
)
const submittedAt = withExample(
  orNull(time, 'When the transfer was submitted. Null while it waits for approval.'),
  sampleTime,
)
const failedAt = notYet(time, 'When the transfer failed.')
const createdAt = timestamp('When the transfer was created.')

/** How decisions of test mode are shown. */
const simulatedMember = { id: 'simulated', name: 'Simulated member' }
const theOperator = { id: 'operator', name: 'The operator' }

const decider = Type.Object({
  id: reference(
    prefixes.user,
    'Identifies the member; `simulated` if you decided for one in test mode, `operator` if the operator decided about a transfer that waited for screening.',
  ),
  name: text('Bola Ade', 'Name of the member.'),
  at: timestamp('When the member decided.'),
})

const reasonMeanings = Object.entries(waitReasons)
  .map(([reason, text]) => `\`${reason}\`: ${text}`)
  .join(' ')

/** The examples are of a transfer that needs no approval. */
const leftOut = { 'x-left-out': true }

/** What screening found about a recipient. */
export const shownFinding = notYet(
  Type.Object({
    verdict: Type.Enum(['hit', 'unknown'], {
      description: '`hit`: the recipient is on a list. `unknown`: it was not screened.',
      examples: ['hit'],
    }),
    list: notYet(Type.String(), 'The list, or the provider.'),
    version: notYet(Type.String(), 'Version of the list.'),
    entry: notYet(Type.String(), 'Entry of the list.'),
    why: notYet(Type.String(), 'Why it was not screened.'),
  }),
  'What screening found about the recipient; null if nothing.',
)

/** Why members must approve a payout. */
export const shownReasons = Type.Array(Type.Enum(Object.keys(waitReasons) as WaitReason[]), {
  description: `Why members must approve it. ${reasonMeanings}`,
  examples: [['amount']],
})

/** Only of transfers over the approval rule of the merchant. */
export const approvalFields = {
  approval: Type.Optional(
    Type.Object(
      {
        needed: Type.Integer({
          description:
            'How many members must approve: 2 if no member made the API key, 0 if only your callback decides.',
          examples: [1],
        }),
        reasons: shownReasons,
        callback: notYet(
          Type.Object({
            status: Type.Enum(['OPEN', 'APPROVED', 'REJECTED', 'SILENT'], {
              description:
                '`OPEN` while it is asked. `SILENT`: it did not decide in time, so members do.',
              examples: ['OPEN'],
            }),
            attempts: Type.Integer({ description: 'How often it was asked.', examples: [1] }),
            problem: notYet(Type.String(), 'Why the last attempt decided nothing.'),
            reason: notYet(Type.String(), 'Why your callback rejected it.'),
          }),
          'What your callback decided; null if none is asked.',
        ),
        screening: shownFinding,
        round: Type.Integer({
          description:
            'Grows when a reason to wait is added, or screening finds something else. Approvals of earlier rounds do not count.',
          examples: [1],
        }),
        givenBy: Type.Array(
          Type.Object({
            ...decider.properties,
            reason: notYet(Type.String(), 'Why, if the member said so.'),
          }),
          { description: 'Members who approved so far.' },
        ),
        rejectedBy: notYet(decider, 'Who rejected it.'),
        reason: notYet(Type.String(), 'Why it was rejected.'),
        expiresAt: timestamp('When it fails or expires if it is not approved.'),
      },
      {
        ...leftOut,
        description:
          'Present if your approval rule required a second member, or your callback is asked; see docs/guides/approvals.md.',
      },
    ),
  ),
  orderHash: Type.Optional(
    Type.String({
      ...leftOut,
      description:
        'SHA-256 of what is approved: kind, asset, amounts, fee, levy, paying sub-account, destinations and references.',
    }),
  ),
}

/** Absent if the merchant sent none. */
export const shownPurpose = Type.Enum([...payoutPurposes], {
  ...leftOut,
  type: 'string',
  description: 'What the transfer is for, if you said so: a `salary` is exempt from stamp duty.',
  examples: ['salary'],
})
const feeVatDescription = 'VAT that `fee` contains, at the rate when it was charged.'

export const cryptoTransfer = resource('CryptoTransfer', {
  reference: reference(prefixes.cryptoTransfer, 'Identifies the transfer.'),
  merchantReference,
  asset: stablecoin,
  network,
  amount: withDescription(decimal, 'Amount the recipient gets, as you wrote it.'),
  fee: withExample(withDescription(decimal, 'The complete fee for the transfer.'), '0.5'),
  feeVat: withExample(withDescription(decimal, feeVatDescription), '0'),
  totalDebit: withExample(
    withDescription(decimal, 'Amount deducted from your balance: `amount` plus `fee`.'),
    '26',
  ),
  from: payingSubaccount,
  recipient: savedRecipient,
  destinationAddress: withDescription(walletAddress, 'Wallet address of the recipient.'),
  status: Type.Enum(['PENDING', 'SUBMITTED', 'CONFIRMED', 'FAILED'], {
    description:
      '`SUBMITTED` until the transfer ends as `CONFIRMED` or `FAILED`. `PENDING` before that, if your approval rule requires a second member.',
    examples: ['SUBMITTED'],
  }),
  transactionSignature: withExample(
    orNull(
      signature,
      'Transaction signature of the latest attempt. Null while the transfer waits for approval.',
    ),
    sampleSignature,
  ),
  failureReason,
  metadata,
  submittedAt,
  confirmedAt: notYet(time, 'When the transfer became final on the chain.'),
  failedAt,
  createdAt,
  attempts: Type.Array(
    Type.Object({
      signature,
      submittedAt: timestamp('When this attempt was signed.'),
      state: Type.Enum(Object.keys(attemptStates) as AttemptState[], {
        description:
          '`LIVE`: it may still reach a block. `LANDED`: it moved the money. `FAILED` and `DEAD`: it moved nothing and never will.',
        examples: ['LIVE'],
      }),
    }),
    { description: 'Every attempt to send the transfer, oldest first. At most one is `LIVE`.' },
  ),
  ...approvalFields,
})

export const bankTransfer = resource('BankTransfer', {
  reference: reference(prefixes.bankTransfer, 'Identifies the transfer.'),
  merchantReference,
  amount: withDescription(kobo, 'Amount the recipient gets, in kobo.'),
  fee: withExample(withDescription(kobo, 'The complete fee for the transfer, in kobo.'), 2_500),
  levy: withExample(
    withDescription(
      kobo,
      'Stamp duty that the law takes from the sender, in kobo; 0 if none is due.',
    ),
    0,
  ),
  feeVat: withExample(withDescription(kobo, feeVatDescription), 0),
  totalDebit: withExample(
    withDescription(
      kobo,
      'Amount deducted from your balance: `amount` plus `fee` plus `levy`, in kobo.',
    ),
    1_252_500,
  ),
  currency: naira,
  from: payingSubaccount,
  recipient: savedRecipient,
  bankCode,
  bankName,
  accountNumber,
  accountName,
  narration: orNull(text('January salary', 'Text that the recipient reads.')),
  purpose: Type.Optional(shownPurpose),
  status: Type.Enum([...payoutStatuses], {
    description:
      '`SUBMITTED` until the transfer ends as `COMPLETED` or `FAILED`. `REVERSED` if the bank returned the money after completion. `PENDING` before `SUBMITTED`, if your approval rule requires a second member.',
    examples: ['SUBMITTED'],
  }),
  sessionId: notYet(
    Type.String(),
    'Identifies the transfer between the banks (NIP session). Null until the transfer is completed, and if the provider does not report it.',
  ),
  reviewRequired: flag(
    false,
    'Whether the operator must review it because the bank has not confirmed an outcome for three days.',
  ),
  failureReason,
  metadata,
  submittedAt,
  completedAt: notYet(time, 'When the bank confirmed that the money arrived.'),
  failedAt,
  reversedAt: notYet(time, 'When the bank returned the money after completion.'),
  createdAt,
  ...approvalFields,
})

/** As verify operations return it and events carry it. */
export function showPayout(payout: Payout, attempts: PayoutAttempt[]): JsonText {
  const { destination, metadata } = payout
  const fields =
    destination.kind === 'bank_account'
      ? bankTransferFields(payout, destination)
      : cryptoTransferFields(payout, destination.address, attempts)
  return withField(fields, 'metadata', metadata)
}

function cryptoTransferFields(
  payout: Payout,
  destinationAddress: string,
  attempts: PayoutAttempt[],
): Omit<Static<typeof cryptoTransfer>, 'metadata'> {
  const { amount, fee } = payout
  const asset = payout.asset as Coin
  return {
    reference: referenceOf(payout),
    merchantReference: payout.merchantReference ?? undefined,
    asset,
    network: 'SOLANA',
    amount: payout.requestedAmount,
    fee: formatDecimal(fee, asset),
    feeVat: formatDecimal(feeVatOf(payout), asset),
    totalDebit: formatDecimal(amount + fee, asset),
    from: payingSubaccountOf(payout) ?? undefined,
    recipient: showSavedRecipient(payout),
    destinationAddress,
    status: coinStatus(payout.status),
    transactionSignature: attempts.at(-1)?.token ?? null,
    failureReason: payout.failureReason,
    submittedAt: payout.submittedAt && toIsoText(payout.submittedAt),
    confirmedAt: payout.completedAt && toIsoText(payout.completedAt),
    failedAt: payout.failedAt && toIsoText(payout.failedAt),
    createdAt: toIsoText(payout.createdAt),
    attempts: attempts.map(({ token, createdAt, state }) => ({
      signature: token,
      submittedAt: toIsoText(createdAt),
      state,
    })),
    approval: payout.approval === null ? undefined : showApproval(payout.approval),
    orderHash: payout.approval?.orderHash,
  }
}

export function showSavedRecipient({
  recipientId,
}: {
  recipientId: string | null
}): string | undefined {
  return recipientId === null ? undefined : toReference(prefixes.recipient, recipientId)
}

export function feeVatOf({ environmentId, id, fee }: Payout): bigint {
  return vatRates.vatOf({ environmentId, causeId: id, fee })
}

/** A chain confirms a transfer and never reverses it. */
function coinStatus(status: PayoutStatus) {
  return status === 'COMPLETED'
    ? 'CONFIRMED'
    : (status as Exclude<PayoutStatus, 'COMPLETED' | 'REVERSED'>)
}

export function transferStatus({ asset, status }: Pick<Payout, 'asset' | 'status'>) {
  return asset === 'NGN' ? status : coinStatus(status)
}

function bankTransferFields(
  payout: Payout,
  destination: BankDestination,
): Omit<Static<typeof bankTransfer>, 'metadata'> {
  return {
    reference: referenceOf(payout),
    merchantReference: payout.merchantReference ?? undefined,
    amount: toWire(payout.amount, 'NGN'),
    fee: toWire(payout.fee, 'NGN'),
    levy: toWire(payout.levy, 'NGN'),
    feeVat: toWire(feeVatOf(payout), 'NGN'),
    totalDebit: toWire(totalDebitOf(payout), 'NGN'),
    currency: 'NGN',
    from: payingSubaccountOf(payout) ?? undefined,
    recipient: showSavedRecipient(payout),
    bankCode: destination.bankCode,
    bankName: destination.bankName,
    accountNumber: destination.accountNumber,
    accountName: destination.accountName,
    narration: destination.narration,
    purpose: payout.purpose ?? undefined,
    status: payout.status,
    sessionId: payout.bankSessionId,
    failureReason: payout.failureReason,
    reviewRequired: payout.isReviewRequired,
    submittedAt: payout.submittedAt && toIsoText(payout.submittedAt),
    completedAt: payout.completedAt && toIsoText(payout.completedAt),
    failedAt: payout.failedAt && toIsoText(payout.failedAt),
    reversedAt: payout.reversedAt && toIsoText(payout.reversedAt),
    createdAt: toIsoText(payout.createdAt),
    approval: payout.approval === null ? undefined : showApproval(payout.approval),
    orderHash: payout.approval?.orderHash,
  }
}

/** As transfers and returns show it. */
export function showApproval(approval: PayoutApproval) {
  const { expiresAt, needed, decisions, reasons, callback, screening, round } = approval
  const rejection = decisions.find(({ verdict }) => verdict === 'REJECTED')
  return {
    needed,
    givenBy: decisions
      .filter(({ verdict }) => verdict === 'APPROVED')
      .map((decision) => ({ ...showDecider(decision), reason: decision.reason })),
    rejectedBy: rejection ? showDecider(rejection) : null,
    reason: rejection?.reason ?? null,
    expiresAt: toIsoText(expiresAt),
    reasons,
    callback: callback && {
      status: callback.status,
      attempts: callback.attempts,
      problem: callback.problem,
      reason: callback.rejection,
    },
    screening: screening && showFinding(screening),
    round,
  }
}

export function showFinding(finding: ScreeningFinding) {
  const { verdict } = finding
  return verdict === 'hit'
    ? { verdict, list: finding.list, version: finding.version, entry: finding.entry, why: null }
    : { verdict, list: null, version: null, entry: null, why: finding.why }
}

function showDecider({ user, isOfOperator, at }: ApprovalDecision) {
  const { id, name } = user
    ? { id: toReference(prefixes.user, user.id), name: user.name }
    : isOfOperator
      ? theOperator
      : simulatedMember
  return { id, name, at: toIsoText(at) }
}
