import type { Environment } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import type { Code } from '../../base/refusals.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import type { Destination } from '../ports.js'
import { refuseRecipient } from './judge-recipient.js'
import { type Recipient, recipientReference } from './recipient.js'
import { findRecipientOf } from './store-recipients.js'

/** What a payout keeps of its saved recipient. */
export type ChosenRecipient = Pick<Recipient, 'id' | 'accountName'>

/**
 * The saved recipient of a destination, whose account or wallet the caller sent itself. Refuses a
 * disabled one. For an API key of a merchant who has saved none, nothing is queried.
 */
export async function findSavedRecipient(
  db: Queryable,
  environment: Environment,
  destination: Destination,
  code: Code,
): Promise<ChosenRecipient | null> {
  const { hasRecipients, keysMayWait } = environment
  // What is known of an API key is a second old: under a rule, that is not good enough.
  if (hasRecipients === false && keysMayWait !== true) return null
  const found = await findRecipientOf(db, environment.id, destination)
  if (!found) return null
  refuseDisabled(found, code)
  return found
}

export function refuseDisabled({ status, id }: Pick<Recipient, 'status' | 'id'>, code: Code): void {
  if (status !== 'DISABLED') return
  throw refuseRecipient(code, { reason: 'recipient_disabled', recipientId: id })
}

/** A refusal if the bank now names another holder than when the recipient was saved. */
export function findChangedName(
  recipient: ChosenRecipient | null | undefined,
  destination: Destination,
): Refusal | undefined {
  if (!recipient || destination.kind !== 'bank_account') return undefined
  if (destination.accountName === recipient.accountName) return undefined
  return new Refusal('bank_transfer_failed', {
    reason: 'name_changed',
    message: `The account of ${recipientReference(recipient)} now belongs to ${destination.accountName}, not to ${recipient.accountName}. Check with the recipient; if the new name is right, disable and enable the recipient.`,
  })
}
