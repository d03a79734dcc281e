/**
 * What a field means wherever it appears. A schema's own description comes first; these are for
 * fields whose schema has none. `parent.name` describes a field of one object only, `name` of all.
 */
const descriptions: Record<string, string> = {
  accountName: 'Name of the account holder, as the bank knows it.',
  accountNumber: 'Ten-digit account number (NUBAN).',
  action: '`accept` keeps the held amount, `return` sends it back.',
  asset: 'The currency or stablecoin of the amounts.',
  bankCode: 'Code of the bank, as listed by `GET /v1/banks`.',
  bankName: 'Name of the bank.',
  cancelUrl: 'Where the page sends a payer who gives up.',
  checkout: 'How your checkout pages look and where they may be framed.',
  currency: 'The currency of the amounts.',
  customer: 'The customer, as you named them.',
  duplicatePayment: 'What happens to a second payment into an account that is already paid.',
  email: 'E-mail address of the customer.',
  fee: 'Fee charged in addition to the amount.',
  items: 'The items of this page, newest first.',
  latePayment: 'What happens to a payment that arrives after the expiry.',
  lines: 'The parts of the fee.',
  lowBalance: 'Balances below which `balance.low` is sent. Null turns it off.',
  message: 'Short text for people: what happened.',
  mode: '`test` or `live`, as selected by the key.',
  narration: 'Text that accompanies the transfer at the bank.',
  network: 'The chain that carries the coins.',
  nextCursor: 'Send it as `cursor` for the next page. Null on the last page.',
  outcome: 'The outcome that the simulated bank or chain reports.',
  overpayment: 'What happens to the part of a payment above the requested amount.',
  paymentMethods: 'Payment methods offered to payers.',
  phone: 'Phone number of the customer, with or without country code.',
  policies: 'What happens to payments that do not match what was requested.',
  sender: 'Who pays, as the bank reports it. By default a made-up person.',
  sessionId: 'Identifies the transfer at the bank (NIP session).',
  settlement: 'Automatic payouts of available naira to your primary bank account or wallet.',
  successUrl: 'Where the page sends a payer who has paid.',
  totalDebit: 'Amount plus fee: what leaves your available balance.',
  underpayment: 'What happens to a payment of less than the requested amount.',
  url: 'URL that receives the events. Live endpoints need `https`.',
  'Fee.description': 'What the fee is charged for.',
  'Bank.code': 'Code to send as `bankCode`.',
  'Bank.name': 'Name of the bank.',
  'CheckoutSession.merchant': 'Who is paid, as shown to the payer.',
  'Profile.merchant': 'The merchant of the key.',
  'PublicCheckoutSession.merchant': 'Who is paid, as shown to the payer.',
  'Refusal.code': 'The kind of error, for your program.',
  'Refusal.details': 'The fields that are wrong.',
  'Refusal.nextStep': 'What to do about it.',
  'Refusal.requestId': 'Identifies the request in request logs and support questions.',
  'Refusal.status': 'False: the request was refused or failed.',
  'customer.name': 'Name of the customer.',
  'details.field': 'Path of the field, such as `customer.email`.',
  'details.issue': 'What is wrong with it.',
  'lines.amount': 'The amount of this part.',
  'lines.operation': 'What this part of the fee is charged for.',
  fees: 'The fee of each operation.',
  'approvals.NGN': 'Limits in kobo. Null: no rule.',
  'approvals.USDC': 'Limits as decimal amounts of USDC. Null: no rule.',
  'approvals.USDT': 'Limits as decimal amounts of USDT. Null: no rule.',
  'lowBalance.NGN': 'In kobo.',
  'lowBalance.USDC': 'A decimal amount of USDC.',
  'lowBalance.USDT': 'A decimal amount of USDT.',
  'paymentMethods.bankTransfer': 'Whether payers can pay by bank transfer.',
  'paymentMethods.crypto': 'Whether payers can pay in stablecoins.',
  'policies.bank': 'For payments by bank transfer.',
  'policies.crypto': 'For payments in stablecoins.',
  data: 'The result.',
  description: 'Text for people: what is paid for, or what the endpoint is for.',
  status: 'The current state.',
  type: 'The event type. Ignore types that you do not know.',
}
/** The envelope has no title to name it by. */
const envelopeStatus = 'True: the request succeeded.'

type Schema = {
  title?: string
  description?: string
  enum?: unknown[]
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  $ref?: string
}

/** Describes every field without a description, in place. */
export function describeFields(node: unknown, parent = ''): void {
  if (typeof node !== 'object' || node === null) return
  const { properties = {}, title = parent } = node as Schema
  for (const [name, field] of Object.entries(properties)) {
    if (isDescribed(field)) continue
    const isEnvelope = title !== 'Refusal' && field.enum?.[0] === true
    const found = descriptions[`${title}.${name}`] ?? descriptions[name]
    const description = isEnvelope ? envelopeStatus : found
    if (description !== undefined) field.description = description
  }
  for (const [name, child] of Object.entries(node)) {
    // Examples are data, not schemas.
    if (name === 'example' || name === 'examples') continue
    describeFields(child, schemaWords.test(name) ? title : name)
  }
}

/** Steps between a field and the schema of its value. */
const schemaWords = /^(properties|items|anyOf|oneOf|\d)$/

/** A named schema is described by itself. */
export function isDescribed({ description, $ref, anyOf = [] }: Schema): boolean {
  return Boolean(description ?? $ref) || anyOf.some(isDescribed)
}
