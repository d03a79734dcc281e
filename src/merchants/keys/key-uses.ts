import type { Database } from '../../postgres/database.js'
import { listStatement } from '../../postgres/statement.js'
import { keyLimits } from '../limits.js'

const columns = { id: 'uuid', usedAt: 'timestamptz' } as const

/**
 * Skips locked rows: another process is writing the same use, or the key is being revoked. So a
 * flush never waits, and two flushes never deadlock.
 */
const update = listStatement({
  name: 'remember_key_uses',
  columns,
  text: (list) => `
    with free as (
      select k.id, list.used_at from api_keys k join ${list} on list.id = k.id
      where k.last_used_at is null or k.last_used_at < list.used_at
      for no key update of k skip locked)
    update api_keys k set last_used_at = free.used_at from free where free.id = k.id`,
})

/** When keys were last used: collected in memory by requests, written by a timer. */
export class KeyUses {
  #uses = new Map<string, Date>()

  /** Keys with a use that is not written yet. */
  get count(): number {
    return this.#uses.size
  }

  /** Drops the use when the map is full; a later use of that key is recorded instead. */
  note(id: string, at: Date): void {
    if (this.#uses.size >= keyLimits.keysCachedMax && !this.#uses.has(id)) return
    this.#uses.set(id, at)
  }

  async write(db: Database): Promise<number> {
    if (this.#uses.size === 0) return 0
    const uses = this.#uses
    this.#uses = new Map()
    try {
      await db.rows(update([...uses].map(([id, usedAt]) => ({ id, usedAt }))))
    } catch (error) {
      // Kept for the next flush; newer uses win.
      this.#uses = new Map([...uses, ...this.#uses])
      throw error
    }
    return uses.size
  }
}
