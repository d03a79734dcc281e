import { expect, test } from 'vitest'
import { getEnvironment } from '../../../src/merchants/environments.js'
import { isKycApproved } from '../../../src/merchants/kyc.js'
import { sql } from '../../../src/postgres/sql.js'
import { freshDatabase } from '../../support/database.js'
import { createConsole } from './commands.js'

const db = await freshDatabase()
const { run, ask } = createConsole(db)
const account = ['--bank-code', '058', '--account-name', 'Ada Stores', '--account-number']

test('approving KYC opens live mode only, and says so when it was approved before', async () => {
  const { reference: merchant } = await ask('merchants', 'create', 'Ada Stores')
  expect((await run('kyc', 'approve', merchant)).out).toContain('is approved')
  expect((await run('kyc', 'approve', merchant)).out).toContain('was already approved')
  const live = await getEnvironment(db, { merchant, mode: 'live' })
  const test = await getEnvironment(db, { merchant, mode: 'test' })
  expect([await isKycApproved(db, live.id), await isKycApproved(db, test.id)]).toEqual([
    true,
    false,
  ])
  expect((await run('merchants', 'list')).out).toMatch(new RegExp(`${merchant}.* approved`))
})

test('bank accounts are added, made primary and deactivated by their references', async () => {
  const { reference: merchant } = await ask('merchants', 'create', 'Ada Stores')
  const add = ['bank-accounts', 'add', merchant, '--mode', 'live', ...account]
  const first = await ask(...add, '0123456789', '--primary')
  const second = await ask(...add, '9876543210')
  expect([first.isPrimary, second.isPrimary]).toEqual([true, false])
  await ask('bank-accounts', 'primary', merchant, second.reference)
  await ask('bank-accounts', 'deactivate', merchant, first.reference)
  const list = (await run('bank-accounts', 'list', merchant)).out
  expect(list).toMatch(new RegExp(`${second.reference} .* primary`))
  expect(list).toMatch(new RegExp(`${first.reference} .* inactive`))
})

test("another merchant's bank account, a wrong number and a second copy are refused", async () => {
  const { reference: merchant } = await ask('merchants', 'create', 'Ada Stores')
  const { reference: other } = await ask('merchants', 'create', 'Bola Foods')
  const add = ['bank-accounts', 'add', merchant, '--mode', 'live', ...account]
  const { reference } = await ask(...add, '0123456789', '--primary')
  const wrong = [
    [...add, '0123456789'],
    [...add, '012345678'],
    [...add, '01234567890'],
    ['bank-accounts', 'primary', other, reference],
    ['bank-accounts', 'primary', merchant, 'ba_1'],
    ['bank-accounts', 'deactivate', merchant, reference],
    ['bank-accounts', 'list', 'mer_1'],
  ]
  for (const words of wrong) {
    const said = await run(...words)
    expect(said.exitCode, words.join(' ')).toBe(1)
    expect(said.err.trimEnd().split('\n'), said.err).toHaveLength(1)
  }
})

test('every change has its audit line, and a command that was refused has none', async () => {
  const { reference: merchant, keys } = await ask('merchants', 'create', 'Ada Stores')
  const rolled = await ask('keys', 'roll', keys[0].reference)
  await ask('keys', 'revoke', rolled.reference)
  await ask('keys', 'revoke', rolled.reference)
  await ask('kyc', 'approve', merchant)
  await run('bank-accounts', 'primary', merchant, 'ba_1')
  await ask(
    'bank-accounts',
    'add',
    merchant,
    '--mode',
    'live',
    ...account,
    '0123456789',
    '--primary',
  )
  await ask(
    'fees',
    'set',
    merchant,
    '--mode',
    'live',
    '--operation',
    'crypto_payout',
    '--flat',
    '0',
  )

  const lines = await ask('audit', 'list')
  const own = lines.filter((line: { merchant: string }) => line.merchant === merchant)
  const actions = own.map((line: { action: string }) => line.action).reverse()
  expect(actions.slice(0, 3).sort()).toEqual(['key.create', 'key.create', 'merchant.create'])
  expect(actions.slice(3)).toEqual([
    'key.roll',
    'key.revoke',
    'kyc.approve',
    'bank_account.add',
    'fees.set',
  ])
  expect(new Set(own.map((line: { actor: string }) => line.actor))).toEqual(new Set(['ada']))
})

// The audit line is the last thing written; without it the change must not be there either.
test('a change whose audit line cannot be written does not happen', async () => {
  const { reference: merchant } = await ask('merchants', 'create', 'Ada Stores')
  await db.rows(sql`alter table audit_lines add constraint closed check (false) not valid`)
  const credit = ['balances', 'credit', merchant, '--mode', 'test', '--note', 'x', '--asset', 'NGN']
  await expect(run(...credit, '--amount', '5')).rejects.toThrow('closed')
  await expect(run('kyc', 'approve', merchant)).rejects.toThrow('closed')
  await db.rows(sql`alter table audit_lines drop constraint closed`)
  expect((await ask('balances', 'show', merchant, '--mode', 'test'))[0].available).toBe('0')
  const live = await getEnvironment(db, { merchant, mode: 'live' })
  expect(await isKycApproved(db, live.id)).toBe(false)
})

test('a command line that cannot be read never opens the database', async () => {
  const said = await run('bank-accounts', 'add', 'mer_1', '--mode', 'live', ...account, 'x')
  expect(said).toMatchObject({ exitCode: 1, openings: 0 })
})
