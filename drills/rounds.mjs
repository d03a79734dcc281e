import { setTimeout as sleep } from 'node:timers/promises'
import { faults } from './faults.mjs'
import { waitUntil } from './wait-until.mjs'

const calmMs = { from: 2_000, to: 4_000 }
/** Acknowledged writes after the takeover before the old primary is repaired. */
const writesAfterTakeover = 20
const writesWithinMs = 120_000

/** The kinds of all rounds: every kind once, in random order, before any is repeated. */
export function planRounds(random, count) {
  const plan = []
  while (plan.length < count) plan.push(...random.shuffle(Object.keys(faults)))
  return plan.slice(0, count)
}

/** Loses the primary under load, waits for the takeover, repairs the node and waits for its return. */
export async function runRound({ cluster, service, load, random }, kind) {
  await cluster.waitUntilWhole()
  await sleep(random.integer(calmMs.from, calmMs.to))
  const deathsBefore = service.deaths.length
  const old = await cluster.findPrimary()
  const others = cluster.nodes.filter((node) => node !== old)
  await faults[kind].prepare?.(others)
  const hitAt = performance.now()
  faults[kind].hit(old, others)
  const primary = await cluster.waitForNewPrimary(old)
  const takeoverMs = performance.now() - hitAt
  await waitForWrites(load)
  faults[kind].repair(old)
  await cluster.waitUntilWhole()
  return {
    kind,
    from: old.name,
    to: primary.name,
    takeoverMs,
    rejoinMs: performance.now() - hitAt,
    died: service.deaths.slice(deathsBefore).map(({ name }) => name),
    ...measureOutage(load, hitAt),
  }
}

async function waitForWrites(load) {
  const before = load.writes.length
  await waitUntil('writes go through again', writesWithinMs, () => {
    return load.writes.length >= before + writesAfterTakeover
  })
}

/**
 * The outage is the longest time without an acknowledgement since the hit: sessions of a killed
 * postmaster may still commit for a moment. Failures are counted per attempt.
 */
function measureOutage({ attempts, writes }, hitAt) {
  const acknowledgedAt = writes.map(({ endedAt }) => endedAt).filter((time) => time >= hitAt)
  const times = [hitAt, ...acknowledgedAt.toSorted((left, right) => left - right)]
  const gaps = times.slice(1).map((time, index) => ({ time, length: time - times[index] }))
  const longest = gaps.reduce((worst, gap) => (gap.length > worst.length ? gap : worst))
  const failed = attempts.filter(({ status, endedAt }) => endedAt >= hitAt && status !== 201)
  const failedAt = failed.map(({ endedAt }) => endedAt)
  return {
    firstWriteMs: longest.time - hitAt,
    failingMs: failed.length > 0 ? Math.max(...failedAt) - Math.min(...failedAt) : 0,
    failed: failed.length,
    reasons: countBy(failed, ({ reason, status }) => reason ?? `${status}`),
  }
}

function countBy(items, nameOf) {
  const counts = {}
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1
  return counts
}
