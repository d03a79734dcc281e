import { type EnvironmentId, type Mode, toEnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import type { Database } from '../../src/postgres/database.js'
import { sql } from '../../src/postgres/sql.js'

/** A minimal environment, for modules that only need its id. */
export async function insertEnvironment(db: Database, mode: Mode = 'test'): Promise<EnvironmentId> {
  const now = new Date()
  const merchantId = newId(now)
  await db.rows(sql`insert into merchants values (${merchantId}, 'Ada Stores', ${now})`)
  const [row] = await db.rows(sql<{ id: number }>`
    insert into environments (merchant_id, mode, created_at) values (${merchantId}, ${mode}, ${now})
    returning id`)
  return toEnvironmentId(row!.id)
}
