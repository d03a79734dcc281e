import { oldestReadable } from './blocks.js'
import type { Key } from './keys.js'
import type { AccountState } from './vm.js'

type Version = { slot: number; before: AccountState | null }

/**
 * Account states before recent slots, so that reads at a commitment, or from a lagging node, return
 * the state of that slot.
 */
export class PastStates {
  private versions = new Map<Key, Version[]>()
  private changedIn = new Map<number, Key[]>()

  /** Records the state before a slot; only the first change in the slot counts. */
  remember(key: Key, slot: number, before: AccountState | null): void {
    const known = this.versions.get(key)
    if (known?.at(-1)?.slot === slot) return
    if (known) known.push({ slot, before })
    else this.versions.set(key, [{ slot, before }])
    const changed = this.changedIn.get(slot)
    if (changed) changed.push(key)
    else this.changedIn.set(slot, [key])
  }

  /** The state at the end of a slot; undefined: same as now. */
  find(key: Key, slot: number): AccountState | null | undefined {
    return this.versions.get(key)?.find((version) => version.slot > slot)?.before
  }

  forgetOld(slot: number): void {
    const old = slot - oldestReadable
    for (const key of this.changedIn.get(old) ?? []) {
      const remaining = this.versions.get(key)!.filter((version) => version.slot > old)
      if (remaining.length > 0) this.versions.set(key, remaining)
      else this.versions.delete(key)
    }
    this.changedIn.delete(old)
  }
}
