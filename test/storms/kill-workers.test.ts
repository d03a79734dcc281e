import { expect, test } from 'vitest'
import { prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'
import { insertEndpoint, testSecret } from '../support/endpoints.js'
import { insertEnvironment } from '../support/environments.js'
import { isLongRun } from '../support/long-run.js'
import { openReceiver } from '../support/receiver.js'
import { seededRandom } from '../support/seed.js'
import { expectAllProofs } from '../support/sound-books.js'
import { trackPrograms } from '../support/track-programs.js'
import { killWorkers } from './kill-workers.js'
import { noTimeout } from './progress.js'

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
    const random = seededRandom('kill workers')
    const receiver = { received: 0, underWay: 0, cut: 0 }
    const { received, url } = await openReceiver((response) => {
      receiver.received += 1
      receiver.underWay += 1
      response.once('close', () => {
        receiver.underWay -= 1
        if (!response.writableFinished) receiver.cut += 1
      })
      // A slow endpoint, so that a kill finds deliveries without an answer.
      setTimeout(() => response.end('ok'), random.integer(5, 60))
    })
    const environmentId = await insertEnvironment(db)
    for (let number = 0; number < endpoints; number += 1)
      await insertEndpoint(db, environmentId, { url: `${url}/${number}` })
    const duringDeliveries = await killWorkers({
      db,
      environmentId,
      events,
      endpoints,
      kills,
      random,
      secret: testSecret.reveal(),
      receiver,
      say: (line) => console.log(line),
      onStart: (program) => programs.push(program),
    })

    expect(duringDeliveries).toBeGreaterThan(kills / 2)
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
  noTimeout,
)
