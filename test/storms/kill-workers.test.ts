import { expect, test } from 'vitest'
import { prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEndpoint, testSecret } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { isLongRun } from '../support/long-run.js'
import { trackPrograms } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'
import { seededRandom } from '../support/seed.js'
import { expectAllProofs } from '../support/sound-books.js'
import { killWorkers } from './kill-workers.js'

/** Only `npm run storm` runs it. */
const kills = Number(process.env.STORM_KILLS ?? 40)
const events = 2_000
const endpoints = 5

const db = await freshDatabase()
const programs = trackPrograms()

// Workers die while they send. Every endpoint must receive every event, and can detect duplicates by
// the id.
test.runIf(isLongRun)(
  'no event is lost, whichever worker is killed',
  async () => {
    const { received, url } = await openReceiver()
    const environmentId = await insertEnvironment(db)
    for (let number = 0; number < endpoints; number += 1)
      await insertEndpoint(db, environmentId, { url: `${url}/${number}` })
    await killWorkers({
      db,
      environmentId,
      events,
      kills,
      random: seededRandom('kill workers'),
      secret: testSecret.reveal(),
      countReceived: () => received.length,
      say: (line) => console.log(line),
      onStart: (program) => programs.push(program),
    })

    const happened = await db.rows(sql<{ id: string }>`select id from events`)
    const expected = happened.map(({ id }) => toReference(prefixes.event, id)).toSorted()
    console.log(`${received.length} received of ${expected.length * endpoints} deliveries`)
    for (let number = 0; number < endpoints; number += 1) {
      const heard = received.filter(({ path }) => path === `/${number}`)
      const ids = new Set(heard.map(({ headers }) => headers['webhook-id']!))
      expect([...ids].toSorted()).toEqual(expected)
    }
    const open = await db.rows(sql`select from deliveries where state <> 'DELIVERED'`)
    expect(open).toEqual([])
    await expectAllProofs(db)
  },
  60_000 + kills * 20_000,
)
