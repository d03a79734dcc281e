/** The real API process; with `plain` as argument, its lanes are replaced by the plain twin. */

import { systemClock } from '../dist/clock.js'
import { compose } from '../dist/compose.js'
import { readConfig } from '../dist/config.js'
import { createLogger } from '../dist/log.js'
import { openRails } from '../dist/open-rails.js'
import { Database } from '../dist/postgres/database.js'
import { openPlainLanes } from './plain-lane.mjs'

const config = readConfig()
const databaseUrl = config.databaseUrl?.reveal() ?? ''
const isPlain = process.argv[2] === 'plain'
const logger = createLogger(config.logLevel)
const db = new Database(databaseUrl, () => {})
const opened = await openRails({ config, db, clock: systemClock, logger })
const { app, close } = await compose({
  config,
  databaseUrl,
  logger,
  rails: opened.rails,
  collecting: opened.collecting,
  ...(isPlain && { open: openPlainLanes(databaseUrl) }),
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: app.addresses()[0]?.port })
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
process.on('disconnect', async () => {
  await close()
  await opened.close()
  await db.close()
  process.exit(0)
})
