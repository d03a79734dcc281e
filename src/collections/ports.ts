import type { Outcome } from '../refusal.js'

/** What a bank is asked to open. The reference is ours: asked for again, it is the same number. */
export type AccountOrder = {
  reference: string
  /** Whose the account is said to be. */
  name: string
  /** How the merchant names what it is for. */
  purpose: string
  /** Null: any amount, for ever. */
  expected: { amount: bigint; expiresAt: Date } | null
}

export type OpenedAccount = {
  number: string
  accountName: string
  bankCode: string
  bankName: string
}

/** Who sent the money, as far as the bank tells. A masked number shows its last digits only. */
export type BankSender = {
  name: string
  accountNumber: string
  bankCode: string
  bankName: string
}

/** A payment that a bank speaks of. Nothing in it has been judged. */
export type Announced = {
  /** The bank's own name for the payment. */
  id: string
  accountNumber: string
  /** In the smallest unit of the currency; banks have announced zero and less. */
  amount: bigint
  currency: string
  sender: BankSender | null
  sessionId: string | null
  narration: string | null
  /** When the bank had the money, not when it told us. */
  receivedAt: Date
}

/** A message at the door: nothing is known of it but its bytes. */
export type Message = { headers: Record<string, string | string[] | undefined>; body: string }

/** What a message turned out to be. Only `announced` is kept. */
export type ReadMessage =
  | { kind: 'announced'; announced: Announced }
  /** From the bank for certain, but about nothing that concerns payments. */
  | { kind: 'beside_the_point' }
  /** Not from the bank, or not for certain. */
  | { kind: 'not_genuine' }

/** Where a bank collects money for us. Every number it opens is one account for ever. */
export interface CollectionRail {
  readonly name: string
  /** In the order of the list; each is refused alone. Repeatable by reference. */
  openAccounts(orders: AccountOrder[]): Promise<Outcome<OpenedAccount>[]>
  /** From then on the bank may turn payers away. Repeatable; money may still be on its way. */
  closeAccounts(numbers: string[]): Promise<void>
  readMessage(message: Message): ReadMessage
  /** Every payment into this account that the bank has, also those it failed to announce. */
  findPayments(accountNumber: string): Promise<Announced[]>
  /** Everything that came in a time, a page at a time, for reconciliation. */
  listPayments(period: {
    from: Date
    to: Date
    after: string | undefined
  }): Promise<{ payments: Announced[]; next: string | null }>
  /**
   * Whether the bank can send a payment back by its own id: the only way where it masks the number
   * of the sender.
   */
  readonly refundsById: boolean
}

/** A customer pays in. */
export type CustomerPayment = {
  /** Given by whoever orders: given again, nothing happens. */
  id: string
  accountNumber: string
  /** In the smallest unit. Banks have announced zero and less. */
  amount: bigint
  /** NGN unless it is said. */
  currency?: string
  /** What is not said of the sender is made up; null: the bank does not know who it was. */
  sender?: Partial<BankSender> | null
  isSenderMasked?: boolean
  narration?: string
  paidAt: Date
  /** How often the notice is sent. */
  copies: number
  delayMs?: number
  /** It is never announced: only who asks finds it. */
  isSilent?: boolean
}

/** A bank of test mode, at which a tester plays the customer. */
export interface Customers {
  /**
   * A customer pays in, also into a closed account: the money was on its way. Answers what the bank
   * has under the id; undefined: it has no such account.
   */
  receivePayment(payment: CustomerPayment): Promise<Announced | undefined>
  /** Sends what is due of this payment's notices, and waits until all were answered. */
  announceNow(paymentId: string): Promise<void>
}
