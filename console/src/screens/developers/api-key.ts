import type { KeyPermission } from '../../../../src/merchants/keys/key-permissions'

export type ApiKey = {
  id: string
  name: string
  kind: 'secret' | 'public'
  mode: 'test' | 'live'
  hint: string
  state: 'active' | 'rolled' | 'expired' | 'revoked'
  /** Null: all of them. */
  permissions: KeyPermission[] | null
  /** Every payout made with it waits for a member. */
  payoutsWaitForApproval: boolean
  allowedAddresses: string[]
  /** Reads this sub-account and nothing else. */
  subaccount: string | null
  isRevealable: boolean
  createdBy: { name: string } | null
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
}

/** With the key itself, in the answer that made or revealed it. */
export type ShownKey = ApiKey & { key: string }

/** What the console fills into its examples. */
export const isForExamples = ({
  state,
  kind,
  isRevealable,
  permissions,
  payoutsWaitForApproval,
}: ApiKey) =>
  state === 'active' &&
  kind === 'secret' &&
  isRevealable &&
  permissions === null &&
  !payoutsWaitForApproval
