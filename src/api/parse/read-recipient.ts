import Type from 'typebox'
import type { Environment } from '../../base/environment.js'
import { prefixes } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { invalidField } from '../../base/refusal.js'
import type { Code } from '../../base/refusals.js'
import { referenceSample } from '../../base/shapes.js'
import type { Destination } from '../../payouts/ports.js'
import {
  type ChosenRecipient,
  findSavedRecipient,
  refuseDisabled,
} from '../../payouts/recipients/choose-recipient.js'
import {
  destinationOfRecipient,
  type Recipient,
  type RecipientKind,
} from '../../payouts/recipients/recipient.js'
import { getRecipient } from '../../payouts/recipients/store-recipients.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { accountNumberPattern, bankCodePattern } from './schemas.js'

export const bankCodeIn = Type.String({
  pattern: bankCodePattern,
  description: 'Code of the bank, as listed by `GET /v1/banks`.',
  examples: ['058'],
})

export const accountNumberIn = Type.String({
  pattern: accountNumberPattern,
  description: 'Ten-digit account number.',
  examples: ['0123456789'],
})

/** In the body of what can be paid to a saved recipient. The examples name the account itself. */
export const recipientIn = (what: string, instead: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.names.length,
      'x-left-out': true,
      description: `Reference of a saved recipient that is a ${what}. Send it instead of ${instead}.`,
      examples: [referenceSample(prefixes.recipient)],
    }),
  )

export type RecipientChoice = {
  recipient: string | undefined
  /** Name the destination, if no recipient is sent. */
  fields: Record<string, string | undefined>
  /** Allowed only with these. */
  others?: Record<string, string | undefined>
}

export const notWithRecipient = 'cannot be sent with `recipient`'

/** An issue of a body that names a recipient and a destination, or neither. */
export function findChoiceIssue({
  recipient,
  fields,
  others = {},
}: RecipientChoice): { field: string; issue: string } | undefined {
  if (recipient === undefined) {
    const missing = Object.keys(fields).find((name) => fields[name] === undefined)
    if (missing === undefined) return undefined
    return { field: missing, issue: 'is required, unless you send `recipient`' }
  }
  const both = Object.entries({ ...fields, ...others }).find(([, value]) => value !== undefined)
  return both && { field: both[0], issue: notWithRecipient }
}

/** Whether a saved recipient is named. Refuses both, and neither. */
export function isByRecipient(choice: RecipientChoice): boolean {
  const found = findChoiceIssue(choice)
  if (found) throw invalidField(found.field, found.issue)
  return choice.recipient !== undefined
}

/** Where a payout goes, as the caller sent it: a saved recipient, or a destination. */
export type PayoutTarget = { code: Code } & (
  | { reference: string; kind: RecipientKind; narration: string | null }
  | { destination: Destination }
)

/**
 * The destination of a payout with its saved recipient, also if the caller sent the account or
 * wallet itself. Throws refusals.
 */
export async function choosePayoutDestination(
  db: Queryable,
  environment: Environment,
  target: PayoutTarget,
): Promise<{ destination: Destination; recipient: ChosenRecipient | null }> {
  const { code } = target
  if ('destination' in target) {
    const { destination } = target
    const recipient = await findSavedRecipient(db, environment, destination, code)
    return { destination, recipient }
  }
  const { reference, kind, narration } = target
  const recipient = await getRecipient(db, { environmentId: environment.id, reference })
  const issue = findKindIssue(recipient, kind)
  if (issue !== undefined) throw invalidField('recipient', issue)
  refuseDisabled(recipient, code)
  return { destination: destinationOfRecipient(recipient, narration), recipient }
}

export function findKindIssue({ kind }: Recipient, wanted: RecipientKind): string | undefined {
  if (kind === wanted) return undefined
  return wanted === 'wallet'
    ? 'must be a wallet: this one is a bank account'
    : 'must be a bank account: this one is a wallet'
}

type AccountOrWallet = {
  bankCode?: string | undefined
  accountNumber?: string | undefined
  address?: string | undefined
}

/** The bank account or wallet that a body names. Refuses both, and neither. */
export function readAccountOrWallet({
  bankCode,
  accountNumber,
  address,
}: AccountOrWallet):
  | { kind: 'bank_account'; bankCode: string; accountNumber: string }
  | { kind: 'wallet'; address: string } {
  const isAccount = bankCode !== undefined || accountNumber !== undefined
  if (address !== undefined) {
    if (isAccount)
      throw invalidField('address', 'cannot be sent with `bankCode` or `accountNumber`')
    return { kind: 'wallet', address }
  }
  if (!isAccount)
    throw invalidField('bankCode', 'is required with `accountNumber`, unless you send `address`')
  if (bankCode === undefined) throw invalidField('bankCode', 'is required with `accountNumber`')
  if (accountNumber === undefined)
    throw invalidField('accountNumber', 'is required with `bankCode`')
  return { kind: 'bank_account', bankCode, accountNumber }
}
