import type { PayoutCreator } from '../../payouts/requests/creators.js'
import type { Actor } from '../../team/actor.js'

/** The API key or the member who asks for a payout, a conversion or a transfer of money. */
export function creatorOf({ keyId, actor }: Caller): PayoutCreator {
  return {
    createdByKey: keyId,
    createdByUser: actor.kind === 'user' ? actor.userId : null,
  }
}

type Caller = { keyId: string | null; actor: Actor }
