import { gather } from './gather.js'

/**
 * Like `gather`, but calls share a batch only with calls of the same group: `runAll` gets the
 * group, such as a rail, and the keys of one of its batches.
 */
export function gatherBy<Group, Key, Value>(
  runAll: (group: Group, keys: Key[]) => Promise<Value[]>,
): (group: Group, key: Key) => Promise<Value> {
  const gathered = new Map<Group, (key: Key) => Promise<Value>>()
  return (group, key) => {
    const gatherKey = gathered.get(group) ?? gather((keys: Key[]) => runAll(group, keys))
    gathered.set(group, gatherKey)
    return gatherKey(key)
  }
}
