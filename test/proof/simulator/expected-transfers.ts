import type { BankTransfer, SimulatedBank } from './bank.js'
import type { SimulatedChain } from './chain.js'
import type { Violations } from './violations.js'

/** What a merchant asked for, or what the rules say about money that goes back. */
type ExpectedTransfer = {
  asset: string
  amount: bigint
  /** More than one: it is unknown outside which of several requests it carries out. */
  recipients: string[]
}

/** A bank account as recipients are compared; a wallet is compared by its address. */
export function bankRecipient(account: { bankCode: string; accountNumber: string }): string {
  return `${account.bankCode} ${account.accountNumber}`
}

/** What bank and chain may transfer, by our reference. */
export class ExpectedTransfers {
  readonly #byReference = new Map<string, ExpectedTransfer>()

  expect(reference: string, transfer: ExpectedTransfer): void {
    this.#byReference.set(reference, transfer)
  }

  compare(bank: SimulatedBank, chain: SimulatedChain, violations: Violations): void {
    const carriedOut = [
      ...[...bank.transfers].map(([reference, { amount, ...transfer }]) => ({
        reference,
        asset: 'NGN',
        amount,
        recipient: recipientOf(transfer),
      })),
      ...[...chain.payouts].map(([reference, { asset, amount, address }]) => ({
        reference,
        asset,
        amount,
        recipient: address,
      })),
    ]
    for (const { reference, asset, amount, recipient } of carriedOut) {
      const expected = this.#byReference.get(reference)
      if (!expected) {
        violations.report(`${reference} is at the rail, and was not asked for`)
        continue
      }
      violations.expectEqual(
        `amount of ${reference} at the rail`,
        { asset: expected.asset, amount: expected.amount },
        { asset, amount },
      )
      if (!expected.recipients.includes(recipient))
        violations.report(`${reference} went to ${recipient}, not to ${expected.recipients}`)
    }
  }
}

/** A refund by the id of the payment names no account. */
function recipientOf({
  refundOf,
  ...account
}: Pick<BankTransfer, 'refundOf' | 'bankCode' | 'accountNumber'>) {
  return refundOf === null ? bankRecipient(account) : `the sender of ${refundOf}`
}
