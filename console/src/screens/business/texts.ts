/** Verbs of actions, as a line of the log begins with them. */
const verbs: Record<string, string> = {
  accept: 'Accepted',
  add: 'Added',
  advance: 'Advanced',
  approve: 'Approved',
  ask: 'Asked for',
  cancel: 'Cancelled',
  change: 'Changed',
  close: 'Closed',
  confirm: 'Confirmed',
  create: 'Created',
  credit: 'Credited',
  deactivate: 'Deactivated',
  decide: 'Decided',
  delete: 'Deleted',
  deposit: 'Deposited',
  disable: 'Disabled',
  end: 'Ended',
  erase: 'Erased',
  export: 'Exported',
  finalize: 'Finalized',
  freeze: 'Froze',
  fund: 'Funded',
  invite: 'Invited',
  make: 'Made',
  pay: 'Paid',
  recover: 'Recovered events of',
  redeliver: 'Sent again',
  refund: 'Refunded',
  reject: 'Rejected',
  remove: 'Removed',
  reopen: 'Reopened',
  requery: 'Checked',
  resolve: 'Decided',
  resume: 'Resumed',
  reveal: 'Revealed',
  revoke: 'Revoked',
  roll: 'Rolled',
  rotate: 'Rotated',
  save: 'Saved',
  send: 'Sent',
  set: 'Set',
  settle: 'Settled',
  submit: 'Submitted',
  suspend: 'Suspended',
  take: 'Took',
  test: 'Tested',
  thaw: 'Thawed',
  upload: 'Uploaded',
  use: 'Used',
  view: 'Viewed',
  void: 'Voided',
  withdraw: 'Withdrew',
  write: 'Wrote',
}

const nouns: Record<string, string> = {
  api_key: 'API key',
  kyc: 'KYC',
  kyc_document: 'KYC document',
  test_clock: 'test clock',
}

/** Actions to filter by, the frequent ones first. */
export const filterActions = [
  'bank_transfer.create',
  'crypto_transfer.create',
  'payment.refund',
  'payment.resolve',
  'checkout_session.create',
  'payments.export',
  'settings.change',
  'api_key.create',
  'api_key.roll',
  'api_key.revoke',
  'api_key.reveal',
  'bank_account.add',
  'webhook_endpoint.create',
  'webhook_endpoint.change',
  'webhook_endpoint.delete',
  'webhook_secret.rotate',
] as const

/** Actions that a verb and a noun do not say well. */
const sentences: Record<string, string> = {
  'case.create': 'Opened a case',
  'case_items.add': 'Added to a case',
  'case_items.remove': 'Removed from a case',
  'merchant.view': 'Operator viewed this merchant',
  'sign_in.fail': 'Failed to sign in',
  'sign_in.lock_out': 'Locked out after failed sign-ins',
  'step_up.fail': 'Failed to confirm',
  'step_up.lock_out': 'Signed out after failed confirmations',
  'team.change': 'Changed a member',
  'team.end_sessions': 'Signed a member out',
  'team.invite': 'Invited a person',
  'team.join': 'Joined the team',
  'team.password_link': 'Made a password link for a member',
  'team.password_reset': 'Set a new password with a link',
  'team.withdraw': 'Withdrew an invitation',
  'team.withdraw_link': 'Withdrew a password link',
  'totp.remove': 'Removed authenticator app',
}

/** `bank_transfer.create` → `Created bank transfer`; with an unknown verb, `Bank transfer: verb`. */
function describeAction(action: string): string {
  const sentence = sentences[action]
  if (sentence !== undefined) return sentence
  const [noun = action, verb = ''] = action.split('.')
  const words = nouns[noun] ?? noun.replaceAll('_', ' ')
  const begin = verbs[verb]
  if (begin !== undefined) return `${begin} ${words}`
  const start = words.charAt(0).toUpperCase() + words.slice(1)
  return verb === '' ? start : `${start}: ${verb.replaceAll('_', ' ')}`
}

type LineFacts = {
  money: string
  /** The part of the money that was asked for. */
  part: string | undefined
  /** Who gets the money, and their bank. Empty: not recorded. */
  to: string
  payer: string
  batch: string
  reason: string
  isReturn: boolean
  isProposed: boolean
  email: string
  role: string
}

const toSomebody = ({ to }: LineFacts) => (to === '' ? '' : ` to ${to}`)
const fromSomebody = ({ payer }: LineFacts) => (payer === '' ? '' : ` from ${payer}`)
const because = ({ reason }: LineFacts) => (reason === '' ? '' : `: ${reason}`)
const ofPayout = (verb: string) => (facts: LineFacts) =>
  `${verb} a payout of ${facts.money}${toSomebody(facts)}${because(facts)}`
const ofBatch = (verb: string) => (facts: LineFacts) =>
  `${verb} the batch ${facts.batch} of ${facts.money}${because(facts)}`
const ofPayment = (facts: LineFacts) => `a payment of ${facts.money}${fromSomebody(facts)}`

/** Lines that name the money, by action. */
const ofMoney: Record<string, (facts: LineFacts) => string> = {
  'bank_transfer.create': ofPayout('Created'),
  'crypto_transfer.create': ofPayout('Created'),
  'disbursement.approve': ofPayout('Approved'),
  'disbursement.reject': ofPayout('Rejected'),
  'payout_batch.create': ofBatch('Uploaded'),
  'payout_batch.submit': ofBatch('Submitted'),
  'payout_batch.approve': ofBatch('Approved'),
  'payout_batch.reject': ofBatch('Rejected'),
  'payout_batch.cancel': ofBatch('Cancelled'),
  'payout_batch.retry': ofBatch('Retried'),
  'payment.refund': (facts) => `Refunded ${facts.part ?? 'part'} of ${ofPayment(facts)}`,
  'payment.resolve': (facts) =>
    `${facts.isReturn ? 'Returned' : 'Accepted'} the held money of ${ofPayment(facts)}`,
  'checkout_session.create': ({ money }) => `Created a one-time link of ${money}`,
  'checkout_session.cancel': ({ money }) => `Cancelled a one-time link of ${money}`,
  'virtual_account.create': ({ money }) => `Created a virtual account for ${money}`,
  'conversion.create': ({ money }) => `Converted ${money}`,
  'settlement.create': (facts) => `Settled ${facts.money}${toSomebody(facts)}`,
}

/** Lines about freezes, by action. */
const ofFreezes: Record<string, (facts: LineFacts) => string> = {
  'payouts.freeze': (facts) => `Froze payouts${because(facts)}`,
  'payouts.thaw': ({ isProposed }) => (isProposed ? 'Asked to thaw payouts' : 'Thawed payouts'),
}

/** Lines about members, by action. */
const ofPeople: Record<string, (facts: LineFacts) => string> = {
  'team.change': ({ email }) => `Changed the access of ${email}`,
  'team.end_sessions': ({ email }) => `Signed ${email} out`,
  'team.invite': ({ email, role }) => `Invited ${email} as ${role}`,
  'team.password_link': ({ email }) => `Made a password link for ${email}`,
  'team.withdraw': ({ email }) => `Withdrew the invitation of ${email}`,
  'team.withdraw_link': ({ email }) => `Withdrew the password link of ${email}`,
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}

function ago(elapsedMs: number): string {
  const minutes = Math.floor(elapsedMs / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${count(minutes, 'minute')} ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${count(hours, 'hour')} ago` : `${count(Math.floor(hours / 24), 'day')} ago`
}

export const auditTexts = {
  title: 'Audit log',
  caption: 'Audit lines, newest first',
  action: describeAction,
  ofMoney,
  ofFreezes,
  ofPeople,
  verified: (elapsedMs: number) => `Verified ${ago(elapsedMs)}`,
  notVerified: 'Not verified yet',
  isWhole: (lines: number) => `All ${count(lines, 'line')} are as they were written.`,
  isNewest: (lines: number) => `The newest ${count(lines, 'line')} are as they were written.`,
  broken: 'The log was changed',
  brokenText: (fault: string) =>
    `A proof failed: ${fault}. Tell the operator of this installation, and keep your exports.`,
  chain: (lines: number) =>
    `${count(lines, 'line')}, each with the hash of the one before. An edited or removed line breaks the chain.`,
  head: 'Newest hash',
  verify: 'Verify',
  person: 'Person',
  what: 'Action',
  period: 'Time',
  columns: {
    number: 'No.',
    time: 'Time',
    person: 'Person',
    action: 'Action',
    subject: 'Subject',
    address: 'Address',
    details: 'Details',
  },
  show: 'Details',
  hide: 'Hide',
  request: 'Request',
  session: 'Session',
  hash: 'Hash',
  before: 'Before',
  after: 'After',
  sent: 'Technical record',
  empty: 'No changes yet. Changes made in the console appear here.',
  emptyFiltered: 'No line matches these filters.',
  onlyOwn: 'Your role shows what you did yourself.',
  file: 'audit-lines.csv',
}
