import { oldestAsked } from './blocks.js'
import type { Key } from './keys.js'
import type { AccountState } from './vm.js'

type Version = { slot: number; before: AccountState | null }

/**
 * What accounts were before recent slots changed them, so that a question at a commitment, or to a
 * node that lags, is answered with the state of that time and not of this moment.
 */
export class Past {
  private versions = new Map<Key, Version[]>()
  private changedIn = new Map<number, Key[]>()

  /** The account was so before a transaction of this slot; only the slot's first one counts. */
  remember(key: Key, slot: number, before: AccountState | null): void {
    const known = this.versions.get(key)
    if (known?.at(-1)?.slot === slot) return
    if (known) known.push({ slot, before })
    else this.versions.set(key, [{ slot, before }])
    const changed = this.changedIn.get(slot)
    if (changed) changed.push(key)
    else this.changedIn.set(slot, [key])
  }

  /** The state at the end of a slot; undefined: no different from now. */
  find(key: Key, slot: number): AccountState | null | undefined {
    return this.versions.get(key)?.find((version) => version.slot > slot)?.before
  }

  forgetOld(slot: number): void {
    const old = slot - oldestAsked
    for (const key of this.changedIn.get(old) ?? []) {
      const left = this.versions.get(key)!.filter((version) => version.slot > old)
      if (left.length > 0) this.versions.set(key, left)
      else this.versions.delete(key)
    }
    this.changedIn.delete(old)
  }
}
