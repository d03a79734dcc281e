import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { getEnvironment } from '../../../src/merchants/environments.js'
import { isKycApproved, needsKyc } from '../../../src/merchants/kyc/kyc.js'
import {
  type SettlementSettings,
  scheduleSettlement,
} from '../../../src/merchants/settings/settlement-schedule.js'
import { sql } from '../../../src/postgres/sql.js'
import { accountNameOf } from '../../../src/simulation/sandbox-bank/account-names.js'
import { resolveAccount } from '../../../src/simulation/sandbox-bank/judge-account.js'
import { freshDatabase } from '../../support/database.js'
import { clock, createConsole } from './commands.js'

const db = await freshDatabase()
const { run, runJson } = createConsole(db)
const account = ['--bank-code', '058', '--account-name', 'Ada Stores', '--account-number']

test('approving KYC applies to live mode only, and reports an earlier approval', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
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

test('KYC can be withdrawn, with a reason for the audit log', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  const live = await getEnvironment(db, { merchant, mode: 'live' })
  const withdraw = ['kyc', 'withdraw', merchant, '--reason', 'documents expired']
  expect((await run(...withdraw)).out).toContain('was not approved')
  await run('kyc', 'approve', merchant)
  expect((await run('kyc', 'withdraw', merchant)).exitCode).toBe(1)
  expect(await isKycApproved(db, live.id)).toBe(true)
  expect((await run(...withdraw)).out).toContain('is withdrawn')
  expect(await isKycApproved(db, live.id)).toBe(false)
  expect((await runJson('audit', 'list'))[0]).toMatchObject({
    action: 'kyc.withdraw',
    merchant,
    details: { reason: 'documents expired' },
  })
  expect((await run('kyc', 'approve', merchant)).out).toContain('is approved')
})

// The refusals of the API come from the code that checks KYC.
test('the help and the guide name everything that needs KYC', async () => {
  const read = (file: string) =>
    readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').replace(/\s+/g, ' ')
  const paths: Record<string, Record<string, { operationId: string }>> = JSON.parse(
    read('openapi.json'),
  ).paths
  const needing = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => JSON.stringify(operation).includes('kyc_missing'))
    // What it opens is a dedicated account or wallet.
    .filter(({ operationId }) => operationId !== 'giveAccountToCustomer')
    .map(({ operationId }) => operationId.replace(/^create/, '').replace(/\B[A-Z]/g, ' $&'))
    .map((name) => `${name.toLowerCase()}s`)
  expect(needing.toSorted()).toEqual(needsKyc.toSorted())
  const words = `${needsKyc.slice(0, -1).join(', ')} and ${needsKyc.at(-1)}`
  for (const file of ['docs/reference/cli.md', 'docs/guides/going-live.md'])
    expect(read(file), file).toContain(words)
})

test('a merchant is suspended and resumed once, with a reason for the audit log', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  const change = (verb: string) => run('merchants', verb, merchant, '--reason', 'chargebacks')
  expect((await change('suspend')).out).toBe(`${merchant} is suspended.\n`)
  expect((await change('suspend')).out).toContain('was already suspended')
  expect((await run('merchants', 'list')).out).toMatch(new RegExp(`${merchant}.* suspended`))
  for (const mode of ['test', 'live'] as const)
    expect(await getEnvironment(db, { merchant, mode })).toMatchObject({ isSuspended: true })
  const environment = await getEnvironment(db, { merchant, mode: 'test' })
  const daily = { schedule: 'daily', weekday: 'monday', time: '06:00', reserve: 0, minimum: 0 }
  await db.transaction((tx) =>
    scheduleSettlement(tx, clock.now(), { environment, settings: daily as SettlementSettings }),
  )
  const scheduled = (await run('settlements', 'scheduled')).out
  expect(scheduled).toMatch(/for \(environment time\) +due \(real time\)/)
  expect(scheduled).toMatch(new RegExp(`${merchant}.* The merchant is suspended\\.`))
  expect((await change('resume')).out).toContain('is active')
  expect((await run('settlements', 'scheduled')).out).not.toContain('suspended')
  expect((await change('resume')).out).toContain('was already active')
  expect((await run('merchants', 'resume', 'mer_1', '--reason', 'x')).exitCode).toBe(1)
  const lines = await runJson('audit', 'list')
  const own = lines.filter((line: { merchant: string }) => line.merchant === merchant)
  expect(own.slice(0, 2)).toMatchObject([
    { action: 'merchant.resume', details: { reason: 'chargebacks' } },
    { action: 'merchant.suspend', details: { reason: 'chargebacks' } },
  ])
})

test('bank accounts are added, made primary and deactivated by reference', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  const add = ['bank-accounts', 'add', merchant, '--mode', 'live', ...account]
  const first = await runJson(...add, '0123456789', '--primary')
  const second = await runJson(...add, '9876543210')
  expect([first.isPrimary, second.isPrimary]).toEqual([true, false])
  await runJson('bank-accounts', 'primary', merchant, second.reference)
  await runJson('bank-accounts', 'deactivate', merchant, first.reference)
  const list = (await run('bank-accounts', 'list', merchant)).out
  expect(list).toMatch(new RegExp(`${second.reference} .* primary`))
  expect(list).toMatch(new RegExp(`${first.reference} .* inactive`))
})

// The names are those of the sandbox bank.
test('a bank account is added under the name at the bank, and not under a clearly different one', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  const asking = createConsole(db, async (_db, _environment, one) => resolveAccount(one))
  const add = ['bank-accounts', 'add', merchant, '--mode', 'test', '--bank-code', '058']
  const named = async (number: string, ...more: string[]) =>
    asking.run(...add, '--account-number', number, ...more)
  const holder = accountNameOf('0123456789')

  const other = await named('0123456789', '--account-name', 'Bisi Shop')
  expect(other.exitCode).toBe(1)
  expect(other.err).toContain(`belongs to ${holder}, not Bisi Shop.`)
  const missing = await named('9900000089', '--account-name', 'Ada Stores')
  expect(missing.err).toContain('has no account 9900000089')
  expect(missing.err).toContain('--any-name')
  expect((await named('9900000096')).err).toContain('Add --account-name: the bank does not answer')
  expect(await runJson('bank-accounts', 'list', merchant)).toEqual([])

  expect((await named('0123456789')).out).toContain(`Name at the bank: ${holder}.`)
  await named('0123456780', '--account-name', 'Bisi Shop', '--any-name')
  const unchecked = await named('9900000096', '--account-name', 'Ada Stores')
  expect(unchecked.out).toContain('The name was not checked: the bank does not answer.')
  const listed: { accountName: string }[] = await runJson('bank-accounts', 'list', merchant)
  const names = listed.map(({ accountName }) => accountName)
  expect(names.toSorted()).toEqual([holder, 'Ada Stores', 'Bisi Shop'].toSorted())
  const audited = (await runJson('audit', 'list')).map(
    ({ details }: { details: { nameAtBank?: string | null } }) => details.nameAtBank,
  )
  expect(audited.slice(0, 3)).toEqual([null, accountNameOf('0123456780'), holder])
})

test("another merchant's bank account, a wrong number and a second copy are refused", async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  const { reference: other } = await runJson('merchants', 'create', 'Bola Foods')
  const add = ['bank-accounts', 'add', merchant, '--mode', 'live', ...account]
  const { reference } = await runJson(...add, '0123456789', '--primary')
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
    const result = await run(...words)
    expect(result.exitCode, words.join(' ')).toBe(1)
    expect(result.err.trimEnd().split('\n'), result.err).toHaveLength(1)
  }
})

test('every change has an audit line, and a refused command has none', async () => {
  const { reference: merchant, keys } = await runJson('merchants', 'create', 'Ada Stores')
  const rolled = await runJson('keys', 'roll', keys[0].reference)
  await runJson('keys', 'revoke', rolled.reference)
  await runJson('keys', 'revoke', rolled.reference)
  await runJson('kyc', 'approve', merchant)
  await run('bank-accounts', 'primary', merchant, 'ba_1')
  await runJson(
    'bank-accounts',
    'add',
    merchant,
    '--mode',
    'live',
    ...account,
    '0123456789',
    '--primary',
  )
  await runJson(
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

  const lines = await runJson('audit', 'list')
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

// The audit line is written last; without it the change must be rolled back.
test('a change whose audit line cannot be written is rolled back', async () => {
  const { reference: merchant } = await runJson('merchants', 'create', 'Ada Stores')
  await db.rows(sql`alter table audit_lines add constraint closed check (false) not valid`)
  const credit = ['balances', 'credit', merchant, '--mode', 'test', '--note', 'x', '--asset', 'NGN']
  await expect(run(...credit, '--amount', '5')).rejects.toThrow('closed')
  await expect(run('kyc', 'approve', merchant)).rejects.toThrow('closed')
  await db.rows(sql`alter table audit_lines drop constraint closed`)
  expect((await runJson('balances', 'show', merchant, '--mode', 'test'))[0].available).toBe('0')
  const live = await getEnvironment(db, { merchant, mode: 'live' })
  expect(await isKycApproved(db, live.id)).toBe(false)
})

test('an invalid command line never opens the database', async () => {
  const result = await run('bank-accounts', 'add', 'mer_1', '--mode', 'live', ...account, 'x')
  expect(result).toMatchObject({ exitCode: 1, openings: 0 })
})
