import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { chainName, installationChain } from '../../src/audit/chain.js'
import { logAuditHeads } from '../../src/audit/log-heads.js'
import { writeAuditLine } from '../../src/audit/write-line.js'
import { after, hour } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { examineAudit } from '../../src/operations/doctor/examine-audit.js'
import { type Sql, sql } from '../../src/postgres/sql.js'
import { createConsole, seal } from '../operations/commands/commands.js'
import { freshDatabase } from '../support/database.js'

const now = new Date('2026-01-05T09:00:00.123Z')
const folder = mkdtempSync(join(tmpdir(), 'manilla-heads-'))

afterEach(() => {
  process.exitCode = undefined
})

/** An installation and two merchants with six lines each, and the log of its worker so far. */
async function openChains() {
  const db = await freshDatabase()
  const [merchant, other] = [randomUUID(), randomUUID()]
  async function write(chain: string, action: string) {
    const merchantId = chain === installationChain ? undefined : chain
    const line = { actor: 'root', merchantId, details: {}, log: 'merchant' } as const
    await db.transaction(async (tx) => writeAuditLine(tx, now, { ...line, action }))
  }
  for (const chain of [installationChain, merchant, other])
    for (let number = 1; number <= 6; number += 1) await write(chain, `action ${number}`)
  const log: string[] = []
  const logger = createLogger('info', { write: (line) => log.push(line) })
  const logHeads = (at: Date) => logAuditHeads({ db, seal, logger }, at)
  await logHeads(now)

  /** As a superuser does it, with every trigger switched off. */
  const change = (...changes: Sql[]) =>
    db.transaction(async (tx) => {
      tx.write(sql`set local session_replication_role = replica`)
      for (const each of changes) await tx.rows(each)
    })
  /** Cuts the end off a chain and makes the rest of the database agree. */
  const cut = (chain: string, last: number) =>
    change(
      sql`delete from audit_lines where chain = ${chain} and number > ${last}`,
      ...['audit_heads', 'audit_logged_heads'].map(
        (table) => sql`
          update ${sql.raw(table)} set number = ${last}, hash = (
            select hash from audit_lines where chain = ${chain} and number = ${last})
          where chain = ${chain}`,
      ),
    )
  const { run } = createConsole(db)
  async function verify(...words: string[]) {
    process.exitCode = undefined
    const { out, err, exitCode } = await run('verify-audit', ...words)
    return { out, err, code: exitCode || (process.exitCode ?? 0) }
  }
  function keep(lines: string[]): string {
    const file = join(folder, `${randomUUID()}.log`)
    writeFileSync(file, lines.join(''))
    return file
  }
  return { db, merchant, other, write, log, logHeads, change, cut, verify, keep }
}

test('a cut tail whose head was set back passes alone and is found with a copy of the log', async () => {
  for (const of of ['merchant', 'installation'] as const) {
    const { db, merchant, log, cut, verify, keep } = await openChains()
    const chain = of === 'merchant' ? merchant : installationChain
    const copy = keep(['not JSON\n', '{"msg":"working"}\n', ...log])
    expect(await verify('--since', copy)).toMatchObject({ code: 0 })

    await cut(chain, 4)
    // Nothing in the database shows it; the page says so.
    const alone = await verify()
    expect(alone).toMatchObject({ code: 0 })
    expect(alone.out).toContain('are found with a copy of its heads: --since')
    expect(await examineAudit(db)).toMatchObject([{ state: 'ok' }])
    const compared = await verify('--since', copy)
    expect(compared.code).toBe(1)
    expect(compared.out).toContain(`${chainName(chain)}: lines 5 to 6 are missing`)
  }
})

test('a cut chain that grew again is found, at the line that took the place', async () => {
  const { merchant, write, log, logHeads, cut, verify, keep } = await openChains()
  const copy = keep(log)
  await cut(merchant, 5)
  for (const action of ['forged', 'later']) await write(merchant, action)
  await logHeads(after(now, hour))
  expect(await verify()).toMatchObject({ code: 0 })
  for (const file of [copy, keep(log)]) {
    const { code, out } = await verify('--since', file)
    expect(code).toBe(1)
    expect(out).toContain(`${chainName(merchant)}: line 6 is not the one of the head`)
  }
})

test('a chain that vanished whole is found, also one that the database no longer names', async () => {
  const { merchant, log, change, verify, keep } = await openChains()
  const ofMerchant = sql`where chain = ${merchant}`
  await change(
    sql`delete from audit_lines ${ofMerchant}`,
    sql`delete from audit_heads ${ofMerchant}`,
    sql`delete from audit_logged_heads ${ofMerchant}`,
  )
  expect(await verify()).toMatchObject({ code: 0 })
  const { code, out } = await verify('--since', keep(log))
  expect(code).toBe(1)
  expect(out).toContain(`${chainName(merchant)}: lines 1 to 6 are missing`)
})

test('lines that were written and cut after the last copied head are not found', async () => {
  const { merchant, write, log, cut, verify, keep } = await openChains()
  await write(merchant, 'between two heads')
  await cut(merchant, 6)
  const { code, out } = await verify('--since', keep(log))
  expect(code).toBe(0)
  expect(out).toContain(`Lines written after ${now.toISOString()} are not proven by it.`)
})

test('a forged head in the copy, an empty copy and a missing one are refused', async () => {
  const { merchant, log, verify, keep } = await openChains()
  const forged = log.map((line) =>
    line.replace(`${chainName(merchant)}=6:`, `${chainName(merchant)}=5:`),
  )
  const { code, out } = await verify('--since', keep(forged))
  expect(code).toBe(1)
  expect(out).toContain(`${chainName(merchant)}=5 in the copy was not signed by this installation`)
  expect((await verify('--since', keep(['working\n']))).err).toContain('holds no signed head')
  expect((await verify('--since', join(folder, 'none'))).err).toContain('cannot be read')
})

test('verify-audit --heads prints heads that --since reads, but none of a changed log', async () => {
  const { merchant, change, cut, verify, keep } = await openChains()
  const printed = await verify('--heads')
  expect(printed.out.trim().split('\n')).toHaveLength(3)
  const copy = keep([printed.out])
  expect(await verify('--since', copy)).toMatchObject({ code: 0 })
  await cut(merchant, 3)
  expect((await verify('--since', copy)).out).toContain('lines 4 to 6 are missing')
  await change(sql`update audit_lines set actor = 'eve' where chain = ${merchant} and number = 2`)
  const changed = await verify('--heads')
  expect(changed.code).toBe(1)
  expect(changed.out).not.toContain('@')
})

test('a worker and doctor report a line that was logged and is gone, and keep the evidence', async () => {
  const { db, merchant, log, logHeads, change, verify } = await openChains()
  await change(
    sql`delete from audit_lines where chain = ${merchant} and number > 4`,
    sql`update audit_heads set number = 4, hash = (
      select hash from audit_lines where chain = ${merchant} and number = 4)
      where chain = ${merchant}`,
  )
  log.length = 0
  await logHeads(after(now, hour))
  await logHeads(after(now, 2 * hour))
  const alarms = log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')
  expect(alarms).toMatchObject([
    { chain: chainName(merchant), number: 6 },
    { chain: chainName(merchant), number: 6 },
  ])
  expect(log.join('')).not.toContain(`${chainName(merchant)}=4`)
  expect(await examineAudit(db)).toMatchObject([{ state: 'error' }])
  expect((await verify()).out).toContain('lines 5 to 6 are missing')
  for (const edit of [
    sql`update audit_logged_heads set number = 1`,
    sql`update audit_logged_heads set hash = decode(repeat('00', 32), 'hex')`,
    sql`delete from audit_logged_heads`,
    sql`truncate audit_logged_heads`,
  ])
    await expect(db.rows(edit)).rejects.toMatchObject({ code: '23001' })
})
