/** Why a payout waits for members. The docs, the API and the console show these texts. */
export const waitReasons = {
  amount: 'It is above a limit of your approval rule.',
  key: 'It was made with an API key whose payouts wait for approval.',
  callback: 'Your callback did not decide in time.',
  velocity: 'It is above what may be sent in an hour, a day or a month.',
  duplicate: 'The same amount went to the same recipient recently.',
  new_recipient: 'The recipient is not saved, or has not been paid yet.',
  screening: 'The recipient is on a sanctions list, or could not be screened.',
} as const

export type WaitReason = keyof typeof waitReasons

/** What a payout waits for before it is sent. */
export type Wait = {
  /** Why members must approve it. Empty: only the callback decides. */
  reasons: WaitReason[]
  /** How long the callback is asked; null: it is not asked. */
  callbackMinutes: number | null
}

/** What a pending payout waits for, as messages say it. */
export function sayWait(approval: { reasons: WaitReason[] } | null | undefined): string {
  return approval?.reasons.length === 0 ? 'waits for your callback' : 'waits for approval'
}

export type CallbackStatus = 'OPEN' | 'APPROVED' | 'REJECTED' | 'SILENT'

/** What the callback of a merchant decided about a payout. */
export type CallbackCheck = {
  status: CallbackStatus
  attempts: number
  problem: string | null
  rejection: string | null
}
