import { strict as assert } from 'node:assert'
import type { NewEvent } from '../../events/emit.js'
import type { LedgerAccountKey } from '../../ledger/accounts.js'
import type { Book } from '../../ledger/book.js'
import { lockLedgerAccounts } from '../../ledger/lock-accounts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { toPostedEvent } from '../../subaccounts/shares/posted-split.js'
import type { Share } from '../../subaccounts/shares/share.js'
import {
  type AcceptedPart,
  accountsOfSplit,
  findClosed,
  sharePart,
} from '../../subaccounts/shares/share-payment.js'
import type { Split } from '../../subaccounts/splits/split.js'
import { findSplits } from '../../subaccounts/splits/store-splits.js'
import { accountReference } from '../accounts/account.js'
import type { Payment } from './payment.js'

/** The part of a payment that is accepted after others, with what was accepted before. */
export type LaterPart = Pick<AcceptedPart, 'part' | 'accepted' | 'fee' | 'earlier' | 'now'>

/** The splits of the payments of one transaction. */
export class PaymentSplits {
  readonly #tx: Tx
  readonly #splits: ReadonlyMap<string, Split>
  readonly #payments: Payment[]
  #closed: ReadonlySet<string> = new Set()
  readonly #events: NewEvent[] = []

  constructor(tx: Tx, splits: ReadonlyMap<string, Split>, payments: Payment[]) {
    this.#tx = tx
    this.#splits = splits
    this.#payments = payments
  }

  /** Locks these ledger accounts, and those that shares change. */
  async lock(keys: LedgerAccountKey[]): Promise<Book> {
    const changed = this.#payments.flatMap((payment) => {
      const split = this.#splitOf(payment)
      return split ? [accountsOfSplit(split, payment)] : []
    })
    const book = await lockLedgerAccounts(
      this.#tx,
      [...keys, ...changed.flatMap((accounts) => accounts.keys)],
      changed.flatMap((accounts) => accounts.ifAny),
    )
    if (changed.length > 0) {
      const environmentIds = [...new Set(this.#payments.map(({ environmentId }) => environmentId))]
      this.#closed = await findClosed(this.#tx, environmentIds, [...this.#splits.values()])
    }
    return book
  }

  /** The shares of what was accepted of a payment: of all of it, or of a later part. */
  share(payment: Payment, later?: LaterPart): Share[] {
    const split = this.#splitOf(payment)
    const accepted = later?.accepted ?? payment.amountAccepted
    if (!split || accepted === 0n) return []
    const part: AcceptedPart = {
      environmentId: payment.environmentId,
      paymentId: payment.id,
      asset: payment.asset,
      part: 0,
      accepted,
      fee: payment.fee,
      earlier: { accepted: 0n, shares: [] },
      now: payment.createdAt,
      ...later,
      paidAt: payment.receivedAt,
    }
    const shares = sharePart(split, this.#closed, part)
    const { source: kind, accountId: id } = payment
    if (shares.length > 0)
      this.#events.push(toPostedEvent(split, part, shares, accountReference({ kind, id })))
    return shares
  }

  /** One for each payment or part that was shared. */
  events(): NewEvent[] {
    return this.#events
  }

  #splitOf({ splitId }: Payment): Split | undefined {
    if (splitId === null) return undefined
    const split = this.#splits.get(splitId)
    assert(split, `split ${splitId} of an account exists`)
    return split
  }
}

export async function openSplits(tx: Tx, judged: { payment: Payment }[]): Promise<PaymentSplits> {
  const payments = judged.map(({ payment }) => payment)
  const names = new Map<string, { environmentId: Payment['environmentId']; id: string }>()
  for (const { environmentId, splitId } of payments)
    if (splitId !== null) names.set(splitId, { environmentId, id: splitId })
  const splits = await findSplits(tx, [...names.values()])
  return new PaymentSplits(tx, splits, payments)
}
