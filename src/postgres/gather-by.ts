import { gather } from './gather.js'

/** Like `gather`, with batches of its own for each group, such as a rail. */
export function gatherBy<Group, Key, Value>(
  askAll: (group: Group, keys: Key[]) => Promise<Value[]>,
): (group: Group, key: Key) => Promise<Value> {
  const gathered = new Map<Group, (key: Key) => Promise<Value>>()
  return (group, key) => {
    const ask = gathered.get(group) ?? gather((keys: Key[]) => askAll(group, keys))
    gathered.set(group, ask)
    return ask(key)
  }
}
