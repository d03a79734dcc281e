import { expect, test } from 'vitest'
import { Database } from '../../../src/postgres/database.js'
import { sql } from '../../../src/postgres/sql.js'
import { ConnectionLost, OutcomeUnknown } from '../../../src/postgres/wire/failures.js'
import { freshDatabase } from '../../support/database.js'
import { whenDone } from '../../support/open-manilla.js'
import type { Entry, Exit, Passage } from './passage.js'
import { openPostgresGate } from './postgres-gate.js'

const direct = await freshDatabase()
await direct.rows({ text: 'create table marks (id int)', values: [] })

async function openGated(entry: Entry, exit: Exit) {
  const seen: Passage[] = []
  const gate = await openPostgresGate(direct.url, {
    async enter(passage) {
      seen.push(passage)
      return entry
    },
    leave: async () => exit,
  })
  const db = new Database(gate.url, () => {})
  whenDone(async () => {
    await db.close()
    await gate.close()
  })
  return { db, seen, gate }
}

const countMarks = async (id: number) =>
  (await direct.rows(sql`select from marks where id = ${id}`)).length

const write = (db: Database, id: number) =>
  db.transaction(async (tx) => {
    await tx.rows(sql`select from marks`)
    tx.write(sql`insert into marks values (${id})`)
  })

test('a commit that passes is named by the tables it writes; reads are no passage', async () => {
  const { db, seen } = await openGated('pass', 'pass')
  await write(db, 1)
  await db.rows(sql`select from marks for update`)
  await db.rows(sql`insert into marks values (1)`)
  expect(seen).toEqual([
    { kind: 'commit', name: 'marks' },
    { kind: 'commit', name: 'marks' },
  ])
  expect(await countMarks(1)).toBe(2)
})

test('a commit that fails before its effect leaves nothing, and the client does not know', async () => {
  const { db } = await openGated('fail', 'pass')
  await expect(write(db, 2)).rejects.toThrow(OutcomeUnknown)
  expect(await countMarks(2)).toBe(0)
})

test('a commit whose acknowledgement is lost has its effect, and the client does not know', async () => {
  const { db } = await openGated('pass', 'lose')
  await expect(write(db, 3)).rejects.toThrow(OutcomeUnknown)
  expect(await countMarks(3)).toBe(1)
})

test('a killed gate refuses everything', async () => {
  const { db, gate } = await openGated('pass', 'pass')
  await write(db, 4)
  gate.kill()
  await expect(db.rows(sql`select from marks`)).rejects.toThrow(ConnectionLost)
})
