import { Refusal } from '../../base/refusal.js'

export type MagicReference = {
  /** The merchant's reference for the account. */
  purpose: string
  happens: string
  refusedAs: 'account_refused' | 'rail_unavailable'
}

/**
 * References for which the sandbox bank opens no account. The bank follows this table, and
 * docs/reference/test-mode.md is generated from it.
 */
export const magicReferences: readonly MagicReference[] = [
  {
    purpose: 'sandbox-refused',
    happens: 'The bank refuses to open the account.',
    refusedAs: 'account_refused',
  },
  {
    purpose: 'sandbox-unreachable',
    happens: 'The bank does not answer.',
    refusedAs: 'rail_unavailable',
  },
]

const byPurpose = new Map(magicReferences.map((magic) => [magic.purpose, magic]))

/** Undefined: the account can be opened. */
export function refuseAccount({
  purpose,
  expected,
}: {
  purpose: string
  expected: object | null
}): Refusal | undefined {
  const magic = byPurpose.get(purpose)
  if (!magic) return undefined
  const code = expected ? 'virtual_account_creation_failed' : 'dedicated_account_creation_failed'
  const messages = {
    account_refused: `The bank refused to open an account for ${purpose}.`,
    rail_unavailable: 'The bank does not answer.',
  }
  return new Refusal(code, { reason: magic.refusedAs, message: messages[magic.refusedAs] })
}
