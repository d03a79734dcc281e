import type { Asset } from '../../money/assets.js'

/** Programs that a payout calls, or that tell what an account is. */
export const programs = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  oldMemo: 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  computeBudget: 'ComputeBudget111111111111111111111111111111',
} as const

/** Whoever pays there has thrown the money away. */
export const incinerator = '1nc1nerator11111111111111111111111111111111'

export const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/** The assets that live on this chain. */
export type Coin = Exclude<Asset, 'NGN'>
export const coins = ['USDC', 'USDT'] as const satisfies Coin[]
export type Mints = Record<Coin, string>

/** As on mainnet; the embedded chain has its coins at the same addresses. */
export const mainnetMints: Mints = {
  USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
}
