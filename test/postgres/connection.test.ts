import { expect, test } from 'vitest'
import { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'
import { connect, connectLane, connectListener } from '../../src/postgres/wire/connection.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()

// Stock PostgreSQL compiles queries whose estimated cost is high, and without scans it is: each
// query would then compile for seconds before it reads a few rows.
test('no connection compiles its queries, even if the server does by default', async () => {
  await db.rows({
    text: `alter database ${new URL(db.url).pathname.slice(1)} set jit = on`,
    values: [],
  })
  const pools = [
    new Database(db.url, () => {}),
    new Database(db.url, () => {}, { readsByKey: true }),
  ]
  for (const pool of pools) {
    expect(await pool.rows(sql`show jit`)).toEqual([{ jit: 'off' }])
    await pool.close()
  }
  for (const open of [connect, connectLane, connectListener]) {
    const client = await open(db.url, 'manilla streams')
    expect((await client.query('show jit')).rows).toEqual([{ jit: 'off' }])
    await client.end()
  }
})
