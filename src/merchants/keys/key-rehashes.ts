import type { Database } from '../../postgres/database.js'
import { listStatement } from '../../postgres/statement.js'
import { keyLimits } from '../limits.js'

type Rehash = { id: string; oldHash: Buffer; hash: Buffer }

const columns = {
  id: 'uuid',
  oldHash: 'bytea',
  hash: 'bytea',
  secretFingerprint: 'bytea',
} as const

/** Skips locked rows, as `KeyUses` does; the next use of the key tries again. */
const update = listStatement({
  name: 'rehash_keys',
  columns,
  text: (list) => `
    with free as (
      select k.id, list.hash, list.secret_fingerprint
      from api_keys k join ${list} on list.id = k.id and list.old_hash = k.hash
      for update of k skip locked)
    update api_keys k set hash = free.hash, secret_fingerprint = free.secret_fingerprint
    from free where free.id = k.id`,
})

/**
 * Keys that were used while they still had the hash of the old secret. Only a use reveals a key, so
 * only then can its hash be replaced.
 */
export class KeyRehashes {
  readonly #fingerprint: Buffer
  #rehashes = new Map<string, Rehash>()

  constructor(fingerprint: Buffer) {
    this.#fingerprint = fingerprint
  }

  note(rehash: Rehash): void {
    if (this.#rehashes.size < keyLimits.keysCachedMax) this.#rehashes.set(rehash.id, rehash)
  }

  async write(db: Database): Promise<void> {
    if (this.#rehashes.size === 0) return
    const rehashes = [...this.#rehashes.values()]
    this.#rehashes.clear()
    const rows = rehashes.map(({ id, oldHash, hash }) => ({
      id,
      oldHash,
      hash,
      secretFingerprint: this.#fingerprint,
    }))
    await db.rows(update(rows))
  }
}
