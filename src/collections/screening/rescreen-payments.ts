import { after, type Clock, pauseAfter, type RealTime } from '../../base/clock.js'
import type { Mode } from '../../base/environment.js'
import type { Logger } from '../../base/log.js'
import { getMerchantId } from '../../merchants/environments.js'
import type { Database } from '../../postgres/database.js'
import { claimDue, runEach, whileLeased } from '../../postgres/due.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { screeningLimits } from '../../screening/limits.js'
import type { Screening, ScreeningVerdict } from '../../screening/ports.js'
import { policyOf, readTerms } from '../accounts/environment-terms.js'
import { cancelledIfCounterpartPaid, findCounterpart } from '../payments/counterparts.js'
import { getPayment } from '../payments/find-payments.js'
import { judgePayment } from '../payments/judge-payment.js'
import { paymentReference } from '../payments/payment.js'
import { acceptHeld, lockPayment, returnHeld } from '../payments/resolve-payment.js'
import { updatePayments } from '../payments/store-payments.js'
import type { CollectionRail } from '../ports.js'
import { destinationOf } from '../returns/return-destination.js'
import { auditScreening, screenPayment } from './decide-screened.js'
import {
  type DueScreening,
  insertDecision,
  screeningsDue,
  updateScreening,
} from './store-screenings.js'

type RescreenDependencies = {
  db: Database
  clock: Clock
  logger: Logger
  mode: Mode
  rails: ReadonlyMap<string, CollectionRail>
  /** Undefined: only audit lines of earlier hits are written. */
  screening: Screening | undefined
}

/**
 * Writes the audit line of each hit, and screens payments again whose sender could not be screened:
 * what is clear now goes on as if it had been clear when it arrived. Returns how many were due.
 */
export async function rescreenPayments(
  dependencies: RescreenDependencies,
  now: RealTime,
): Promise<number> {
  const { db, mode } = dependencies
  const { perBatchMax: limit } = screeningLimits
  const due = await claimDue<DueScreening>(db, screeningsDue, { owner: mode, now, limit })
  if (due.length === 0) return 0
  await whileLeased(dependencies, screeningsDue, { owner: mode, now }, () =>
    runEach(due, (row) => rescreen(dependencies, now, row)),
  )
  return due.length
}

async function rescreen(
  dependencies: RescreenDependencies,
  now: RealTime,
  row: DueScreening,
): Promise<void> {
  const { db, mode, screening, logger } = dependencies
  const name = nameOf(row)
  const verdict = await currentVerdict(dependencies, row)
  if (verdict.verdict === 'unknown') {
    const pauseMs = pauseAfter(row.attempts, screeningLimits)
    // Without screening nothing changes until an operator configures it: people decide.
    const dueAt = after(now, screening ? pauseMs : screeningLimits.retryMaxMs)
    await updateScreening(db, now, row, { verdict, dueAt })
    return
  }
  await db.transaction(async (tx) => {
    const locked = await lockPayment(tx, name)
    if (!(await updateScreening(tx, now, row, { verdict, dueAt: null }))) return
    const { payment } = locked
    const merchantId = await getMerchantId(tx, payment.environmentId)
    if (verdict.verdict === 'clear') {
      if (payment.heldFor === null || payment.amountHeld !== payment.amount) return
      await release(dependencies, tx, now, { locked, verdict })
    }
    auditScreening(tx, now, {
      actor: 'screening',
      action: verdict.verdict,
      merchantId,
      environmentId: payment.environmentId,
      payment,
      verdict,
      log: 'merchant',
    })
  })
  const { reference } = name
  if (verdict.verdict === 'hit')
    logger.warn({ reference, mode, ...verdict }, 'a payment is held: its sender is on a list')
  else logger.info({ reference, mode, ...verdict }, 'a payment was screened and is clear')
}

function nameOf({ environmentId, paymentId }: DueScreening) {
  return { environmentId, reference: paymentReference({ id: paymentId }) }
}

/** A hit stays one: only people let it go on. */
async function currentVerdict(
  { db, mode, screening }: RescreenDependencies,
  row: DueScreening,
): Promise<ScreeningVerdict> {
  const { verdict, list, version, entry } = row
  if (verdict === 'hit') return { verdict, list: list!, version: version!, entry: entry! }
  return screenPayment(screening, await getPayment(db, nameOf(row)), mode)
}

/** Judges the payment again: its account may have been paid since. */
async function release(
  { rails }: RescreenDependencies,
  tx: Tx,
  now: RealTime,
  {
    locked: { payment, account, accounts },
    verdict,
  }: { locked: Awaited<ReturnType<typeof lockPayment>>; verdict: ScreeningVerdict },
): Promise<void> {
  const terms = (await readTerms(tx, [account])).of(account)
  const counterpart = findCounterpart(account, accounts.values())
  const { amount, receivedAt, railId: id, sender } = payment
  const destination = destinationOf({ id, sender }, rails.get(payment.rail))
  const judged = judgePayment(
    cancelledIfCounterpartPaid(account, counterpart),
    { amount, receivedAt, isReturnable: destination !== undefined },
    policyOf(terms, account.kind),
  )
  const name = { environmentId: payment.environmentId, reference: paymentReference(payment) }
  const decision = { verdict, requestId: null, operator: null }
  if (judged.amountAccepted === amount) {
    await acceptHeld(tx, now, name, async () => decision)
    return
  }
  insertDecision(tx, now, { payment, action: 'clear', decision })
  updatePayments(tx, [{ ...payment, heldFor: null }])
  // A part of it, such as what exceeds the amount: the merchant decides about all of it.
  if (judged.amountReturning !== amount) return
  await returnHeld(tx, now, { ...name, destination: destination! })
}
