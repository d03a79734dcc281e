import type { EnvironmentId } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { column, Table } from '../../postgres/table.js'
import type { Destination } from '../ports.js'

export const recipientKinds = ['bank_account', 'wallet'] as const

export type RecipientKind = (typeof recipientKinds)[number]

export const recipientStatuses = ['ACTIVE', 'DISABLED'] as const

export type RecipientStatus = (typeof recipientStatuses)[number]

/** A bank account or wallet that a merchant saved to pay it repeatedly. */
export const recipients = new Table('recipients', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  kind: column.text<RecipientKind>(),
  /** Of a bank account, as are the next three. */
  bankCode: column.text().orNull(),
  bankName: column.text().orNull(),
  accountNumber: column.text().orNull(),
  /** As the bank reported it when the recipient was saved or enabled. */
  accountName: column.text().orNull(),
  /** Of a wallet. */
  address: column.text().orNull(),
  label: column.text().orNull(),
  metadata: column.jsonText(),
  status: column.text<RecipientStatus>(),
  /** When it was saved, or enabled again. */
  activeSince: column.time(),
  eventSequence: column.int4(),
  createdAt: column.time(),
})

export type Recipient = typeof recipients.row

/** With the completion of the first transfer to it since `activeSince`; null: none. */
export type ShownRecipient = Recipient & { firstPaidAt: Date | null }

export const recipientReference = ({ id }: Pick<Recipient, 'id'>): string =>
  toReference(prefixes.recipient, id)

/** The rail resolves the name of the bank account again. */
export function destinationOfRecipient(
  recipient: Recipient,
  narration: string | null,
): Destination {
  if (recipient.kind === 'wallet') return { kind: 'wallet', address: recipient.address! }
  return {
    kind: 'bank_account',
    bankCode: recipient.bankCode!,
    accountNumber: recipient.accountNumber!,
    bankName: '',
    accountName: '',
    narration,
  }
}
