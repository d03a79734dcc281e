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
}

export type Invitation = {
  id: string
  email: string
  role: Role
  maySeeLive: boolean
  expiresAt: string
}
