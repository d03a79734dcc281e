import type { Mode } from '../base/environment.js'
import { Refusal } from '../base/refusal.js'
import type { CollectionAccount } from './account.js'
import type { NoticeLane, PaymentLane } from './payment-lane.js'
import type { CollectionRails } from './prepare-accounts.js'

type Tools = { rails: CollectionRails; notices: NoticeLane; payments: PaymentLane }

/** Fetches every payment into an account from the bank and records those without a notice yet. */
export async function requeryAccount(
  { rails, notices, payments }: Tools,
  { rail: name, number }: CollectionAccount,
  mode: Mode,
): Promise<void> {
  const rail = rails[mode]
  if (rail?.name !== name) throw unavailable(mode)
  const found = await rail.findPayments(number)
  await Promise.all(
    found.map(async (payment) => {
      const notice = { rail: name, mode, id: payment.id, payment, body: null }
      await payments.run(await notices.run(notice))
    }),
  )
}

function unavailable(mode: Mode): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'rail_unavailable',
    message: `The account's bank is not configured in ${mode} mode.`,
  })
}
