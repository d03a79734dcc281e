import { bankOfSlug, findBank, type ListedBank } from './banks.js'
import type {
  Books,
  Customer,
  DedicatedAccount,
  FloatEntry,
  Recipient,
  Refund,
  Transaction,
  Transfer,
} from './books.js'

export const integration = 463_433

/** Shapes of rows in answers and notices. */
export function showCustomer(customer: Customer): object {
  return {
    id: customer.id,
    first_name: customer.firstName,
    last_name: customer.lastName,
    email: customer.email,
    customer_code: customer.code,
    phone: customer.phone,
    metadata: null,
    risk_action: 'default',
    international_format_phone: null,
  }
}

export function showOwnCustomer(customer: Customer): object {
  const createdAt = timeText(customer.createdAt)
  return {
    transactions: [],
    subscriptions: [],
    authorizations: [],
    ...showCustomer(customer),
    metadata: {},
    domain: 'test',
    integration,
    identified: customer.isIdentified,
    identifications: customer.isIdentified ? [{ country: 'NG', type: 'bank_account' }] : null,
    createdAt,
    updatedAt: createdAt,
    created_at: createdAt,
    updated_at: createdAt,
    total_transactions: 0,
    total_transaction_value: [],
  }
}

export function showDedicated(books: Books, account: DedicatedAccount): object {
  return {
    bank: showBankName(bankOfSlug(account.bankSlug)!),
    account_name: account.accountName,
    account_number: account.accountNumber,
    assigned: account.isAssigned,
    currency: 'NGN',
    metadata: null,
    split_config: null,
    // Stays true after deactivation.
    active: true,
    id: account.id,
    created_at: timeText(account.createdAt),
    updated_at: timeText(account.updatedAt),
    assignment: {
      integration,
      assignee_id: account.customerId,
      assignee_type: account.isAssigned ? 'Customer' : 'Integration',
      expired: false,
      account_type: 'PAY-WITH-TRANSFER-RECURRING',
      assigned_at: timeText(account.createdAt),
      expired_at: null,
    },
    customer: account.isAssigned
      ? showCustomer(books.customers.find('id', account.customerId)!)
      : undefined,
  }
}

export function showBankName({ name, id, slug }: ListedBank): object {
  return { name, id, slug }
}

export function showBank({ id, name, slug, code, isActive, isDeleted }: ListedBank): object {
  return {
    name,
    slug,
    code,
    longcode: '',
    gateway: null,
    pay_with_bank: false,
    supports_transfer: isActive,
    available_for_direct_debit: false,
    active: isActive,
    is_deleted: isDeleted,
    country: 'Nigeria',
    currency: 'NGN',
    type: 'nuban',
    id,
    createdAt: '2020-11-24T10:25:07.000Z',
    updatedAt: '2020-11-24T10:25:07.000Z',
  }
}

export type TransactionStatus = 'ongoing' | 'abandoned' | 'success' | 'reversed'

/** Unpaid charges are never `failed`; a fully refunded payment becomes `reversed`. */
export function statusOf({ paid, expiresAt }: Transaction, now: number): TransactionStatus {
  if (paid === null) return expiresAt !== null && now >= expiresAt ? 'abandoned' : 'ongoing'
  return paid.refunded >= paid.amount ? 'reversed' : 'success'
}

/** An unset `metadata` is written in three ways. */
export function showTransaction(
  books: Books,
  row: Transaction,
  given: { now: number; unset: '' | 0 | null },
): object {
  const { paid } = row
  const paidAt = paid === null ? null : timeText(paid.at)
  return {
    id: row.id,
    domain: 'test',
    status: statusOf(row, given.now),
    reference: row.reference,
    receipt_number: null,
    amount: Number(paid?.amount ?? row.requestedAmount),
    message: null,
    gateway_response: paid === null ? 'The transaction was not completed' : 'Approved',
    helpdesk_link: null,
    paid_at: paidAt,
    created_at: timeText(row.createdAt),
    channel: row.channel,
    currency: 'NGN',
    ip_address: null,
    metadata: row.metadata ?? given.unset,
    log: null,
    fees: paid === null ? null : Number(paid.fees),
    fees_split: null,
    authorization: paid === null ? {} : showAuthorization(books, row),
    customer: showCustomer(books.customers.find('id', row.customerId)!),
    plan: given.unset === '' ? null : {},
    plan_object: {},
    split: {},
    subaccount: {},
    order_id: null,
    paidAt,
    createdAt: timeText(row.createdAt),
    transaction_date: timeText(row.createdAt),
    requested_amount: Number(row.requestedAmount),
    pos_transaction_data: null,
    source: { type: 'api', source: 'merchant_api', entry_point: 'charge', identifier: null },
    fees_breakdown: null,
    connect: null,
  }
}

/** The sender's number is masked; only dedicated accounts name the receiving number. */
function showAuthorization(books: Books, row: Transaction): object {
  const { payer, at } = row.paid!
  const time = timeText(at)
  const isDedicated = row.channel === 'dedicated_nuban'
  const shared = {
    authorization_code: `AUTH_${row.id.toString(36)}`,
    bin: `${payer.accountNumber.slice(0, 3)}XXX`,
    last4: `X${payer.accountNumber.slice(-3)}`,
    exp_month: time.slice(5, 7),
    exp_year: time.slice(0, 4),
    channel: row.channel,
    card_type: 'transfer',
    bank: payer.bankName,
    country_code: 'NG',
    brand: 'Managed Account',
    reusable: false,
    signature: null,
    account_name: null,
    sender_country: 'NG',
    sender_bank: payer.bankName,
    sender_bank_account_number: mask(payer.accountNumber, isDedicated ? 4 : 3),
    sender_name: payer.name,
    narration: payer.narration,
  }
  if (!isDedicated) return shared
  const account = books.dedicated.find('accountNumber', row.accountNumber)!
  return {
    ...shared,
    receiver_bank_account_number: row.accountNumber,
    receiver_bank: bankOfSlug(account.bankSlug)!.name,
  }
}

function mask(accountNumber: string, shown: number): string {
  return 'X'.repeat(accountNumber.length - shown) + accountNumber.slice(-shown)
}

export function showRecipient(row: Recipient): object {
  return {
    active: true,
    createdAt: timeText(row.createdAt),
    currency: 'NGN',
    description: '',
    domain: 'test',
    email: null,
    id: row.id,
    integration,
    metadata: null,
    name: row.name,
    recipient_code: row.code,
    type: 'nuban',
    updatedAt: timeText(row.createdAt),
    is_deleted: false,
    isDeleted: false,
    details: {
      authorization_code: null,
      account_number: row.accountNumber,
      account_name: null,
      bank_code: row.bankCode,
      bank_name: findBank(row.bankCode)?.name ?? null,
    },
  }
}

/** The answer to the call that creates it, where `recipient` is a number. */
export function showNewTransfer(row: Transfer): object {
  return {
    ...sharedOfTransfer(row),
    transfersessionid: [],
    transfertrials: [],
    transferred_at: null,
    recipient: row.recipientId,
    createdAt: timeText(row.createdAt),
    updatedAt: timeText(row.updatedAt),
  }
}

/** `snake` writes created_at, as notices of failed and reversed transfers do. */
export function showTransfer(books: Books, row: Transfer, times: 'camel' | 'snake'): object {
  const createdAt = timeText(row.createdAt)
  const updatedAt = timeText(row.updatedAt)
  return {
    ...sharedOfTransfer(row),
    transferred_at: row.transferredAt === null ? null : timeText(row.transferredAt),
    recipient: showRecipient(books.recipients.find('id', row.recipientId)!),
    session:
      row.transferredAt === null
        ? { provider: null, id: null }
        : { provider: 'nip', id: `110006${row.transferredAt}${row.id}` },
    fee_charged: Number(row.fee),
    fees_breakdown: showStampDuty(row),
    gateway_response: row.failure,
    ...(times === 'camel'
      ? { createdAt, updatedAt }
      : { created_at: createdAt, updated_at: updatedAt }),
  }
}

/** Made up, but for the name of the field: Paystack does not publish how it shows the duty. */
function showStampDuty({ stampDuty }: Transfer): object[] | null {
  if (!stampDuty?.isShown) return null
  return [{ type: 'stamp_duty', amount: Number(stampDuty.debited) }]
}

function sharedOfTransfer(row: Transfer): object {
  return {
    amount: Number(row.amount),
    currency: 'NGN',
    domain: 'test',
    failures: null,
    id: row.id,
    integration,
    reason: row.reason,
    reference: row.reference,
    source: 'balance',
    source_details: null,
    status: row.status,
    titan_code: null,
    transfer_code: row.code,
    request: row.id + 207_736_199,
  }
}

/** The answer to the call that creates it, where `transaction` is an object. */
export function showNewRefund(books: Books, row: Refund): object {
  const transaction = books.transactions.find('id', row.transactionId)!
  const paidAt = timeText(transaction.paid!.at)
  return {
    ...sharedOfRefund(row),
    transaction: {
      id: transaction.id,
      domain: 'test',
      reference: transaction.reference,
      amount: Number(transaction.paid!.amount),
      paid_at: paidAt,
      channel: transaction.channel,
      currency: 'NGN',
      authorization: { exp_month: null, exp_year: null, account_name: null },
      customer: { international_format_phone: null },
      plan: {},
      subaccount: { currency: null },
      split: {},
      order_id: null,
      paidAt,
      pos_transaction_data: null,
      source: null,
      fees_breakdown: null,
    },
    deducted_amount: 0,
    fully_deducted: false,
  }
}

/** In lists and single reads `transaction` is a number. */
export function showRefund(books: Books, row: Refund): object {
  const transaction = books.transactions.find('id', row.transactionId)!
  const isProcessed = row.status === 'processed'
  return {
    ...sharedOfRefund(row),
    transaction: row.transactionId,
    dispute: null,
    settlement: null,
    deducted_amount: isProcessed ? Number(row.amount) : null,
    fully_deducted: isProcessed ? 1 : null,
    refunded_at: isProcessed ? timeText(row.updatedAt) : null,
    bank_reference: null,
    transaction_reference: transaction.reference,
    reason: row.status.toUpperCase(),
    customer: showCustomer(books.customers.find('id', transaction.customerId)!),
    refund_type: row.amount === transaction.paid!.amount ? 'full' : 'partial',
    transaction_amount: Number(transaction.paid!.amount),
    initiated_by: 'emulator@example.com',
    refund_channel: 'bank_transfer',
    session_id: null,
    collect_account_number: row.status === 'needs-attention',
  }
}

function sharedOfRefund(row: Refund): object {
  return {
    id: row.id,
    integration,
    domain: 'test',
    amount: Number(row.amount),
    currency: 'NGN',
    channel: null,
    refunded_by: 'emulator@example.com',
    expected_at: timeText(row.createdAt),
    customer_note: row.customerNote,
    merchant_note: row.merchantNote,
    status: row.status,
    createdAt: timeText(row.createdAt),
    updatedAt: timeText(row.updatedAt),
  }
}

export function showFloatEntry(row: FloatEntry): object {
  return {
    integration,
    domain: 'test',
    balance: Number(row.balance),
    currency: 'NGN',
    difference: Number(row.difference),
    reason: row.reason,
    model_responsible: row.model,
    model_row: row.row,
    id: row.id,
    createdAt: timeText(row.createdAt),
    updatedAt: timeText(row.createdAt),
  }
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
