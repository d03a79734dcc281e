import { expect, test } from 'vitest'
import { listAuditLines } from '../../src/audit/find-lines.js'
import { writeAuditLine } from '../../src/audit/write-line.js'
import { after } from '../../src/base/clock.js'
import { Secret } from '../../src/base/secret.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import {
  findEnvironment,
  getEnvironment,
  listEnvironments,
} from '../../src/merchants/environments.js'
import { approveKyc, isKycApproved } from '../../src/merchants/kyc/kyc.js'
import { listMerchants } from '../../src/merchants/list-merchants.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'

const db = await freshDatabase()
const now = new Date('2026-01-05T09:00:00.000Z')

test('a merchant has both environments, or does not exist at all', async () => {
  const merchant = await db.transaction((tx) => createMerchant(tx, now, 'Ada Stores'))
  const { reference, environments } = merchant
  expect(await listEnvironments(db, reference)).toEqual([environments.test, environments.live])
  for (const mode of ['test', 'live'] as const)
    expect(await findEnvironment(db, { merchant: reference, mode })).toEqual(environments[mode])

  const broken = db.transaction(async (tx) => {
    await createMerchant(tx, now, 'Half a merchant')
    throw new Error('power cut')
  })
  await expect(broken).rejects.toThrow('power cut')
  await expect(db.transaction((tx) => createMerchant(tx, now, ''))).rejects.toThrow()
  expect(await listMerchants(db)).toHaveLength(1)
})

test('merchants are listed newest first with their live KYC status', async () => {
  const older = await db.transaction((tx) => createMerchant(tx, after(now, 1), 'Older'))
  const newer = await db.transaction((tx) => createMerchant(tx, after(now, 2), 'Newer'))
  await db.transaction((tx) => approveKyc(tx, older.environments.live.id))
  await db.transaction((tx) => approveKyc(tx, newer.environments.test.id))
  const listed = await listMerchants(db)
  expect(listed.slice(0, 2)).toMatchObject([
    { reference: newer.reference, isKycApproved: false },
    { reference: older.reference, isKycApproved: true },
  ])
})

test('KYC starts unapproved, and is approved once, for one merchant only', async () => {
  const { environments } = await db.transaction((tx) => createMerchant(tx, now, 'Ada Stores'))
  const { live, test: other } = environments
  expect(await isKycApproved(db, live.id)).toBe(false)
  const approvals = await Promise.all(
    Array.from({ length: 5 }, () => db.transaction((tx) => approveKyc(tx, live.id))),
  )
  expect(approvals.filter(Boolean)).toHaveLength(1)
  expect(await isKycApproved(db, live.id)).toBe(true)
  expect(await isKycApproved(db, other.id)).toBe(false)
})

test('an unknown merchant is not found', async () => {
  for (const merchant of ['mer_00000000000000000000000000', 'mer_', 'x', ''])
    await expect(getEnvironment(db, { merchant, mode: 'test' })).rejects.toMatchObject({
      code: 'not_found',
    })
})

test('the audit log is listed newest first, contains no secrets, and cannot be edited', async () => {
  const actor = 'ada'
  const details = { key: new Secret('sk_test_…'), note: "Ada's" }
  for (const [index, action] of ['first', 'second', 'third'].entries())
    await db.transaction(async (tx) => {
      writeAuditLine(tx, after(now, index), { actor, action, details })
    })
  const lines = await listAuditLines(db, 2)
  expect(lines.map((line) => line.action)).toEqual(['third', 'second'])
  expect(lines[0]).toMatchObject({ actor, details: { key: '[secret]', note: "Ada's" } })
  await expect(db.rows(sql`update audit_lines set actor = 'nobody'`)).rejects.toThrow(
    'never edited',
  )
  await expect(db.rows(sql`delete from audit_lines`)).rejects.toThrow('never edited')
})
