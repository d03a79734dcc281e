/** Verbs of actions, as a line of the log begins with them. */
const verbs: Record<string, string> = {
  accept: 'Accepted',
  add: 'Added',
  advance: 'Advanced',
  approve: 'Approved',
  ask: 'Asked for',
  cancel: 'Cancelled',
  change: 'Changed',
  confirm: 'Confirmed',
  create: 'Created',
  deactivate: 'Deactivated',
  decide: 'Decided',
  delete: 'Deleted',
  deposit: 'Deposited',
  disable: 'Disabled',
  end: 'Ended',
  export: 'Exported',
  fund: 'Funded',
  invite: 'Invited',
  make: 'Made',
  pay: 'Paid',
  recover: 'Recovered events of',
  redeliver: 'Sent again:',
  refund: 'Refunded',
  reject: 'Rejected',
  requery: 'Checked',
  resolve: 'Decided',
  resume: 'Resumed',
  reveal: 'Revealed',
  revoke: 'Revoked',
  roll: 'Rolled',
  rotate: 'Rotated',
  save: 'Saved',
  set: 'Set',
  settle: 'Settled',
  submit: 'Submitted',
  suspend: 'Suspended',
  take: 'Took',
  test: 'Tested',
  upload: 'Uploaded',
  use: 'Used',
  view: 'Viewed',
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
  'merchant.view': 'Operator viewed this merchant',
  'passkey.remove': 'Removed passkey',
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

/** `bank_transfer.create` → `Created bank transfer`; an unknown verb stays as it is. */
function describeAction(action: string): string {
  const sentence = sentences[action]
  if (sentence !== undefined) return sentence
  const [noun = action, verb] = action.split('.')
  const words = nouns[noun] ?? noun.replaceAll('_', ' ')
  const begin = verb === undefined ? undefined : verbs[verb]
  return begin === undefined ? action : `${begin} ${words}`
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

export const audit = {
  title: 'Audit log',
  caption: 'Audit lines, newest first',
  action: describeAction,
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
  sent: 'Recorded',
  empty: 'No changes yet. Changes made in the console appear here.',
  emptyFiltered: 'No line matches these filters.',
  onlyOwn: 'Your role shows what you did yourself.',
  file: 'audit-lines.csv',
}
