/**
 * One process with three API servers: one that keeps a log of requests and two equal ones that do
 * not. They share compiled code, heap and database, so that they differ by the log alone; the equal
 * ones show the smallest visible difference.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { compose } from '../dist/compose.js'
import { config, databaseUrl, endWithParent, logger, rails } from './opened.mjs'

const services = {}
for (const name of ['logged', 'unlogged', 'control']) {
  const requestLogDays = name === 'logged' ? config.requestLogDays : 0
  const parts = { databaseUrl, logger, rails: rails.rails, collectionRails: rails.collectionRails }
  services[name] = await compose({ ...parts, config: { ...config, requestLogDays } })
  await services[name].app.listen({ host: '127.0.0.1', port: 0 })
}
const ports = Object.entries(services).map(([name, { app }]) => [name, app.addresses()[0]?.port])
process.send?.({ ports: Object.fromEntries(ports) })

process.on('message', async () => {
  await sleep(500) // what waits is gathered and written
  process.send?.({ cpu: process.cpuUsage() })
})
endWithParent(async () => {
  for (const { close } of Object.values(services)) await close()
})
