import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import type { Program } from '../support/program.js'
import type { Random } from '../support/seed.js'
import { type Crew, startCrew, stopCrew } from './crew.js'
import type { Journal } from './journal.js'
import { JournalCallers, Stopped } from './journal-callers.js'
import { approvalRule, finishOpen, takeTurn } from './mixed-operations.js'
import { proveMixed } from './mixed-proof.js'
import { identifyIn, type MixedSite, openMixedSite } from './mixed-site.js'
import { stormUntil, untilAtRest } from './storm-loop.js'

/** A quote may expire while no API process answers. */
const expectedRefusals: ReadonlySet<string> = new Set(['conversion quote_expired'])

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

type Scene = Storm & { site: MixedSite; crew: Crew; callers: JournalCallers }

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
  const callers = new JournalCallers({
    urls: crew.urls,
    journal: storm.journal,
    identify: identifyIn(site),
    expectedRefusals,
  })
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
  const loop = {
    ...scene,
    takeTurn: () => takeTurn(scene),
    countOpen: () => countOpen(scene.site.db),
  }
  while (!callers.isStopped) {
    await stormUntil(loop, Math.min(kills, journal.kills.length + scene.killsBetweenProofs))
    if (callers.isStopped) break
    say(`${journal.acknowledged} acknowledged, ${journal.kills.length} kills; coming to rest`)
    await untilAtRest(loop)
    if (callers.isStopped) break
    const violations = await proveMixed(scene)
    if (violations.length > 0) return violations
    say('every proof holds')
    if (journal.kills.length >= kills && journal.acknowledged >= scene.operations) break
  }
  return []
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
