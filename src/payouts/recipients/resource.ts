import Type, { type Static } from 'typebox'
import { toIsoText } from '../../base/clock.js'
import { prefixes } from '../../base/ids.js'
import { type JsonText, withField } from '../../base/json-text.js'
import {
  accountName,
  accountNumber,
  bankCode,
  bankName,
  metadata,
  notYet,
  orNull,
  reference,
  resource,
  text,
  timestamp,
  walletAddress,
} from '../../base/shapes.js'
import {
  recipientKinds,
  recipientReference,
  recipientStatuses,
  type ShownRecipient,
} from './recipient.js'

export const recipient = resource('Recipient', {
  reference: reference(prefixes.recipient, 'Identifies the recipient.'),
  kind: Type.Enum([...recipientKinds], {
    description: '`bank_account`: it is paid in naira. `wallet`: it is paid in coins on Solana.',
    examples: ['bank_account'],
  }),
  status: Type.Enum([...recipientStatuses], {
    description: '`ACTIVE`: it can be paid. `DISABLED`: transfers to it are refused.',
    examples: ['ACTIVE'],
  }),
  bankCode: orNull(bankCode, 'Code of the bank; null for a wallet.'),
  bankName: orNull(bankName, 'Name of the bank; null for a wallet.'),
  accountNumber: orNull(accountNumber, 'Ten-digit account number; null for a wallet.'),
  accountName: orNull(
    accountName,
    'Name of the account holder, as the bank reported it when the recipient was saved or enabled. A transfer is refused if the bank reports another one. Null for a wallet.',
  ),
  address: notYet(walletAddress, 'Wallet address on Solana; null for a bank account.'),
  label: orNull(text('Ada, bakery', 'Your own name for the recipient.')),
  metadata,
  activeSince: timestamp('When it was saved, or enabled again. A cooling-off begins then.'),
  firstPaidAt: notYet(
    timestamp('When the first transfer since then arrived.'),
    'When the first transfer to it since `activeSince` arrived; null if none did.',
  ),
  createdAt: timestamp('When the recipient was saved.'),
})

export function showRecipient(shown: ShownRecipient): JsonText {
  const fields: Omit<Static<typeof recipient>, 'metadata'> = {
    reference: recipientReference(shown),
    kind: shown.kind,
    status: shown.status,
    bankCode: shown.bankCode,
    bankName: shown.bankName,
    accountNumber: shown.accountNumber,
    accountName: shown.accountName,
    address: shown.address,
    label: shown.label,
    activeSince: toIsoText(shown.activeSince),
    firstPaidAt: shown.firstPaidAt && toIsoText(shown.firstPaidAt),
    createdAt: toIsoText(shown.createdAt),
  }
  return withField(fields, 'metadata', shown.metadata)
}
