/** The real API process; the argument `plain` replaces its lanes with the plain twin. */
import { compose } from '../dist/processes/compose.js'
import { config, databaseUrl, endWithParent, logger, rails } from './opened.mjs'
import { openPlainLanes } from './plain-lane.mjs'

const { app, close } = await compose({
  config,
  databaseUrl,
  logger,
  rails: rails.rails,
  sandboxPayers: rails.sandboxBank,
  ...(process.argv[2] === 'plain' && { open: openPlainLanes(databaseUrl) }),
})
await app.listen({ host: '127.0.0.1', port: 0 })
const port = app.addresses()[0]?.port
rails.sandboxBank.sendNoticesTo(
  `http://127.0.0.1:${port}/rails/${rails.sandboxBank.name}/notices/test`,
)
process.send?.({ port })
endWithParent(close)
