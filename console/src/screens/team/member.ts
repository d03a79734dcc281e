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
  hasSecondFactor: boolean
  lastSeenAt: string | null
  createdAt: string
  /** Working API keys that the member created; empty for those who may not change the team. */
  keys: { id: string; name: string; mode: Mode }[]
}

export type Invitation = {
  id: string
  email: string
  role: Role
  maySeeLive: boolean
  expiresAt: string
}
