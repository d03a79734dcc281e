import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { emptyDatabase } from '../support/database.js'

const folder = 'migrations'
const renamed = '0092_members_not_persons.sql'

const limitPer = (per: string) => ({
  per,
  window: 'day',
  currency: 'NGN',
  amount: 500,
  count: null,
})
const ruleOf = (...scopes: string[]) => ({
  NGN: { each: 100, perDay: null },
  controls: { velocity: scopes.map(limitPer) },
})

// Rows that are never edited otherwise, and a rule that only a second member makes looser.
test('stored freezes and limits of persons become those of members', async () => {
  const db = await emptyDatabase()
  const client = new pg.Client(db.url)
  await client.connect()
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort()
  for (const file of files.slice(0, files.indexOf(renamed)))
    await client.query(await readFile(`${folder}/${file}`, 'utf8'))

  const [merchant, user, other] = [randomUUID(), randomUUID(), randomUUID()]
  const rule = JSON.stringify(ruleOf('key', 'person'))
  const plain = JSON.stringify({ NGN: null, controls: null })
  await client.query(`
    insert into merchants (id, display_name, created_at) values ('${merchant}', 'Ada Shop', now());
    insert into users (id, email, name, created_at)
      values ('${user}', 'ada@example.com', 'Ada Obi', now());
    insert into environments (merchant_id, mode, created_at)
      values ('${merchant}', 'test', now()), ('${merchant}', 'live', now());
    insert into environment_settings
      select id, json_build_object('approvals', (case mode when 'test' then '${rule}'
        else '${plain}' end)::json), 1, now() from environments;
    insert into setting_changes (environment_id, id, approvals, approvals_before, proposed_by,
        state, created_at, expires_at)
      select id, gen_random_uuid(), '${plain}', '${rule}', '${user}', 'OPEN', now(), now()
      from environments where mode = 'test';
    insert into payout_freezes (id, environment_id, kind, subject, reason, frozen_by,
        is_of_operators, frozen_at, thawed_by, thawed_at)
      select gen_random_uuid(), id, 'person', '${user}', 'Gone', '${other}', false, now(),
        case mode when 'live' then 'shell:ops' end, case mode when 'live' then now() end
      from environments`)
  await client.query(await readFile(`${folder}/${renamed}`, 'utf8'))
  await client.end()

  const kinds = await db.rows(sql`select kind from payout_freezes`)
  expect(kinds).toEqual([{ kind: 'member' }, { kind: 'member' }])
  const rules = await db.rows(sql<{ mode: string; kept: string; read: string }>`
    select e.mode, s.document -> 'approvals' as kept, e.approval_rule as read
    from environments e join environment_settings s on s.environment_id = e.id order by e.mode`)
  for (const { mode, kept, read } of rules) {
    const expected = mode === 'test' ? ruleOf('key', 'member') : JSON.parse(plain)
    expect(JSON.parse(kept), mode).toEqual(expected)
    expect(read).toBe(kept)
  }
  const [change] = await db.rows(sql<{ after: string; before: string }>`
    select approvals as after, approvals_before as before from setting_changes`)
  expect(JSON.parse(change!.after)).toEqual(JSON.parse(plain))
  expect(JSON.parse(change!.before)).toEqual(ruleOf('key', 'member'))

  // What the migration switched off is on again.
  await expect(
    db.rows(sql`update payout_freezes set reason = 'Another' where thawed_at is null`),
  ).rejects.toThrow('never edited')
  await expect(db.rows(sql`update setting_changes set approvals = '{}'`)).rejects.toThrow(
    'never edited',
  )
  await expect(
    db.rows(sql`update environment_settings set document = '{}' where document::text like '%key%'`),
  ).rejects.toMatchObject({ constraint: 'looser_rule_needs_a_second_person' })
  await expect(
    db.rows(sql`update payout_freezes set thawed_by = ${user}, thawed_at = now(),
      thaw_asked_by = 'shell:ops', thaw_asked_at = now() where thawed_at is null`),
  ).rejects.toMatchObject({ constraint: 'frozen_member_does_not_thaw' })
})
