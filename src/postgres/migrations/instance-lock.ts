import type pg from 'pg'
import { connect } from '../wire/connection.js'

export type Claim = { release(): Promise<void> } | { heldBy: number }

/** Any number that nothing else in this database locks. */
const lockKey = 7_265_646
/** Application name of the connection that holds the claim, followed by its process id. */
export const claimName = 'manilla instance'
const attemptsMax = 5

/**
 * Ensures that only one service runs on a database. The claim ends with its connection, however
 * the process ends. A service that lost its claim must not run beside a second one, so by default
 * the loss ends the process.
 */
export async function claimInstance(url: string, onLost = endProcess): Promise<Claim> {
  const client = await connect(url, `${claimName} ${process.pid}`)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (await tryLock(client)) return keepClaim(client, onLost)
    const heldBy = await findHolder(client)
    if (heldBy === undefined) continue
    await client.end()
    return { heldBy }
  }
  await client.end()
  throw new Error('another process keeps claiming this database; start again')
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as is_ours', [lockKey])
  return rows[0].is_ours
}

/** Process id of the holder; undefined when it has just ended. */
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
