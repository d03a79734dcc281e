import { localnetLimits } from '../limits.js'
import { OneOrMany } from '../server/one-or-many.js'
import { type Key, textOf } from './keys.js'
import { PastStates } from './past-states.js'
import type { TokenBalance } from './records.js'
import {
  isMint,
  isTokenAccount,
  readDecimals,
  readTokenAccount,
  type TokenState,
} from './tokens.js'
import { type AccountState, Vm } from './vm.js'

/** Accounts of the chain: current and recent states, and token accounts by owner. */
export class Accounts {
  readonly vm = new Vm()
  private past = new PastStates()
  private byOwner = new OneOrMany<Key, Key>()
  private decimals = new Map<Key, number>()

  read(key: Key): AccountState | null {
    return this.vm.read(key)
  }

  readAt(key: Key, slot: number): AccountState | null {
    const before = this.past.find(key, slot)
    return before === undefined ? this.vm.read(key) : before
  }

  /** Records a change that the VM has already made. */
  recordChange(key: Key, slot: number, before: AccountState | null, after: AccountState | null) {
    this.past.remember(key, slot, before)
    if (!isTokenAccount(after)) return
    const ownerBefore = isTokenAccount(before) && readTokenAccount(before).owner
    if (ownerBefore !== readTokenAccount(after).owner) this.indexOwner(key, after)
  }

  /** Sets states read from the journal at start, without keeping past ones. */
  restore(states: Map<Key, AccountState | null>): void {
    for (const [key, state] of states) {
      this.vm.write(key, state)
      if (isTokenAccount(state)) this.indexOwner(key, state)
    }
  }

  enterSlot(slot: number, unixSeconds: number): void {
    this.vm.setClock(slot, unixSeconds)
    this.past.forgetOld(slot)
  }

  /** May include accounts that have another owner by now; callers must check each. */
  tokenAccountsOf(owner: Key): readonly Key[] {
    return this.byOwner.get(owner)
  }

  decimalsOf(mint: Key): number {
    const known = this.decimals.get(mint)
    if (known !== undefined) return known
    const state = this.vm.read(mint)
    const decimals = isMint(state) ? readDecimals(state) : 0
    if (this.decimals.size >= localnetLimits.namesCachedMax) this.decimals.clear()
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

  private indexOwner(key: Key, state: TokenState): void {
    const { owner } = readTokenAccount(state)
    if (!this.byOwner.get(owner).includes(key)) this.byOwner.add(owner, key)
  }
}
