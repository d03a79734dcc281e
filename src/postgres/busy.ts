/**
 * Thrown by work that may not wait for locks, when another transaction holds rows of some calls.
 * Maps the names of these calls to what they wait for: the lane runs calls that wait for the same
 * thing together, apart from all others.
 */
export class Busy extends Error {
  override name = 'Busy'

  constructor(readonly waitsFor: ReadonlyMap<string, string>) {
    super('another transaction holds rows of this batch')
  }
}

/** For calls named after their environment. */
export function busyEnvironments(ids: Iterable<number>): Busy {
  return new Busy(new Map(Array.from(ids, (id) => [`${id}`, `${id}`])))
}
