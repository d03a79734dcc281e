import type { Mode } from '../base/environment.js'
import { Refusal } from '../base/refusal.js'
import type { CollectionAccount } from './account.js'
import type { JudgingLane, NoticeLane } from './notice-lanes.js'
import type { CollectionRails } from './prepare-accounts.js'

type Tools = { rails: CollectionRails; notices: NoticeLane; judging: JudgingLane }

/** Fetches every payment into an account from the bank and records those without a notice yet. */
export async function requeryAccount(
  { rails, notices, judging }: Tools,
  { rail: railName, number }: CollectionAccount,
  mode: Mode,
): Promise<void> {
  const rail = rails[mode]
  if (rail?.name !== railName) throw unavailable(mode)
  const found = await rail.findPayments(number)
  await Promise.all(
    found.map(async (payment) => {
      const notice = { rail: railName, mode, id: payment.id, reported: payment, body: null }
      const { isJudged } = await notices.run(notice)
      if (!isJudged) await judging.run(notice)
    }),
  )
}

function unavailable(mode: Mode): Refusal {
  return new Refusal('account_action_failed', {
    reason: 'rail_unavailable',
    message: `The account's bank is not configured in ${mode} mode.`,
  })
}
