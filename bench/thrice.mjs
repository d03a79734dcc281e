/**
 * One process with three API servers: one that keeps a log of requests and two equal ones that do
 * not. They share compiled code, heap and database, so that they differ by the log alone; the equal
 * ones tell how small a difference can be seen.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../dist/clock.js'
import { compose } from '../dist/compose.js'
import { readConfig } from '../dist/config.js'
import { createLogger } from '../dist/log.js'
import { openRails } from '../dist/open-rails.js'
import { Database } from '../dist/postgres/database.js'

const config = readConfig()
const databaseUrl = config.databaseUrl?.reveal() ?? ''
const logger = createLogger(config.logLevel)
const db = new Database(databaseUrl, () => {})
const opened = await openRails({ config, db, clock: systemClock, logger })
const { rails, collecting } = opened

const houses = {}
for (const name of ['kept', 'not', 'control']) {
  const requestLogDays = name === 'kept' ? config.requestLogDays : 0
  const parts = { databaseUrl, logger, rails, collecting }
  houses[name] = await compose({ ...parts, config: { ...config, requestLogDays } })
  await houses[name].app.listen({ host: '127.0.0.1', port: 0 })
}
const ports = Object.entries(houses).map(([name, { app }]) => [name, app.addresses()[0]?.port])
process.send?.({ ports: Object.fromEntries(ports) })

process.on('message', async () => {
  await sleep(500) // what waits is gathered and written
  process.send?.({ cpu: process.cpuUsage() })
})
process.on('disconnect', async () => {
  for (const { close } of Object.values(houses)) await close()
  await opened.close()
  await db.close()
  process.exit(0)
})
