import type pg from 'pg'
import { after, type Clock, toEnvironmentTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import type { Seal } from '../../base/sealed.js'
import {
  createPublicSessionFinder,
  type PublicSession,
} from '../../checkout/find-public-sessions.js'
import { createSessionPreparation, type PrepareSession } from '../../checkout/prepare-sessions.js'
import { type CollectionAccount, isWallet } from '../../collections/accounts/account.js'
import {
  createAccountPreparation,
  type PrepareAccount,
} from '../../collections/accounts/prepare-accounts.js'
import { requeryAccount } from '../../collections/accounts/requery-account.js'
import { confirmHint } from '../../collections/notices/confirm-hints.js'
import {
  createJudgingLane,
  createNoticeLane,
  type JudgingLane,
  type NoticeLane,
} from '../../collections/notices/notice-lanes.js'
import { hintKey, type NewHint, storeHints } from '../../collections/notices/store-hints.js'
import type { NewNotice, NoticeName } from '../../collections/notices/store-notices.js'
import { createPaymentLog } from '../../collections/payments/log-payments.js'
import type { BankRail, LocalnetPayers, SandboxPayers } from '../../collections/ports.js'
import type { Rails } from '../../collections/rails.js'
import { markOpened } from '../../collections/sessions/store-sessions.js'
import type { Coin } from '../../money/assets.js'
import type { Database } from '../../postgres/database.js'
import { leaseLimits } from '../../postgres/limits.js'
import { gather } from '../../postgres/transactions/gather.js'
import type { OpenLane } from '../../postgres/transactions/lane.js'
import type { Turns } from '../../postgres/transactions/turns.js'
import type { RateBook } from '../../rates/rate-book.js'
import type { Screening } from '../../screening/ports.js'
import { createWalletPreparation, type PrepareWallet } from '../../wallets/prepare-wallets.js'
import { pollSoon } from '../../wallets/store-wallets.js'

type CollectionDependencies = {
  db: Database
  seal: Seal
  connect: () => Promise<pg.Client>
  open?: OpenLane
  turns?: Record<Mode, Turns>
  clock: Clock
  logger: Logger
  rails: Rails
  sandboxPayers: SandboxPayers | undefined
  localnetPayers: LocalnetPayers | undefined
  rates: RateBook
  screening?: Screening | undefined
}

export type Collections = {
  /** Simulated payers of the sandbox bank. */
  sandboxPayers: SandboxPayers | undefined
  /** Simulated payers of the localnet. */
  localnetPayers: LocalnetPayers | undefined
  prepareAccount: PrepareAccount
  prepareWallet: PrepareWallet
  prepareSession: PrepareSession
  /** Has a worker poll the wallet soon. */
  pollWalletSoon(account: Pick<CollectionAccount, 'rail' | 'number'>): Promise<void>
  /** Public: the reference alone gives access. Concurrent calls share one query. */
  findPublicSession(reference: string): Promise<PublicSession | undefined>
  /** Address of a coin on the chain of this mode, if one is configured. */
  mintOf(mode: Mode, coin: Coin): string | undefined
  /** Records that a browser showed the page of the session, without waiting for it. */
  markOpened(publicSession: PublicSession, now: Date): void
  /** Asks the bank to reject further payments, without waiting for it. */
  closeAccount(account: CollectionAccount): void
  /** Resolves once the notice is stored. It is judged in the same transaction, or soon after. */
  receiveNotice(notice: NewNotice): Promise<void>
  /** Logs a notice that was refused: perhaps the secret at the bank differs from ours. */
  reportForgery(rail: BankRail, mode: Mode): void
  /** Resolves once the hint is stored. The bank's API is queried next. */
  receiveHint(rail: BankRail, hint: NewHint): Promise<void>
  /** Books the payment of a stored notice; does nothing if it was judged before. */
  judgeNotice(name: NoticeName): Promise<unknown>
  /**
   * Fetches all payments into an account from the bank and judges the new ones; has a worker poll a
   * wallet soon.
   */
  requery(account: CollectionAccount, mode: Mode): Promise<void>
  lanes: { notices: Record<Mode, NoticeLane>; judging: Record<Mode, JudgingLane> }
}

export function openCollections(dependencies: CollectionDependencies): Collections {
  const { db, clock, logger, rails, sandboxPayers, localnetPayers, rates } = dependencies
  const shared = {
    ...dependencies,
    rails: rails.banksByName,
    onBooked: createPaymentLog({ db, logger }),
  }
  const laneOf = (mode: Mode) => ({ ...shared, turns: dependencies.turns?.[mode] })
  const notices = {
    test: createNoticeLane(laneOf('test')),
    live: createNoticeLane(laneOf('live')),
  }
  const judging = {
    test: createJudgingLane(laneOf('test')),
    live: createJudgingLane(laneOf('live')),
  }
  const judgeNotice = (name: NoticeName) => judging[name.mode].run(name)
  const prepareAccount = createAccountPreparation({ db, seal: dependencies.seal, rails })
  const prepareWallet = createWalletPreparation({ db, rails })
  const findPublicSessions = createPublicSessionFinder(db)
  const storeHint = gather(async (hints: NewHint[]) => {
    const now = clock.now()
    // A worker takes over if this process ends before it has queried the bank.
    const dueAt = after(now, leaseLimits.leaseMs)
    const open = await storeHints(db, { now, dueAt }, hints)
    return hints.map((hint) => open.has(hintKey(hint)))
  })
  return {
    sandboxPayers,
    localnetPayers,
    prepareAccount,
    prepareWallet,
    prepareSession: createSessionPreparation({ db, rates, prepareAccount, prepareWallet }),
    pollWalletSoon: ({ rail, number: wallet }) => pollSoon(db, clock.now(), { rail, wallet }),
    findPublicSession: gather(findPublicSessions),
    mintOf: (mode, coin) => rails.walletsOf(mode)?.mints[coin],
    markOpened: ({ session, clockOffsetMs }, now) => {
      if (session.openedAt !== null) return
      markOpened(db, session, toEnvironmentTime(now, clockOffsetMs)).catch((error) =>
        logger.warn({ err: error, session: session.reference }, 'a first view was not recorded'),
      )
    },
    // A failure is harmless: late payments into the account are judged like any other.
    closeAccount: ({ rail, railAccount }) => {
      const closed = rails.banksByName.get(rail)?.closeAccounts([railAccount])
      closed?.catch((error) =>
        logger.warn({ err: error, railAccount }, 'the bank did not close an account'),
      )
    },
    reportForgery: ({ name }, mode) =>
      logger.warn(
        { rail: name, mode },
        'refused a notice with a wrong signature: compare the secret at the bank with ours',
      ),
    receiveHint: async (rail, hint) => {
      if (!(await storeHint(hint))) return
      const { mode } = hint
      const confirming = { db, rail, clock, logger, notices: notices[mode], judging: judging[mode] }
      confirmHint(confirming, { ...hint, attempts: 0 }).catch((error) =>
        logger.warn({ err: error, id: hint.id }, 'a notice was not confirmed; a worker retries'),
      )
    },
    receiveNotice: async (notice) => {
      const { isJudged, rail, mode, id } = await notices[notice.mode].run(notice)
      if (isJudged) return
      judgeNotice({ rail, mode, id }).catch((error) =>
        logger.warn(
          { err: error, rail, mode, id },
          'a notice was not judged; a worker judges it later',
        ),
      )
    },
    judgeNotice,
    requery: (account, mode) =>
      isWallet(account)
        ? pollSoon(db, clock.now(), {
            rail: account.rail,
            wallet: account.number,
            isThorough: true,
          })
        : requeryAccount(
            {
              rail: rails.banksByName.get(account.rail),
              notices: notices[mode],
              judging: judging[mode],
            },
            account,
            mode,
          ),
    lanes: { notices, judging },
  }
}
