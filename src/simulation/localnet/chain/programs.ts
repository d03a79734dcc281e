import { keyFrom } from './keys.js'

/** Programs that the chain itself recognizes. */
export const loadedPrograms = {
  system: keyFrom('11111111111111111111111111111111'),
  token: keyFrom('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  token2022: keyFrom('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'),
  associatedToken: keyFrom('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
  memo: keyFrom('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  oldMemo: keyFrom('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'),
  sysvars: keyFrom('Sysvar1111111111111111111111111111111111111'),
  computeBudget: keyFrom('ComputeBudget111111111111111111111111111111'),
} as const

/** Mainnet addresses, so that the rail uses the same mints in test mode. */
export const mints = {
  USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
} as const
