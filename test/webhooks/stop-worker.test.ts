import { expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { emit, newEventOf } from '../support/deliveries.js'
import { insertEndpoint, testSecret } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { spawnWork } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'
import { trackPrograms } from '../support/track-programs.js'

const programs = trackPrograms()
const db = await freshDatabase()

// A deployment stops every worker. Its hand-back must come before its connections are closed.
test('a worker that is stopped hands back the delivery that a receiver keeps waiting', async () => {
  const { received, url } = await openReceiver(() => {})
  const environmentId = await insertEnvironment(db)
  const { endpoint } = await insertEndpoint(db, environmentId, { url })
  const program = spawnWork(db.url, testSecret.reveal())
  programs.push(program)
  await program.untilPrinted('"msg":"working"')
  await emit(db, new Date(), [newEventOf(environmentId)])
  await until(() => received.length === 1)

  program.signal('SIGTERM')
  expect(await program.ended).toEqual({ code: 0, signal: null })
  expect(program.text()).not.toContain('did not stop in time')
  const rows = await db.rows(sql`
    select state, attempts, tries, due_at <= ${new Date()} as is_due from deliveries
    where endpoint_id = ${endpoint.id}`)
  expect(rows).toEqual([{ state: 'PENDING', attempts: 0, tries: 0, isDue: true }])
}, 60_000)
