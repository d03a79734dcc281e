/** The real worker process. */
import { systemClock } from '../dist/clock.js'
import { readConfig } from '../dist/config.js'
import { createLogger } from '../dist/log.js'
import { Database } from '../dist/postgres/database.js'
import { createSeal } from '../dist/sealed.js'
import { startWork } from '../dist/work.js'

const config = readConfig()
const db = new Database(config.databaseUrl?.reveal() ?? '', () => {})
const work = startWork({
  db,
  seal: createSeal(config.secret),
  clock: systemClock,
  logger: createLogger(config.logLevel),
  allowsLoopbackWebhooks: true,
})
process.send?.('working')
process.on('disconnect', async () => {
  await work.stop()
  await db.close()
  process.exit(0)
})
