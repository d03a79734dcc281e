import { useQuery } from '@tanstack/react-query'
import type { Permission, Role } from '../../../src/team/permissions'
import { call } from './call'
import { useScope } from './scope'

export type { Permission, Role }

export type Membership = {
  merchant: string
  name: string
  role: Role | 'operator_view'
  maySeeLive: boolean
  isSuspended: boolean
  /** A member signed this session out of the merchant. A new one works there. */
  isSignedOut: boolean
  permissions: { test: Permission[]; live: Permission[] }
  /** How far the test clock of the merchant is ahead. */
  clockOffsetMs?: number
}

export type ConsoleSession = {
  user: {
    id: string
    name: string
    email: string
    isOperator: boolean
    hasPassword: boolean
    hasTotp: boolean
    passkeys: number
  }
  memberships: Membership[]
  /** Proven in this session. */
  hasSecondFactor: boolean
  stepUpUntil: string | null
  expiresAt: string
}

export const sessionKey = ['session']

/** The frame shows nothing else before the session is read, so screens can rely on it. */
export function useSessionQuery() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => call<ConsoleSession>('/console/session', { signal }),
    staleTime: 60_000,
  })
}

export function useSession(): ConsoleSession {
  const { data } = useSessionQuery()
  if (!data) throw new Error('The session is not read yet.')
  return data
}

/** The membership of the merchant that this tab shows. */
export function useMembership(): Membership | undefined {
  const { merchant } = useScope()
  return useSession().memberships.find((one) => one.merchant === merchant)
}

export function usePermissions(): ReadonlySet<Permission> {
  const { mode } = useScope()
  return new Set(useMembership()?.permissions[mode])
}

/** Whether the user may do this, by their role in the shown merchant and mode. */
export function useMay(permission: Permission): boolean {
  return usePermissions().has(permission)
}
