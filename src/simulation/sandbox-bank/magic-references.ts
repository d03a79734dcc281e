import { Refusal } from '../../base/refusal.js'

export type MagicReference = {
  /** What the account is for, in the words of whoever ordered it. */
  purpose: string
  happens: string
  refusedAs: 'account_refused' | 'rail_unavailable'
}

/**
 * What an account can be for that makes the sandbox bank open none. This table is what the bank
 * obeys and what the documentation is written from.
 */
export const magicReferences: readonly MagicReference[] = [
  {
    purpose: 'sandbox-refused',
    happens: 'The bank refuses to open the account.',
    refusedAs: 'account_refused',
  },
  {
    purpose: 'sandbox-unreachable',
    happens: 'The bank cannot be reached.',
    refusedAs: 'rail_unavailable',
  },
]

const byPurpose = new Map(magicReferences.map((magic) => [magic.purpose, magic]))

/** Undefined: nothing speaks against the account. */
export function refuseAccount(order: {
  purpose: string
  expected: object | null
}): Refusal | undefined {
  const magic = byPurpose.get(order.purpose)
  if (!magic) return undefined
  const code = order.expected
    ? 'virtual_account_creation_failed'
    : 'dedicated_account_creation_failed'
  const messages = {
    account_refused: `The bank refuses an account for ${order.purpose}.`,
    rail_unavailable: 'The bank does not answer.',
  }
  return new Refusal(code, { reason: magic.refusedAs, message: messages[magic.refusedAs] })
}
