import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { newId, prefixes, toReference } from '../../src/base/ids.js'
import { connect } from '../../src/postgres/wire/connection.js'
import { emptyDatabase } from '../support/database.js'

const folder = new URL('../../migrations/', import.meta.url)
const linking = '0049_links.sql'

test('links from before know their makers, and password links of members end', async () => {
  const db = await emptyDatabase()
  const client = await connect(db.url, 'manilla test')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of names.slice(0, names.indexOf(linking)))
    await client.query(await readFile(new URL(name, folder), 'utf8'))

  const at = new Date('2026-01-05T10:00:00Z')
  const makers = Array.from({ length: 20 }, () => newId(at))
  const merchant = newId(at)
  await client.query(
    `insert into merchants (id, display_name, created_at) values ($1, 'Ada', $2)`,
    [merchant, at],
  )
  for (const [index, id] of makers.entries())
    await client.query(
      `insert into users (id, email, name, is_operator, created_at)
      values ($1, $2, 'Ada Obi', false, $3)`,
      [id, `maker${index}@example.com`, at],
    )
  const insert = (createdBy: string, resets: string | null) =>
    client.query(
      `insert into invitations (id, hash, email, merchant_id, role, may_see_live, is_operator,
        resets_user_id, created_by, created_at, expires_at)
      values (gen_random_uuid(), sha256(gen_random_uuid()::text::bytea), 'x@example.com', $1, $2,
        false, false, $3, $4, $5, $5::timestamptz + interval '72 hours')`,
      [resets ? null : merchant, resets ? null : 'viewer', resets, createdBy, at],
    )
  for (const id of makers) await insert(toReference(prefixes.user, id), null)
  await insert(toReference(prefixes.user, makers[0]!), makers[1]!)
  await insert('root', makers[1]!)

  await client.query(await readFile(new URL(linking, folder), 'utf8'))
  const { rows } = await client.query(`
    select created_by, created_by_user, resets_user_id is not null as resets,
      revoked_at is not null as revoked from invitations`)
  expect(rows).toHaveLength(22)
  for (const { created_by, created_by_user, resets, revoked } of rows) {
    const expected = created_by_user ? toReference(prefixes.user, created_by_user) : 'root'
    expect(created_by).toBe(expected)
    expect(revoked).toBe(resets && created_by_user !== null)
  }
  await client.end()
})
