import { type Crash, type Failpoint, faultNames, isPossible, isRead, nameOf } from './faults.js'
import { refuseViolations } from './violation.js'
import { openWorld, type World, type WorldSettings } from './world.js'

/**
 * One way of money through the service. `prepare` runs without faults. `run` is what the merchant
 * and the outside do, and must reach the same end whatever fails on the way. `check` compares the
 * end with what was asked for, exact to the unit.
 */
export type Path<Prepared = unknown> = {
  name: string
  settings: WorldSettings
  prepare(world: World): Promise<Prepared>
  run(world: World, prepared: Prepared): Promise<void>
  check(world: World, prepared: Prepared): Promise<void>
}

/** For lists of paths with different preparations. */
export function definePath<Prepared>(path: Path<Prepared>): Path {
  return path as Path
}

export type CaseResult = {
  path: string
  failpoint: string
  fault: string
  /** Empty: everything held. */
  violations: string[]
  /** False: this run took another way and did not come to the failpoint. */
  hasFired: boolean
  /** Rows that another instance took meanwhile, if the fault lets one work. */
  besideRows: number
}

/** Runs a path once, with or without a crash. Returns the failpoints it came by, too. */
export async function runPath(path: Path, crash?: Crash) {
  const world = await openWorld(path.settings)
  try {
    const prepared = await path.prepare(world)
    await world.untilQuiet()
    world.arm(crash)
    const violations: string[] = []
    try {
      await path.run(world, prepared)
      await world.untilQuiet()
      await path.check(world, prepared)
    } catch (error) {
      violations.push(error instanceof Error ? error.message : String(error))
    }
    world.keeper.disarm()
    violations.push(...(await world.findViolations()))
    if (!crash) violations.push(...world.jobFailures())
    const { seen, hasFired } = world.keeper
    return { violations, seen: [...seen], hasFired, besideRows: world.besideRows() }
  } finally {
    await world.close()
  }
}

/** The failpoints of a path, found by running it without a fault. */
export async function findFailpoints(path: Path): Promise<Failpoint[]> {
  const { seen, violations } = await runPath(path)
  refuseViolations(violations.map((violation) => `without a fault: ${violation}`))
  return seen
}

/**
 * Polls repeat themselves: of the calls of a name that only read, and of the commits that write the
 * same tables, the later ones are like the first. Calls with an effect are all struck.
 */
const readsMax = 2
const commitsMax = 4

function isLikeEarlier(at: Failpoint): boolean {
  if (at.kind === 'commit') return at.occurrence > commitsMax
  return isRead(at) && at.occurrence > readsMax
}

/** Every fault at every failpoint. */
export function listCrashes(failpoints: Failpoint[]): Crash[] {
  const struck = failpoints.filter((at) => !isLikeEarlier(at))
  return struck.flatMap((at) =>
    faultNames.filter((fault) => isPossible(fault, at)).map((fault) => ({ at, fault })),
  )
}

/** Runs that took another way, for a reason outside of the seed, are repeated. */
const runsMax = 3

export async function runCase(path: Path, crash: Crash): Promise<CaseResult> {
  const described = { path: path.name, failpoint: nameOf(crash.at), fault: crash.fault }
  for (let runs = 1; ; runs += 1) {
    const { violations, hasFired, besideRows } = await runPath(path, crash)
    if (hasFired || violations.length > 0 || runs === runsMax)
      return { ...described, violations, hasFired, besideRows }
  }
}
