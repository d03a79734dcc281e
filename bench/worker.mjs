/** The real worker process. */
import { systemClock } from '../dist/clock.js'
import { readConfig } from '../dist/config.js'
import { createLogger } from '../dist/log.js'
import { openRails } from '../dist/open-rails.js'
import { Database } from '../dist/postgres/database.js'
import { createSeal } from '../dist/sealed.js'
import { startWork } from '../dist/work.js'

const config = readConfig()
const db = new Database(config.databaseUrl?.reveal() ?? '', () => {})
const logger = createLogger(config.logLevel)
const rails = await openRails({ config, db, clock: systemClock, logger })
const work = startWork({
  ...{ db, clock: systemClock, logger, rails },
  seal: createSeal(config.secret),
  allowsLoopbackWebhooks: true,
  requestLogDays: config.requestLogDays,
})
process.send?.('working')
process.on('disconnect', async () => {
  await work.stop()
  await rails.close()
  await db.close()
  process.exit(0)
})
