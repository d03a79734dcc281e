/** Opens what every measured process needs, from its environment variables. */
import { systemClock } from '../dist/base/clock.js'
import { readConfig } from '../dist/base/config.js'
import { createLogger } from '../dist/base/log.js'
import { Database } from '../dist/postgres/database.js'
import { openRails } from '../dist/processes/open-rails.js'

export const clock = systemClock
export const config = readConfig()
export const databaseUrl = config.databaseUrl?.reveal() ?? ''
export const logger = createLogger(config.logLevel)
export const db = new Database(databaseUrl, () => {})
export const rails = await openRails({ config, db, clock, logger })

/** Closes everything and ends the process when its parent ends. */
export function endWithParent(close) {
  process.on('disconnect', async () => {
    await close()
    await rails.close()
    await db.close()
    process.exit(0)
  })
}
