import { type Key, textOf } from './keys.js'
import { localnetLimits } from './limits.js'
import { OneOrMany } from './one-or-many.js'
import { Past } from './past.js'
import type { TokenBalance } from './records.js'
import {
  isMint,
  isTokenAccount,
  readDecimals,
  readTokenAccount,
  type TokenState,
} from './tokens.js'
import { type AccountState, Vm } from './vm.js'

/** The accounts of the chain: now, as they were lately, and token accounts by their owner. */
export class Accounts {
  readonly vm = new Vm()
  private past = new Past()
  private ofOwner = new OneOrMany<Key, Key>()
  private decimals = new Map<Key, number>()

  read(key: Key): AccountState | null {
    return this.vm.read(key)
  }

  readAt(key: Key, slot: number): AccountState | null {
    const before = this.past.find(key, slot)
    return before === undefined ? this.vm.read(key) : before
  }

  /** Notes a change that the VM has made already. */
  noteChange(key: Key, slot: number, before: AccountState | null, after: AccountState | null) {
    this.past.remember(key, slot, before)
    if (!isTokenAccount(after)) return
    const hadOwner = isTokenAccount(before) && readTokenAccount(before).owner
    if (hadOwner !== readTokenAccount(after).owner) this.noteOwner(key, after)
  }

  /** Sets states that earlier transactions left; for a start, when nobody asks about the past. */
  restore(states: Map<Key, AccountState | null>): void {
    for (const [key, state] of states) {
      this.vm.write(key, state)
      if (isTokenAccount(state)) this.noteOwner(key, state)
    }
  }

  enterSlot(slot: number, unixSeconds: number): void {
    this.vm.setClock(slot, unixSeconds)
    this.past.forgetOld(slot)
  }

  /** May name accounts that have another owner by now: whoever asks looks at each. */
  tokenAccountsOf(owner: Key): readonly Key[] {
    return this.ofOwner.get(owner)
  }

  decimalsOf(mint: Key): number {
    const known = this.decimals.get(mint)
    if (known !== undefined) return known
    const state = this.vm.read(mint)
    const decimals = isMint(state) ? readDecimals(state) : 0
    if (this.decimals.size >= localnetLimits.namesRemembered) this.decimals.clear()
    if (isMint(state)) this.decimals.set(mint, decimals)
    return decimals
  }

  showTokens(states: (AccountState | null)[]): TokenBalance[] {
    const balances: TokenBalance[] = []
    for (const [accountIndex, state] of states.entries()) {
      if (!isTokenAccount(state)) continue
      const { mint, owner, amount } = readTokenAccount(state)
      balances.push({
        accountIndex,
        mint: textOf(mint),
        owner: textOf(owner),
        programId: textOf(state.owner),
        amount: amount.toString(),
        decimals: this.decimalsOf(mint),
      })
    }
    return balances
  }

  private noteOwner(key: Key, state: TokenState): void {
    const { owner } = readTokenAccount(state)
    if (!this.ofOwner.get(owner).includes(key)) this.ofOwner.add(owner, key)
  }
}
