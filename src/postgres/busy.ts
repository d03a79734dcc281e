/**
 * Another transaction holds rows that some calls of a batch need. Thrown by work that may not wait
 * for locks. Maps the names of these calls to what they wait for: the lane runs the calls that wait
 * for the same thing together, and apart from all others.
 */
export class Busy extends Error {
  override name = 'Busy'

  constructor(readonly waitsFor: ReadonlyMap<string, string>) {
    super('another transaction holds rows of this batch')
  }
}

/** For calls that are named by their environment. */
export function busyEnvironments(ids: Iterable<number>): Busy {
  return new Busy(new Map(Array.from(ids, (id) => [`${id}`, `${id}`])))
}
