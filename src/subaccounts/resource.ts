import Type, { type Static } from 'typebox'
import { toIsoText } from '../base/clock.js'
import { prefixes, toReference } from '../base/ids.js'
import {
  accountName,
  accountNumber,
  anyAmount,
  anyAsset,
  bankCode,
  flag,
  kobo,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  time,
  timestamp,
  walletAddress,
  withDescription,
  withExample,
} from '../base/shapes.js'
import { toWire } from '../money/amounts.js'
import type { ShownSubaccount } from './store-subaccounts.js'
import {
  type SubaccountBalance,
  type SubaccountTransfer,
  subaccountReference,
  subaccountSchedules,
  subaccountStatuses,
} from './subaccount.js'

export const subaccountBalance = resource('SubaccountBalance', {
  asset: anyAsset,
  available: withDescription(anyAmount, 'What can be paid out.'),
  held: withExample(withDescription(anyAmount, 'Reserved for open payouts.'), 0),
  pending: withExample(withDescription(anyAmount, 'Shares that are released later.'), 0),
  owed: withExample(
    withDescription(anyAmount, 'Owed to you; the next credits of the sub-account pay it first.'),
    0,
  ),
})

export const subaccount = resource('Subaccount', {
  reference: reference(prefixes.subaccount, 'Identifies the sub-account.'),
  externalReference: notYet(
    text('seller-17'),
    'Your own name for it, unique among your sub-accounts.',
  ),
  name: text('Ada Fabrics', 'Name of the seller.'),
  email: notYet(text('ada@example.com'), 'E-mail address of the seller.'),
  status: Type.Enum([...subaccountStatuses], {
    description:
      '`PAUSED`: it is credited, but nothing is paid out. `CLOSED`: it is empty, for good.',
    examples: ['ACTIVE'],
  }),
  closing: flag(
    false,
    'Whether it is paid out and then closed. If the payout fails, it stays `PAUSED`.',
  ),
  bankAccount: orNull(
    Type.Object({ bankCode, accountNumber, accountName }),
    'Where it is paid out; the bank names the holder.',
  ),
  walletAddress: notYet(walletAddress, 'Where its coins are paid out.'),
  settlement: Type.Object(
    {
      schedule: Type.Enum([...subaccountSchedules], {
        description:
          'When its naira are paid to its bank account: at the time, and if `weekly` on the day, of your own settings.',
        examples: ['off'],
      }),
      reserve: withExample(withDescription(kobo, 'What settlements leave, in kobo.'), 0),
      minimum: withExample(
        withDescription(kobo, 'Smallest amount that is settled on schedule, in kobo.'),
        100_000,
      ),
      nextAt: notYet(time, 'When it is settled next; null if `schedule` is `off`.'),
      lastRefusal: withExample(
        orNull(
          Type.Object({
            message: text('The bank account does not exist.', 'What was wrong.'),
            refusedAt: notYet(time, 'When it was refused.'),
          }),
          'Why the last scheduled settlement was not made; null if it was, or if there was nothing to settle.',
        ),
        null,
      ),
    },
    { description: 'How it is settled. `PAUSED` sub-accounts are not.' },
  ),
  balances: Type.Array(subaccountBalance, { description: 'One per asset.' }),
  createdAt: timestamp('When it was created.'),
  closedAt: notYet(timestamp('When it was closed.')),
})

export const subaccountTransfer = resource('SubaccountTransfer', {
  reference: reference(prefixes.subaccountTransfer, 'Identifies the transfer.'),
  from: text('merchant', 'Who gave the money: `merchant`, or the reference of a sub-account.'),
  to: text(
    referenceSample(prefixes.subaccount),
    'Who got the money: `merchant`, or the reference of a sub-account.',
  ),
  asset: anyAsset,
  amount: withExample(withDescription(anyAmount, 'What was moved.'), 500_000),
  note: notYet(text('Promotion of March'), 'What you wrote about it.'),
  createdAt: timestamp('When the money was moved.'),
})

export function showSubaccount(shown: ShownSubaccount): Static<typeof subaccount> {
  const { bankCode, accountNumber, accountName } = shown
  return {
    reference: subaccountReference(shown),
    externalReference: shown.externalReference,
    name: shown.name,
    email: shown.email,
    status: shown.status,
    closing: shown.closingPayoutId !== null,
    bankAccount:
      bankCode && accountNumber && accountName ? { bankCode, accountNumber, accountName } : null,
    walletAddress: shown.walletAddress,
    settlement: {
      schedule: shown.settlementSchedule,
      reserve: toWire(shown.settlementReserve, 'NGN'),
      minimum: toWire(shown.settlementMinimum, 'NGN'),
      ...showPlanned(shown.planned),
    },
    balances: shown.balances.map(showSubaccountBalance),
    createdAt: toIsoText(shown.createdAt),
    closedAt: shown.closedAt && toIsoText(shown.closedAt),
  }
}

function showPlanned(planned: ShownSubaccount['planned']) {
  const { scheduledFor = null, lastRefusal = null, refusedAt = null } = planned ?? {}
  return {
    nextAt: scheduledFor && toIsoText(scheduledFor),
    lastRefusal:
      lastRefusal === null
        ? null
        : { message: lastRefusal, refusedAt: refusedAt && toIsoText(refusedAt) },
  }
}

export function showSubaccountBalance({
  asset,
  available,
  held,
  pending,
  owed,
}: SubaccountBalance): Static<typeof subaccountBalance> {
  return {
    asset,
    available: toWire(available, asset),
    held: toWire(held, asset),
    pending: toWire(pending, asset),
    owed: toWire(owed, asset),
  }
}

export function showTransfer(transfer: SubaccountTransfer): Static<typeof subaccountTransfer> {
  return {
    reference: toReference(prefixes.subaccountTransfer, transfer.id),
    from: showEnd(transfer.fromSubaccountId),
    to: showEnd(transfer.toSubaccountId),
    asset: transfer.asset,
    amount: toWire(transfer.amount, transfer.asset),
    note: transfer.note,
    createdAt: toIsoText(transfer.createdAt),
  }
}

function showEnd(subaccountId: string | null): string {
  return subaccountId === null ? 'merchant' : toReference(prefixes.subaccount, subaccountId)
}
