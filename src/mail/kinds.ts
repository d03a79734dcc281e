import type { Permission } from '../team/permissions.js'

/** Who gets a mail of a kind: payers, a user about their account, a team, or operators. */
type Audience = 'payer' | 'user' | 'team' | 'operators'

type Kind = {
  /** What the mail is for, in the list of mails and among a user's preferences. */
  title: string
  audience: Audience
  /** Members with this permission get it; for teams only. */
  permission?: Permission
  /** Whether users can switch it off for themselves. */
  isOptional: boolean
}

/** Every kind of mail. */
export const mailKinds = {
  receipt: { title: 'Receipt of a payment', audience: 'payer', isOptional: false },
  invoice: { title: 'Invoice', audience: 'payer', isOptional: false },
  invoice_reminder: { title: 'Reminder of an invoice', audience: 'payer', isOptional: false },
  claim: { title: 'Money to claim', audience: 'payer', isOptional: false },
  invitation: { title: 'Invitation to a team', audience: 'user', isOptional: false },
  sign_in: {
    title: 'Sign-in from a new browser or address',
    audience: 'user',
    isOptional: true,
  },
  approval_request: {
    title: 'Transfer that waits for your approval',
    audience: 'team',
    permission: 'payouts.approve',
    isOptional: true,
  },
  balance_low: {
    title: 'Balance below its threshold',
    audience: 'team',
    permission: 'payouts.create',
    isOptional: true,
  },
  webhook_endpoint_disabled: {
    title: 'Webhook endpoint disabled',
    audience: 'team',
    permission: 'developers.change',
    isOptional: true,
  },
  settlement_paid: {
    title: 'Settlement paid',
    audience: 'team',
    permission: 'business.see',
    isOptional: true,
  },
  operator_alert: {
    title: 'Alert for operators',
    audience: 'operators',
    isOptional: true,
  },
  test: { title: 'Test of the mail relay', audience: 'operators', isOptional: false },
} as const satisfies Record<string, Kind>

export type MailKind = keyof typeof mailKinds

export const mailKindNames = Object.keys(mailKinds) as MailKind[]

export const optionalKinds = mailKindNames.filter((kind) => mailKinds[kind].isOptional)

/** Kinds that go to members of a merchant's team. */
export type TeamMailKind = {
  [Name in MailKind]: (typeof mailKinds)[Name] extends { permission: Permission } ? Name : never
}[MailKind]
