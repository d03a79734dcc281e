/** The real worker process. */
import { createSeal } from '../dist/base/sealed.js'
import { startWork } from '../dist/processes/work.js'
import { clock, config, db, endWithParent, logger, rails } from './opened.mjs'

const work = startWork({
  command: 'work',
  db,
  clock,
  logger,
  rails,
  seal: createSeal(config.secret),
  allowsLoopbackWebhooks: true,
  requestLogDays: config.requestLogDays,
  eventDays: config.eventDays,
})
process.send?.({})
endWithParent(() => work.stop())
