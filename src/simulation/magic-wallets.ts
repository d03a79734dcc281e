import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import { privateKeyOf, publicBytesOf } from '../rails/ed25519.js'
import type { FaultRule } from './localnet/start.js'

export type MagicWallet = {
  address: string
  /** What a transfer to it comes to, in words for merchants. */
  outcome: string
  rule: Omit<FaultRule, 'match'>
}

/**
 * Wallets of test mode whose transfers end otherwise than well. They only tell the embedded chain
 * what to do; everything else goes its ordinary way.
 */
export const magicWallets: MagicWallet[] = [
  {
    address: walletOf('lands and fails'),
    outcome: 'The transaction lands and fails: FAILED, and the money is available again.',
    rule: { fault: 'fail' },
  },
  {
    address: walletOf('never lands'),
    outcome:
      'No attempt ever lands: each expires and is signed anew, until the transfer is FAILED.',
    rule: { fault: 'drop' },
  },
  {
    address: walletOf('lands late'),
    outcome: 'The transaction lands a hundred blocks late: CONFIRMED, after a while.',
    rule: { fault: 'delay', slots: 100 },
  },
]

export function magicRules(): FaultRule[] {
  return magicWallets.map(({ address, rule }) => ({ match: { account: address }, ...rule }))
}

/** On the curve like any wallet, the same for everyone, and nobody's: its seed is public. */
function walletOf(name: string): string {
  const seed = createHash('sha256').update(`manilla magic wallet: ${name}`).digest()
  return base58.encode(publicBytesOf(privateKeyOf(seed)))
}
