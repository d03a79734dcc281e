import type pg from 'pg'
import type { Clock } from '../base/clock.js'
import type { Mode } from '../base/environment.js'
import type { Logger } from '../base/log.js'
import { createPublicFinder, type PublicSession } from '../checkout/find-public-sessions.js'
import { createSessionPreparation, type PrepareSession } from '../checkout/prepare-sessions.js'
import { type CollectionAccount, isWallet } from '../collections/account.js'
import {
  createNoticeLane,
  createPaymentLane,
  type NoticeLane,
  type PaymentLane,
} from '../collections/payment-lane.js'
import type { LocalnetPayers, SandboxPayers } from '../collections/ports.js'
import {
  type CollectionRails,
  createAccountPreparation,
  type PrepareAccount,
} from '../collections/prepare-accounts.js'
import { requeryAccount } from '../collections/requery-account.js'
import type { NewNotice, NoticeName } from '../collections/store-notices.js'
import type { Database } from '../postgres/database.js'
import { gather } from '../postgres/gather.js'
import type { OpenLane } from '../postgres/lane.js'
import {
  createWalletPreparation,
  type PrepareWallet,
  type WalletRails,
} from '../wallets/prepare-wallets.js'
import { pollSoon } from '../wallets/store-wallets.js'

type Tools = {
  db: Database
  connect: () => Promise<pg.Client>
  open?: OpenLane
  clock: Clock
  logger: Logger
  rails: CollectionRails
  customers: SandboxPayers | undefined
  wallets: WalletRails
  coinCustomers: LocalnetPayers | undefined
}

/** What the edge needs of this room. */
export type Collections = {
  rails: CollectionRails
  /** Those of the bank that simulates. */
  customers: SandboxPayers | undefined
  /** Those of the chain that simulates. */
  coinCustomers: LocalnetPayers | undefined
  order: PrepareAccount
  orderWallet: PrepareWallet
  /** Has a wallet looked at soon. */
  lookAtWallet(account: Pick<CollectionAccount, 'rail' | 'number'>): Promise<void>
  orderSession: PrepareSession
  /** For everyone who knows the reference; many at once in one question. */
  findSession(reference: string): Promise<PublicSession | undefined>
  /** Has the bank turn payers away, at once and without waiting for it. */
  closeNumber(account: CollectionAccount): void
  keepNotice(notice: NewNotice): Promise<NoticeName>
  takeNotice(name: NoticeName): Promise<unknown>
  /** At once, and without waiting for it. */
  takeSoon(name: NoticeName): void
  /**
   * Has the bank tell all payments into an account, and judges those that are new; or has a wallet
   * looked at soon.
   */
  requery(account: CollectionAccount, mode: Mode): Promise<void>
  lanes: { notices: Record<Mode, NoticeLane>; payments: Record<Mode, PaymentLane> }
}

export function openCollections(tools: Tools): Collections {
  const { db, clock, logger, rails, customers, wallets, coinCustomers } = tools
  const all = Object.values(rails).filter((rail) => rail !== undefined)
  const byName = new Map(all.map((rail) => [rail.name, rail]))
  const notices = { test: createNoticeLane(tools), live: createNoticeLane(tools) }
  const openPayments = () => createPaymentLane({ ...tools, rails: byName })
  const payments = { test: openPayments(), live: openPayments() }
  const orderAccount = createAccountPreparation({ db, rails })
  const lookAtWallet = ({ rail, number: wallet }: Pick<CollectionAccount, 'rail' | 'number'>) =>
    pollSoon(db, clock.now(), { rail, wallet })
  const orderWallet = createWalletPreparation({ db, wallets })
  return {
    rails,
    customers,
    coinCustomers,
    order: orderAccount,
    orderWallet,
    lookAtWallet,
    orderSession: createSessionPreparation({ db, orderAccount, orderWallet }),
    findSession: gather(createPublicFinder(db)),
    // Payers who come all the same are dealt with: a bank that fails here costs nothing.
    closeNumber: ({ rail, number }) => {
      const closed = byName.get(rail)?.closeAccounts([number])
      closed?.catch((error) => logger.warn({ err: error, number }, 'an account was not closed'))
    },
    keepNotice: (notice) => notices[notice.mode].run(notice),
    takeNotice: (name) => payments[name.mode].run(name),
    takeSoon: (name) => {
      payments[name.mode]
        .run(name)
        .catch((error) => logger.warn({ err: error, ...name }, 'judged later'))
    },
    requery: (account, mode) =>
      isWallet(account)
        ? pollSoon(db, clock.now(), {
            rail: account.rail,
            wallet: account.number,
            isThorough: true,
          })
        : requeryAccount(
            { rails, notices: notices[mode], payments: payments[mode] },
            account,
            mode,
          ),
    lanes: { notices, payments },
  }
}
