import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { chainName, installationChain } from '../../src/audit/chain.js'
import { logAuditHeads } from '../../src/audit/log-heads.js'
import { readSignedHeads, signHead } from '../../src/audit/signed-heads.js'
import { listChains, verifyChain } from '../../src/audit/verify-chain.js'
import { type AuditActor, writeAuditLine } from '../../src/audit/write-line.js'
import { after, hour, minute } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { examineAudit } from '../../src/operations/doctor/examine-audit.js'
import { sql } from '../../src/postgres/sql.js'
import type { Tx } from '../../src/postgres/transactions/tx.js'
import { createConsole, seal, secret } from '../operations/commands/commands.js'
import { emptyDatabase, freshDatabase } from '../support/database.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.123Z')
const merchantId = randomUUID()
const other = randomUUID()
const ada = {
  kind: 'user',
  userId: randomUUID(),
  sessionId: randomUUID(),
  email: 'ada@shop.example',
  permissions: new Set(['audit.see']),
} as const

function write(tx: Tx, action: string, merchant: string | undefined = merchantId) {
  const details = { text: 'Ọlá "says"\n\u0001 \u{1f600} \\', amount: 12.5, none: null }
  const actor: AuditActor = merchant ? ada : 'root'
  const line = { actor, action, merchantId: merchant, details, address: '127.0.0.1' }
  writeAuditLine(tx, now, { ...line, requestId: 'req_1' })
}

beforeAll(async () => {
  for (let index = 1; index <= 6; index += 1)
    await db.transaction(async (tx) => {
      write(tx, `action ${index}`)
      write(tx, `other ${index}`, other)
    })
  await db.transaction(async (tx) =>
    writeAuditLine(tx, now, { actor: 'root', action: 'x', details: {} }),
  )
})

afterEach(() => {
  process.exitCode = undefined
})

test('each chain counts without gaps, and the database and this program compute the same hashes', async () => {
  expect(await listChains(db)).toEqual([installationChain, merchantId, other].sort())
  for (const chain of [merchantId, other]) {
    const { lines, isWhole, faults, head } = await verifyChain(db, chain)
    expect({ lines, isWhole, faults, number: head?.number }).toEqual({
      lines: 6,
      isWhole: true,
      faults: [],
      number: 6n,
    })
  }
})

test('no line is written unchained, whatever wrote it', async () => {
  await insertBy(sql`null, 99, decode(repeat('ab', 32), 'hex'), decode(repeat('cd', 32), 'hex')`)
  expect(await verifyChain(db, installationChain)).toMatchObject({ lines: 2, faults: [] })
  // A head that moved without a line would let the next line leave a gap.
  const [line] = await db.rows(sql<{ id: string }>`select id from audit_lines limit 1`)
  const again = sql`insert into audit_lines (id, actor, action, details, created_at)
    values (${line!.id}, 'x', 'x', '{}', now()) on conflict do nothing`
  await expect(db.rows(again)).rejects.toThrow('moved without a line')
  for (const edit of [
    sql`update audit_heads set number = number + 1 where chain = ${merchantId}`,
    sql`update audit_heads set number = number - 1 where chain = ${merchantId}`,
    sql`update audit_heads set hash = decode(repeat('00', 32), 'hex')`,
    sql`insert into audit_heads values (${randomUUID()}, 5, decode(repeat('00', 32), 'hex'))`,
    sql`delete from audit_heads`,
    sql`truncate audit_heads`,
    sql`update audit_lines set actor = 'x'`,
    sql`delete from audit_lines`,
  ])
    await expect(db.rows(edit)).rejects.toMatchObject({ code: '23001' })
})

function insertBy(values: ReturnType<typeof sql>) {
  return db.rows(sql`
    insert into audit_lines
      (id, actor, action, details, created_at, chain, number, previous_hash, hash)
    values (${randomUUID()}, 'psql', 'sql', '{"a" : 1}', now(), ${values})`)
}

/** A superuser changes rows behind the triggers; the change is rolled back after the proof. */
async function faultsAfter(...changes: ReturnType<typeof sql>[]): Promise<string[]> {
  const rolledBack = new Error('rolled back')
  let found: string[] = []
  const broken = db.transaction(async (tx) => {
    const { head } = await verifyChain(tx, merchantId)
    tx.write(sql`set local session_replication_role = replica`)
    for (const change of changes) await tx.rows(change)
    const known = [{ chain: merchantId, ...head! }]
    found = (await verifyChain(tx, merchantId, { known })).faults.map(({ message }) => message)
    throw rolledBack
  })
  await expect(broken).rejects.toBe(rolledBack)
  return [...new Set(found)]
}

const lineOf = (number: number) => sql`chain = ${merchantId} and number = ${number}`

test('a superuser who edits any column of a line is found', async () => {
  for (const change of [
    sql`actor = 'eve'`,
    sql`action = 'other'`,
    sql`details = '{}'`,
    sql`details = (replace(details::text, ':', ': '))::json`,
    sql`created_at = created_at + interval '1 microsecond'`,
    sql`environment_id = 1`,
    sql`user_id = null`,
    sql`session_id = null`,
    sql`address = '127.0.0.2'`,
    sql`request_id = null`,
    sql`id = gen_random_uuid()`,
  ])
    expect(await faultsAfter(sql`update audit_lines set ${change} where ${lineOf(3)}`)).toEqual([
      'line 3 was edited',
    ])
})

test('removed, inserted and swapped lines and moved heads are found', async () => {
  const rehash = sql`update audit_lines l set hash = hash_audit_line(l) where ${lineOf(3)}`
  const remove = (number: number) => sql`delete from audit_lines where ${lineOf(number)}`
  const headTo = (number: number) => sql`
    update audit_heads set number = ${number},
      hash = (select hash from audit_lines where ${lineOf(number)}) where chain = ${merchantId}`
  const moveAfter = (number: number, by: number) => sql`
    update audit_lines set number = number + ${by} where chain = ${merchantId} and number > ${number}`
  const copyOf = (number: number, to: number) => sql`
    insert into audit_lines select (jsonb_populate_record(l,
      jsonb_build_object('id', gen_random_uuid(), 'number', ${to}::int))).*
    from audit_lines l where ${lineOf(number)}`

  expect(
    await faultsAfter(sql`update audit_lines set actor = 'eve' where ${lineOf(3)}`, rehash),
  ).toEqual(['line 4 does not follow line 3'])
  expect(await faultsAfter(remove(3))).toEqual(['line 3 is missing'])
  expect(await faultsAfter(remove(1))).toEqual(['line 1 is missing'])
  expect(await faultsAfter(remove(6))).toEqual(['line 6 is missing'])
  expect(await faultsAfter(sql`delete from audit_lines where chain = ${merchantId}`)).toEqual([
    'lines 1 to 6 are missing',
  ])
  // The last line and the head, so that only a head that was written down tells.
  expect(await faultsAfter(headTo(5), remove(6))).toEqual(['line 6 is missing'])
  expect(await faultsAfter(headTo(5))).toEqual(['the head is at line 5, before the last line'])
  expect(await faultsAfter(sql`delete from audit_heads where chain = ${merchantId}`)).toEqual([
    'the head of the chain is missing',
  ])
  expect(
    await faultsAfter(sql`drop index audit_numbers_are_unique`, moveAfter(3, 1), copyOf(3, 4)),
  ).toContain('line 4 was edited')
  expect(await faultsAfter(copyOf(6, 7))).toContain('the head is at line 6, before the last line')
  const swap = [
    sql`drop index audit_numbers_are_unique`,
    sql`update audit_lines set number = 7 - number where ${lineOf(3)} or ${lineOf(4)}`,
  ]
  expect(await faultsAfter(...swap)).toEqual(
    expect.arrayContaining(['line 3 was edited', 'line 4 was edited']),
  )
})

test('a chain that was rewritten as a whole is found by a head that was written down', async () => {
  const rewrite = sql`
    do $$ declare line audit_lines; head bytea := decode(repeat('00', 32), 'hex'); begin
      for line in select * from audit_lines where chain = '${sql.raw(merchantId)}' order by number loop
        line.previous_hash := head;
        line.actor := 'eve';
        head := hash_audit_line(line);
        update audit_lines set actor = 'eve', previous_hash = line.previous_hash, hash = head
          where id = line.id;
      end loop;
      update audit_heads set hash = head where chain = '${sql.raw(merchantId)}';
    end $$`
  expect(await faultsAfter(rewrite)).toEqual([
    'line 6 is not the one of the head that was written down',
  ])
})

test('two writers of one chain wait for each other and never deadlock', async () => {
  const before = (await verifyChain(db, merchantId)).lines
  // Each locks a row of its own first, and both heads in the order of their names.
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      db.transaction(async (tx) => {
        const chains = index % 2 === 0 ? [merchantId, other] : [other, merchantId]
        for (const chain of chains) write(tx, `race ${index}`, chain)
        await tx.rows(sql`select 1`)
      }),
    ),
  )
  for (const chain of [merchantId, other])
    expect(await verifyChain(db, chain)).toMatchObject({ lines: before + 12, faults: [] })
})

/** What a worker writes to its log, one line of JSON each. */
function createLog() {
  const log: string[] = []
  const logger = createLogger('info', { write: (line) => log.push(line) })
  return { log, logHeads: (at: Date) => logAuditHeads({ db, seal, logger }, at) }
}

test('heads are logged minutes after their chain grew, and at least every hour', async () => {
  const { log, logHeads } = createLog()
  expect(await logHeads(now)).toBe(3)
  expect(await logHeads(after(now, hour - 1))).toBe(0)
  await db.transaction(async (tx) => write(tx, 'one more'))
  expect(await logHeads(after(now, 5 * minute - 1))).toBe(0)
  expect(await logHeads(after(now, 5 * minute))).toBe(1)
  expect(log.at(-1)).toContain(`${chainName(merchantId)}=19:`)
  expect(await logHeads(after(now, hour))).toBe(2)
  expect(await logHeads(after(now, hour + 5 * minute))).toBe(1)
  const heads = log.flatMap((line) => readSignedHeads(seal, line))
  expect(heads).toHaveLength(7)
  expect(heads.every(({ signature }) => signature === 'valid')).toBe(true)
})

test('a head is valid only as it was signed, and names the secret that signed it', () => {
  const head = { chain: merchantId, number: 7n, hash: Buffer.alloc(32, 5) }
  const signed = signHead(seal, now, head)
  const check = (text: string, by = seal) =>
    readSignedHeads(by, text).map(({ signature }) => signature)
  expect(readSignedHeads(seal, signed)[0]!.head).toEqual({ ...head, signedAt: now })
  // Log shippers wrap lines in JSON of their own, and terminals in colours.
  expect(check(JSON.stringify({ log: JSON.stringify({ head: signed }) }))).toEqual(['valid'])
  expect(check(`12:00 INFO audit head head=${signed}\u001b[0m ${signed}`)).toEqual([
    'valid',
    'valid',
  ])
  for (const changed of [
    signed.replace('=7:', '=6:'),
    signed.replace(':0505', ':0605'),
    signed.replace('2026', '2027'),
    signed.replace(chainName(merchantId), chainName(other)),
    signed.replace(chainName(merchantId), 'installation'),
    signed.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
  ])
    expect(check(changed)).toEqual(['forged'])
  const next = new Secret('another secret of more than thirty-two characters')
  expect(check(signed, createSeal(next))).toEqual(['other_secret'])
  expect(check(signed, createSeal(next, { old: secret }))).toEqual(['valid'])
})

test('verify-audit and doctor find a line that a superuser removed', async () => {
  const { run, runJson } = createConsole(db)
  const clean = await runJson('verify-audit')
  expect(clean).toMatchObject({ isClean: true })
  const { head } = clean.chains.find(({ chain }: { chain: string }) => chain === chainName(other))
  const written = `${chainName(other)}=${head}`
  expect(await runJson('verify-audit', '--head', written)).toMatchObject({ isClean: true })
  const wrong = written.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  expect(await runJson('verify-audit', '--head', wrong)).toMatchObject({ isClean: false })
  expect((await run('verify-audit', '--head', 'x')).err).toContain('Must be such as')
  expect(await examineAudit(db)).toMatchObject([{ state: 'ok' }])

  await db.transaction(async (tx) => {
    tx.write(sql`set local session_replication_role = replica`)
    await tx.rows(sql`delete from audit_lines where ${lineOf(5)}`)
  })
  process.exitCode = undefined
  const { out } = await run('verify-audit')
  expect(process.exitCode).toBe(1)
  expect(out).toContain(`${chainName(merchantId)}: line 5 is missing`)
  expect(out).toContain('THE AUDIT LOG WAS CHANGED')
  expect(await examineAudit(db)).toMatchObject([{ state: 'error' }])
})

test('lines written before there were chains begin the chain of the installation', async () => {
  const old = await emptyDatabase()
  const client = new pg.Client(old.url)
  await client.connect()
  await client.query(await readFile('migrations/0001_merchants.sql', 'utf8'))
  const ids = Array.from({ length: 3 }, () => randomUUID()).sort()
  for (const id of ids.toReversed())
    await client.query(`insert into audit_lines values
      ('${id}', 'ada', 'key.create', '${merchantId}', 7, '{"id": "x"}', now())`)
  await client.query(await readFile('migrations/0036_audit_chains.sql', 'utf8'))
  await client.end()
  expect(await verifyChain(old, installationChain)).toMatchObject({ lines: 3, faults: [] })
  const rows = await old.rows(sql<{ id: string }>`select id from audit_lines order by number`)
  expect(rows.map(({ id }) => id)).toEqual(ids)
  await expect(old.rows(sql`update audit_lines set number = 9`)).rejects.toThrow('never edited')
})
