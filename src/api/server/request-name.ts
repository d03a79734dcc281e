import { createHash } from 'node:crypto'
import { newId } from '../../base/ids.js'
import type { KeyedRequest } from './keyed-lane.js'

/** Names the external effect of a request by its key, so that a retry does not repeat it. */
export function effectName({ key, environment, now }: KeyedRequest): string {
  if (!key) return newId(now).replaceAll('-', '')
  const named = `${environment.id}/${key.digest}/${key.fingerprint.toString('hex')}`
  return createHash('sha256').update(named).digest('hex').slice(0, 32)
}
