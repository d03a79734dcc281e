/**
 * Thrown by work of a lane that may not wait for locks (`tx.waitsForLocks` is false) when another
 * transaction holds rows it needs. The protocol:
 *
 * 1. A store locks with `skip locked` and reports the rows it did not get, by the key its caller
 *    knows them by: an environment, an account number, a notice, an endpoint.
 * 2. The lane knows its calls by their names (`sideLanes.nameOf`). Where a key is not the name of a
 *    call, as in `collections/payments/record-payments.ts`, the use case translates it with
 *    `renameBusy`.
 * 3. The lane rolls back, runs the other calls at once, and runs the reported ones in a side lane,
 *    which waits for locks, one group at a time.
 *
 * A group is what its calls wait for, usually an environment. Every held row has one.
 */
export class Busy<Key extends string = string> extends Error {
  override name = 'Busy'

  constructor(readonly groups: ReadonlyMap<Key, string>) {
    super('another transaction holds rows of this batch')
  }
}

export type EnvironmentKey = `environment ${number}`

export function environmentKey(environmentId: number): EnvironmentKey {
  return `environment ${environmentId}`
}

/**
 * Throws `Busy` if one of the rows is held. Most keys are groups of their own; an account number
 * belongs to the group of its environment.
 */
export function throwIfHeld<Row extends { isHeld: boolean }>(
  rows: Row[],
  keyOf: (row: Row) => string,
  groupOf: (row: Row) => string = keyOf,
): void {
  const held = rows.filter(({ isHeld }) => isHeld)
  if (held.length > 0) throw new Busy(new Map(held.map((row) => [keyOf(row), groupOf(row)])))
}

/**
 * For `catch`: reports the calls that need the held rows instead of the rows. `keyOf` is the key of
 * the row that a call needs, `nameOf` the name by which the lane knows the call.
 */
export function renameBusy<Call, Key extends string>(
  calls: Call[],
  keyOf: (call: Call) => Key,
  nameOf: (call: Call) => string,
) {
  return (error: unknown): never => {
    if (!(error instanceof Busy)) throw error
    const { groups } = error as Busy<Key>
    const blocked = calls.filter((call) => groups.has(keyOf(call)))
    throw new Busy(new Map(blocked.map((call) => [nameOf(call), groups.get(keyOf(call))!])))
  }
}
