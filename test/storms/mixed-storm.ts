import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import type { Program } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { type Crew, killAndReplace, startCrew, stopCrew } from './crew.js'
import type { Journal, Kill } from './journal.js'
import { MixedCallers, Stopped } from './mixed-callers.js'
import { approvalRule, finishOpen, operate } from './mixed-operations.js'
import { proveMixed } from './mixed-proof.js'
import { type MixedSite, openMixedSite } from './mixed-site.js'
import { untilNoneRemain } from './progress.js'

export type Storm = {
  db: Database
  /** Of the chain, keys and merchants; a folder of an earlier run continues it. */
  folder: string
  journal: Journal
  random: Random
  /** In total, with those of earlier runs on the folder. */
  operations: number
  kills: number
  /** Everything is proven after each so many kills, and at the end. */
  killsBetweenProofs: number
  connections: number
  apis: number
  workers: number
  say(line: string): void
  /** Processes for the caller to end after a failure. */
  onStart(program: Program): void
}

type Scene = Storm & { site: MixedSite; crew: Crew; callers: MixedCallers }

export type RunningStorm = {
  /** The first violations found; empty if all proofs held or the storm was stopped. */
  ended: Promise<string[]>
  /** Stops as soon as possible; what was not answered is retried by the next run. */
  stop(): void
}

/**
 * Conversions, batches, settlements and approvals, mixed with payouts on both rails, payments and
 * refunds, while API and worker processes are killed. From time to time everything comes to rest and
 * is compared: answers, books, bank, chain and proofs.
 */
export async function startMixedStorm(storm: Storm): Promise<RunningStorm> {
  const site = await openMixedSite(storm.db, storm.folder)
  const { secret, variables, chain } = site
  const crew = await startCrew({ ...storm, secret, variables }).catch(async (error) => {
    await chain.stop()
    throw error
  })
  const callers = new MixedCallers(site, crew.urls, storm.journal)
  const scene = { ...storm, site, crew, callers }
  const ended = run(scene)
    .catch((error) => {
      if (error instanceof Stopped) return []
      throw error
    })
    .finally(() => stopCrew(crew))
    .finally(() => chain.stop())
  return { ended, stop: () => callers.stop() }
}

async function run(scene: Scene): Promise<string[]> {
  const { journal, callers, kills, say } = scene
  await callers.change('maker', 'PATCH', '/v1/settings/approvals', approvalRule)
  await finishOpen(scene)
  while (!callers.isStopped) {
    await storm(scene, Math.min(kills, journal.kills.length + scene.killsBetweenProofs))
    if (callers.isStopped) break
    say(`${journal.acknowledged} acknowledged, ${journal.kills.length} kills; coming to rest`)
    await untilAtRest(scene)
    if (callers.isStopped) break
    const violations = await proveMixed(scene)
    if (violations.length > 0) return violations
    say('every proof holds')
    if (journal.kills.length >= kills && journal.acknowledged >= scene.operations) break
  }
  return []
}

/** Until there were this many kills, and their share of the operations is acknowledged. */
async function storm(scene: Scene, killsWanted: number): Promise<void> {
  const { journal, callers, kills, operations } = scene
  const shareOf = (count: number) => Math.ceil((operations * count) / kills)
  const killing = async () => {
    while (journal.kills.length < killsWanted && !callers.isStopped) {
      const wanted = shareOf(journal.kills.length + 1) - shareOf(1) / 2
      await untilNoneRemain(`kill ${journal.kills.length + 1}`, () =>
        callers.isStopped ? 0 : Math.max(0, wanted - journal.acknowledged),
      )
      if (!callers.isStopped) await killDuringWork(scene)
    }
  }
  const isEnough = () =>
    journal.kills.length >= killsWanted && journal.acknowledged >= shareOf(killsWanted)
  const works = [operate(scene, { connections: scene.connections, isEnough }), killing()]
  // The first failure stops the other at once. It is waited for: a kill that is under way would
  // start a process after the crew is stopped.
  const stopped = works.map((work) =>
    work.catch((error) => {
      callers.stop()
      throw error
    }),
  )
  for (const ending of await Promise.allSettled(stopped))
    if (ending.status === 'rejected') throw ending.reason
}

/** A moment at which the victim has work: requests of an API process, open rows of a worker. */
async function killDuringWork({ site, crew, callers, journal, random, say }: Scene) {
  const victim = random.integer(0, 1) === 0 ? 'api' : 'worker'
  const crowd = victim === 'api' ? crew.apis : crew.workers
  const index = random.integer(0, crowd.length - 1)
  if (victim === 'worker') await crowd[index]!.untilPrinted('working')
  await sleep(random.integer(0, 300))
  let kill: Kill = { victim, requests: 0, resources: 0 }
  await untilNoneRemain('work is under way', async () => {
    const resources = sumOf(await countOpen(site.db))
    kill = { victim, requests: callers.underWay, resources }
    const isUnderWay = victim === 'api' ? kill.requests > 0 : kill.resources > 0
    return !callers.isStopped && !isUnderWay && 'nothing'
  })
  if (callers.isStopped) return
  await killAndReplace(crew, victim, index)
  journal.kill(kill)
  const { requests, resources } = kill
  say(
    `kill ${journal.kills.length}: ${victim} with ${requests} requests and ${resources} resources ` +
      `under way, ${journal.acknowledged} acknowledged`,
  )
}

async function untilAtRest({ site, callers }: Scene): Promise<void> {
  await untilNoneRemain('everything is at rest', async () => {
    const open = await countOpen(site.db)
    return !callers.isStopped && sumOf(open) > 0 && open
  })
}

type Open = { payouts: number; returns: number; notices: number; batches: number; unpaid: number }

async function countOpen(db: Database): Promise<Open> {
  const [open] = await db.rows(sql<Open>`
    select (select count(*) from payouts where status in ('PENDING', 'SUBMITTED'))::int as payouts,
      (select count(*) from payment_returns where state in ('WAITING', 'SENT'))::int as returns,
      (select count(*) from notices where state = 'WAITING')::int as notices,
      (select count(*) from payout_batches
        where state in ('VALIDATING', 'PROCESSING'))::int as batches,
      (select count(*) from sandbox_payments s where not exists
        (select from payments p where p.rail_id = s.id))::int as unpaid`)
  return open!
}

function sumOf(open: Open): number {
  return Object.values(open).reduce((sum, count) => sum + count, 0)
}
