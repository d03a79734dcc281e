import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'
import { privateKeyOf, publicBytesOf } from '../rails/ed25519.js'
import type { FaultRule } from './localnet/start.js'

export type MagicWallet = {
  address: string
  /** What happens to a transfer, for docs/reference/test-mode.md. */
  outcome: string
  rule: Omit<FaultRule, 'match'>
}

/**
 * Test wallets whose transfers fail, expire or are late. Only the localnet treats them specially.
 */
export const magicWallets: MagicWallet[] = [
  {
    address: walletOf('lands and fails'),
    outcome: 'The transaction lands and fails: FAILED, and the money is available again.',
    rule: { fault: 'fail' },
  },
  {
    address: walletOf('never lands'),
    outcome: 'No attempt lands: each expires and is signed again, until the transfer is FAILED.',
    rule: { fault: 'drop' },
  },
  {
    address: walletOf('lands late'),
    outcome: 'The transaction lands a hundred blocks late: CONFIRMED after a while.',
    rule: { fault: 'delay', slots: 100 },
  },
]

export function magicRules(): FaultRule[] {
  return magicWallets.map(({ address, rule }) => ({ match: { account: address }, ...rule }))
}

/** A valid wallet address, the same on every installation. Its seed is public. */
function walletOf(name: string): string {
  const seed = createHash('sha256').update(`manilla magic wallet: ${name}`).digest()
  return base58.encode(publicBytesOf(privateKeyOf(seed)))
}
