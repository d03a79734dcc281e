import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { day, hour } from '../../../src/base/clock.js'
import { Secret } from '../../../src/base/secret.js'
import { examineScreening } from '../../../src/operations/doctor/examine-screening.js'
import { sql } from '../../../src/postgres/sql.js'
import { manualClock } from '../../support/clock.js'
import { inTestMode } from '../../support/open-manilla.js'
import { openWithBank } from '../../support/open-with-bank.js'
import { keyed, openDesk } from '../../support/payment-desk.js'
import { openList, toDay } from '../../support/screening.js'
import { expectAllProofs } from '../../support/sound-books.js'
import { createConsole } from './commands.js'

const wallet = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK'
const clock = manualClock()
const list = await openList(clock, [
  { id: 'S-1', name: 'Ada Obi' },
  { id: 'S-2', addresses: [wallet] },
])
const service = await openWithBank({ screening: list.screening })
const { db, bank } = service
const rails = { solana: { test: undefined, live: undefined }, rails: inTestMode(bank) }
const { run, runJson } = createConsole(db, undefined, { screening: list.screening, rails })

test('an operator checks a wallet or a name, and sees the list', async () => {
  expect(await runJson('screening', 'check', wallet)).toMatchObject({
    kind: 'wallet',
    verdict: 'hit',
    entry: 'S-2',
    version: list.version(),
  })
  expect((await run('screening', 'check', 'OBI, Adá')).out).toContain('hit: entry S-1 of Made-up')
  expect(process.exitCode).toBe(1)
  process.exitCode = 0
  expect((await run('screening', 'check', 'Bola Alabi')).out).toContain('name: clear: Made-up')
  expect((await run('screening', 'check', ' ')).err).toContain('Name an address or a name')
  expect(await runJson('screening', 'status')).toMatchObject({
    list: { source: 'Made-up', date: toDay(clock.now()), entries: 2, problem: null },
    provider: null,
    held: { hit: 0, unknown: 0 },
  })
  const without = createConsole(db)
  expect((await without.run('screening', 'status')).err).toContain('Nothing is screened')
})

test('an operator accepts or returns what is held, with the version of the list', async () => {
  const desk = await openDesk(service)
  const pay = async (merchantReference: string) => {
    const account = await desk.open({ merchantReference })
    const { reference } = await desk.pay(account.accountNumber, { sender: { name: 'ADA OBI' } })
    return reference as string
  }
  const [first, second] = [await pay('one'), await pay('two')]
  const held = await runJson('payments', 'held')
  expect(held.map(({ reference }: { reference: string }) => reference).toSorted()).toEqual(
    [first, second].toSorted(),
  )
  expect(held[0]).toMatchObject({ verdict: 'hit', entry: 'S-1', mode: 'test' })
  expect((await run('screening', 'status')).out).toContain('2 on a list')
  const evidence = ['--evidence', 'Passport seen']
  expect((await run('payments', 'accept', first, ...evidence)).out).toContain('is ACCEPTED')
  expect((await run('payments', 'return', second, ...evidence)).out).toContain('is RETURNING')
  expect((await run('payments', 'accept', first, ...evidence)).err).toContain('nothing to resolve')
  expect((await run('payments', 'accept', 'pay_1', ...evidence)).err).toContain('pay_1')
  const lines = await runJson('audit', 'list', '--limit', '2')
  expect(lines).toMatchObject([
    { action: 'payment_screening.return', details: { reference: second, verdict: 'hit' } },
    {
      action: 'payment_screening.accept',
      details: {
        reference: first,
        evidence: 'Passport seen',
        list: 'Made-up',
        version: list.version(),
      },
    },
  ])
  await service.pass(3)
  expect((await desk.payment(second)).status).toBe('RETURNED')
  expect(await runJson('payments', 'held')).toEqual([])
})

test('an operator releases or rejects a payout that waits for screening, and no other', async () => {
  const desk = await openDesk(service)
  await desk.post('/v1/test/balances/fund', { asset: 'NGN', amount: 10_000_000 })
  const transfer = async () => {
    const body = { amount: 100_000, bankCode: '058', accountNumber: '0123456789' }
    const reply = await desk.post('/v1/disbursements/bank-transfer', body, keyed(randomUUID()))
    expect(reply.status, reply.text).toBe(201)
    return reply.json.data
  }
  const read = async (reference: string) =>
    (await desk.get(`/v1/disbursements/bank-transfer/${reference}`)).json.data
  const { accountName } = await transfer()
  await list.replace([{ id: 'S-3', name: accountName }])
  const [first, second, third] = [await transfer(), await transfer(), await transfer()].map(
    ({ reference }) => reference as string,
  )
  const open = await runJson('payouts', 'open')
  // Created in one millisecond, so in any order.
  expect(
    open
      .slice(0, 3)
      .toSorted((a: { reference: string }, b: { reference: string }) =>
        a.reference.localeCompare(b.reference),
      ),
  ).toMatchObject(
    [first, second, third].toSorted().map((reference) => ({
      reference,
      merchant: desk.merchant.reference,
      mode: 'test',
      state: 'PENDING',
      reasons: ['screening'],
    })),
  )
  const evidence = ['--evidence', 'Passport seen']
  const decided = await run('payouts', 'decide', first!, '--outcome', 'failed', ...evidence)
  expect(decided.err).toContain('was not sent yet: it waits for approval')

  const released = await run('payouts', 'release', first!, ...evidence)
  expect(released.out, released.err).toContain(`${first} is SUBMITTED`)
  await service.pass(120)
  expect(await read(first!)).toMatchObject({
    status: 'COMPLETED',
    approval: { givenBy: [{ id: 'operator', name: 'The operator' }] },
  })
  expect((await run('payouts', 'release', first!, ...evidence)).err).toContain('has already ended')
  const before = await read(second!)
  const rejected = await run('payouts', 'reject', second!, ...evidence)
  expect(rejected.out, rejected.err).toContain(`${second} is FAILED`)
  expect(before.status).toBe('PENDING')
  expect(await read(second!)).toMatchObject({
    status: 'FAILED',
    approval: { rejectedBy: { id: 'operator' }, reason: expect.stringContaining('operator') },
  })
  const lines: { action: string; details: object }[] = await runJson('audit', 'list')
  expect(lines.filter(({ action }) => /^payout_screening.re/.test(action))).toMatchObject([
    {
      action: 'payout_screening.reject',
      details: { reference: second, evidence: 'Passport seen' },
    },
    {
      action: 'payout_screening.release',
      details: { reference: first, evidence: 'Passport seen', entry: 'S-3', verdict: 'hit' },
    },
  ])

  // A rule of the merchant holds it, too.
  await db.rows(sql`alter table payout_checks disable trigger checks_only_get_stricter`)
  await db.rows(sql`
    update payout_checks set reasons = '{amount,screening}'
    where payout_id = (select id from payouts where status = 'PENDING')`)
  for (const verb of ['release', 'reject']) {
    const refused = await run('payouts', verb, third!, ...evidence)
    expect(refused.err).toContain('rules of its merchant (amount)')
  }
  await expect(
    db.rows(sql`
      insert into payout_approvals (environment_id, payout_id, verdict, order_hash, decided_at,
        decided_by)
      select environment_id, id, 'APPROVED', order_hash, created_at, 'operator' from payouts
      where status = 'PENDING'`),
  ).rejects.toMatchObject({ constraint: 'operator_decides_screening_only' })
  await expectAllProofs(db)
  await list.replace([
    { id: 'S-1', name: 'Ada Obi' },
    { id: 'S-2', addresses: [wallet] },
  ])
})

test('doctor reports a list that is old or unreadable, and payments that wait for long', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'screening-'))
  const listFile = path.join(folder, 'list.jsonl')
  const { clock } = service
  const examine = (config = { listFile, listMaxAgeDays: 7, provider: undefined as never }) =>
    examineScreening({ db, clock, config })
  const write = (date: Date) => {
    const header = { source: 'Made-up', date: toDay(date), entries: 0 }
    writeFileSync(listFile, `${JSON.stringify(header)}\n`)
  }
  expect(await examineScreening({ db, clock, config: undefined })).toEqual([])
  expect(await examine()).toMatchObject([
    { state: 'error', message: expect.stringMatching('ENOENT') },
  ])
  write(clock.now())
  expect(await examine()).toMatchObject([{ state: 'ok' }])
  write(new Date(clock.now().getTime() - 9 * day))
  expect(await examine()).toMatchObject([
    { state: 'error', message: expect.stringContaining('9 days old') },
  ])
  write(new Date(clock.now().getTime() + 2 * day))
  expect(await examine()).toMatchObject([
    { state: 'error', message: expect.stringContaining('is in the future') },
  ])
  writeFileSync(listFile, 'oops')
  expect(await examine()).toMatchObject([
    { state: 'error', message: expect.stringContaining('line 1') },
  ])

  const desk = await openDesk(service)
  const account = await desk.open()
  await desk.pay(account.accountNumber, { sender: { name: 'ADA OBI' } })
  await db.rows(sql`
    update payment_screenings set verdict = 'unknown', list = null, version = null, entry = null,
      why = 'the provider did not answer in time', due_at = ${clock.now()}
    where verdict = 'hit' and due_at is not null`)
  clock.advance(2 * hour)
  const provider = { url: 'https://screen.example/v1', secret: new Secret('x') }
  expect(
    await examineScreening({
      db,
      clock,
      config: { listFile: undefined, listMaxAgeDays: 7, provider },
    }),
  ).toMatchObject([
    { state: 'ok', message: expect.stringContaining('screen.example') },
    { state: 'warning', message: expect.stringContaining('did not answer in time') },
  ])
})
