import type { Mode } from '../../api/scope'
import type { Role } from '../../api/session'

export type Member = {
  id: string
  isYou: boolean
  name: string
  email: string
  role: Role
  maySeeLive: boolean
  isDisabled: boolean
  /** Null unless the reader is an owner, or it is their own. */
  hasSecondFactor: boolean | null
  lastSeenAt: string | null
  createdAt: string
  /** Working API keys that the member created; empty for those who may not change the team. */
  keys: { id: string; name: string; mode: Mode }[]
}

export type Invitation = {
  id: string
  /** A password link is for a member, whose role and access it opens. */
  kind: 'invitation' | 'password_link'
  email: string
  role: Role | null
  maySeeLive: boolean
  createdByName: string | null
  expiresAt: string
}
