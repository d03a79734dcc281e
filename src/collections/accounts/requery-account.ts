import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import type { JudgingLane, NoticeLane } from '../notices/notice-lanes.js'
import type { CollectionRail } from '../ports.js'
import type { CollectionAccount } from './account.js'

type RequeryDependencies = {
  rail: CollectionRail | undefined
  notices: NoticeLane
  judging: JudgingLane
}

/** Fetches every payment into an account from the bank and records those without a notice yet. */
export async function requeryAccount(
  { rail, notices, judging }: RequeryDependencies,
  { rail: railName, railAccount }: CollectionAccount,
  mode: Mode,
): Promise<void> {
  if (!rail) throw unavailable(mode)
  const found = await rail.findPayments(railAccount)
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
