import type { Role } from '../api/session'

export const roleNames = {
  owner: 'Owner',
  admin: 'Admin',
  finance: 'Finance',
  developer: 'Developer',
  support: 'Support',
  viewer: 'Viewer',
} satisfies Record<Role, string>
