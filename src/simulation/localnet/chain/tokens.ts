import { type Key, keyOf } from './keys.js'
import { loadedPrograms } from './programs.js'
import type { AccountState } from './vm.js'

/** Token accounts and mints in the byte layout of both token programs. */

declare const kind: unique symbol
/** A state that `isTokenAccount` has accepted. */
export type TokenState = AccountState & { [kind]: 'account' }
export type MintState = AccountState & { [kind]: 'mint' }

export type LocalnetTokenAccount = { mint: Key; owner: Key; amount: bigint }

const accountBytes = 165
const mintBytes = 82
/** With extensions, the byte after an account's fields holds its type. */
const kinds = { mint: 1, account: 2 } as const

export function isTokenProgram(program: Key): boolean {
  return program === loadedPrograms.token || program === loadedPrograms.token2022
}

export function isTokenAccount(state: AccountState | null): state is TokenState {
  return (
    state !== null &&
    isTokenProgram(state.owner) &&
    (state.data.length === accountBytes || state.data[accountBytes] === kinds.account)
  )
}

export function isMint(state: AccountState | null): state is MintState {
  return (
    state !== null &&
    isTokenProgram(state.owner) &&
    (state.data.length === mintBytes || state.data[accountBytes] === kinds.mint)
  )
}

export function readTokenAccount({ data }: TokenState): LocalnetTokenAccount {
  return {
    mint: keyOf(data.subarray(0, 32)),
    owner: keyOf(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
  }
}

export function readDecimals({ data }: MintState): number {
  return data[44]!
}

export function readSupply({ data }: MintState): bigint {
  return data.readBigUInt64LE(36)
}

/** The three forms that Agave returns. */
export function showAmount(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  const text = part === '' ? whole : `${whole}.${part}`
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text }
}
