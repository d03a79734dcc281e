import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/postgres/database.js'
import { isRunning, type Program, postgresOf } from '../support/program.js'
import { chainOf } from './storm-site.js'

/** What is killed. The chain never alone: the service would not notice. */
export const victims = [
  'server',
  'server',
  'database',
  'both',
  'chain, then server',
  'all',
] as const
export type Victim = (typeof victims)[number]

/** A service without its database must end by itself: another may be about to replace it. */
export async function kill(home: string, program: Program, victim: Victim): Promise<void> {
  const postgres = postgresOf(home)
  const chain = chainOf(program)
  assert(postgres && chain, 'the database and the chain run')
  const takesChain = victim === 'all' || victim === 'chain, then server'
  const takesDatabase = victim === 'all' || victim === 'both' || victim === 'database'
  if (takesChain) process.kill(chain, 'SIGKILL')
  if (victim === 'chain, then server') await sleep(200)
  if (takesDatabase) process.kill(postgres, 'SIGKILL')
  if (victim !== 'database') program.signal('SIGKILL')
  await program.ended
  while (takesDatabase && isRunning(postgres)) await sleep(1)
}

/**
 * Makes rows claimed by killed workers due at once instead of after their lease. Skips locked rows:
 * a worker is using them, and waiting could deadlock.
 */
export async function hasten(db: Database, rows: string, dueAt = 'least(due_at, now())') {
  const [table] = rows.split(' ')
  const text = `update ${table} set due_at = ${dueAt}
    where ctid in (select ctid from ${rows} for update skip locked)`
  await db.rows({ text, values: [] })
}
