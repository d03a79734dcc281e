import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/base/secret.js'
import { Database } from '../../src/postgres/database.js'
import { startEmbeddedServer } from '../../src/postgres/embedded/server.js'
import { migrate } from '../../src/postgres/migrations/migrate.js'
import { isLongRun } from '../support/long-run.js'
import { createHome } from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { expectAllProofs } from '../support/sound-books.js'
import { trackPrograms } from '../support/track-programs.js'
import { databaseStorm } from './database-storm.js'
import { noTimeout } from './progress.js'

const rounds = 20

const home = createHome()
const programs = trackPrograms(home)

// The database restarts, or ends every connection, while requests and workers use it.
// Only in `npm run storm`.
test.runIf(isLongRun)(
  'no process dies with its database, and every acknowledged write is there once',
  async () => {
    const options = { dataDirectory: path.join(home, 'data') }
    let server = await startEmbeddedServer(options)
    onTestFinished(() => server.stop())
    await migrate(server.url)
    const { url } = server
    const result = await databaseStorm({
      url,
      secret: new Secret('5'.repeat(64)),
      rounds,
      random: seededRandom('database storm'),
      async restart() {
        await server.stop()
        server = await startEmbeddedServer(options)
        expect(server.url).toBe(url)
      },
      say: (line) => console.log(line),
      onStart: (program) => programs.push(program),
    })
    const { acknowledged, refused, unknown } = result
    console.log(
      `${rounds} restarts and ${rounds} ends of all connections: ` +
        `${acknowledged.length} acknowledged, ${refused} refused, ${unknown} unknown`,
    )
    expect(result.died).toEqual([])
    // Of the restarts and of the ends of all connections.
    expect(result.lossesDuringWork).toBeGreaterThanOrEqual(rounds)
    expect(result.booked).toBe(BigInt(acknowledged.length))
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
    const db = new Database(url, () => {})
    await expectAllProofs(db)
    await db.close()
  },
  noTimeout,
)
