import type pg from 'pg'
import { connect } from './connection.js'

export type Claim = { release(): Promise<void> } | { heldBy: number }

/** Any number will do, as long as nothing else in this database locks it. */
const lockKey = 7_265_646
/** What a claim's connection calls itself, before the number of its process. */
export const claimName = 'manilla instance'
const tries = 5

/**
 * Lets one service run on a database. The claim lives as long as its connection, so it vanishes by
 * itself however the process ends. A service that lost its claim must not go on beside a second
 * one: unless the caller knows better, the loss is thrown and ends the process.
 */
export async function claimInstance(url: string, onLost = endProcess): Promise<Claim> {
  const client = await connect(url, `${claimName} ${process.pid}`)
  for (let attempt = 0; attempt < tries; attempt++) {
    if (await tryLock(client)) return keepClaim(client, onLost)
    const heldBy = await findHolder(client)
    if (heldBy === undefined) continue
    await client.end()
    return { heldBy }
  }
  await client.end()
  throw new Error('the claim on this database changes hands too quickly; start again')
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as is_ours', [lockKey])
  return rows[0].is_ours
}

/** The operating system's process id, as the holder wrote it; undefined when it has just ended. */
async function findHolder(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `select application_name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and classid = 0 and objid = $1 and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())`,
    [lockKey],
  )
  return rows[0] && Number(rows[0].application_name.slice(claimName.length))
}

function keepClaim(client: pg.Client, onLost: (reason: Error) => void): Claim {
  let isReleased = false
  let reason = new Error('the connection that holds the claim on this database was lost')
  client.on('error', (error) => {
    reason = new Error(reason.message, { cause: error })
  })
  client.on('end', () => {
    if (!isReleased) onLost(reason)
  })
  return {
    async release() {
      isReleased = true
      await client.end()
    },
  }
}

function endProcess(reason: Error): void {
  throw reason
}
