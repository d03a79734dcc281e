/** The real API process; with `plain` as argument, its lanes are replaced by the plain twin. */
import { compose } from '../dist/compose.js'
import { readConfig } from '../dist/config.js'
import { createLogger } from '../dist/log.js'
import { createPlainLane } from './plain-lane.mjs'

const config = readConfig()
const databaseUrl = config.databaseUrl?.reveal() ?? ''
const isPlain = process.argv[2] === 'plain'
const { app, close } = await compose({
  config,
  databaseUrl,
  logger: createLogger(config.logLevel),
  ...(isPlain && { createLane: createPlainLane(databaseUrl) }),
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.({ port: app.addresses()[0]?.port })
process.on('disconnect', async () => {
  await close()
  process.exit(0)
})
