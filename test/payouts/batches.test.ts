import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { after, day, hour } from '../../src/base/clock.js'
import { limits } from '../../src/base/limits.js'
import { resumeMerchant, suspendMerchant } from '../../src/merchants/suspension.js'
import { expireBatches } from '../../src/payouts/batches/decide-batch.js'
import { runBatches } from '../../src/payouts/batches/run-batches.js'
import type { BatchDependencies } from '../../src/payouts/batches/step.js'
import { batchLimits } from '../../src/payouts/limits.js'
import { pauseRail, resumeRail } from '../../src/payouts/requests/paused-rails.js'
import { railUnavailable } from '../../src/rails/solana/payouts/refuse.js'
import { toNuban } from '../../src/simulation/sandbox-bank/nuban.js'
import { compareMarks, readChangeMarks } from '../../src/timeline/change-marks.js'
import { newWallet } from '../simulation/localnet/transfers.js'
import { openBatchWorker } from '../support/batch-worker.js'
import type { Reply } from '../support/open-manilla.js'
import { openWithBankAndChain } from '../support/open-with-bank-and-chain.js'
import { addPerson, type Person } from '../support/people.js'
import { expectAllProofs } from '../support/sound-books.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, rail, clock, settle, ask, merchant } = service
const key = merchant.test.secret
const path = '/v1/disbursements/batches'
await service.chain.advance(40)

const worker = openBatchWorker(service)

/** Runs the job until no batch has more to do at once. */
async function work(tools = worker): Promise<void> {
  clock.advance(1_000)
  while ((await runBatches(tools, 'test')) > 0);
}

/** Pays, lets the bank and the chain finish, and records the results. */
async function finish(): Promise<void> {
  await work()
  for (let round = 0; round < 3; round += 1) await settle()
  // Results are polled less often when a batch is old.
  clock.advance(batchLimits.resultsIntervalMaxMs)
  await work()
}

const headers = () => ({ 'idempotency-key': randomUUID() })
const post = (url: string, body: object = {}) => ask('POST', url, { key, body, headers: headers() })
const get = async (url: string) => (await ask('GET', url, { key })).json.data
const read = (reference: string) => get(`${path}/${reference}`)
const itemsOf = async (reference: string, query = '') =>
  (await get(`${path}/${reference}/items?limit=100${query}`)).items

function upload(csv: string) {
  const own = { ...headers(), 'content-type': 'text/csv' }
  return ask('POST', `${path}?name=Salaries`, { key, body: csv, headers: own })
}

const fund = (asset: string, amount: number | string) =>
  post('/v1/test/balances/fund', { asset, amount })

const account = (serial: number) =>
  toNuban({ bankCode: '058', serial: String(serial).padStart(9, '0') })
const magic = (digit: number) => account(990_000_000 + digit)

const item = (accountNumber: string, more: object = {}) => ({
  amount: 50_000,
  bankCode: '058',
  accountNumber,
  ...more,
})

async function create(items: object[], more: object = {}): Promise<string> {
  const reply = await post(path, { kind: 'bank_transfer', items, ...more })
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data.reference
}

async function createReady(items: object[]): Promise<string> {
  const reference = await create(items)
  await work()
  return reference
}

const submit = (reference: string, body: object = {}) => post(`${path}/${reference}/submit`, body)

describe('two items to one new wallet', () => {
  test('pay for its token account once, and both arrive', async () => {
    await fund('USDC', '100')
    await service.chain.advance(2)
    const [twice, once] = [await newWallet(), await newWallet()]
    const to = (destinationAddress: string, amount: string) => ({ amount, destinationAddress })
    const items = [to(twice, '2.5'), to(once, '2.5'), to(twice, '3.5'), to(twice, '4.5')]
    const quote = async (destinationAddress: string) => {
      const body = { asset: 'USDC', network: 'SOLANA', ...to(destinationAddress, '2.5') }
      return (await post('/v1/disbursements/crypto/quote', body)).json.data
    }
    const quoted = await quote(once)
    const line = (operation: string) =>
      Number(quoted.lines.find((one: { operation: string }) => one.operation === operation).amount)
    const [base, creation] = [line('crypto_payout'), line('crypto_account_creation')]
    expect(creation).toBeGreaterThan(0)
    const reference = await create(items, { kind: 'crypto_transfer', asset: 'USDC' })
    await work()
    const ready = await read(reference)
    expect([ready.status, Number(ready.fee)]).toEqual(['READY', 4 * base + 2 * creation])
    await submit(reference)
    await work()
    // The others wait until the first of them has created the account.
    expect(await read(reference)).toMatchObject({ counts: { submitted: 2, valid: 2 } })
    for (let round = 0; round < 4; round += 1) {
      clock.advance(batchLimits.itemRetryMs)
      await finish()
    }
    const batch = await read(reference)
    expect(batch).toMatchObject({ status: 'COMPLETED', paid: { amount: '13', count: 4 } })
    expect(Number(batch.paid.fee)).toBe(4 * base + 2 * creation)
    const fees = (await itemsOf(reference)).map(({ fee }: { fee: string }) => Number(fee))
    expect(fees).toEqual([base + creation, base + creation, base, base])
    await expectAllProofs(db)
  })
})

describe('a CSV file', () => {
  test('is refused with every problem and its line', async () => {
    const reply = await upload(
      [
        'accountNumber,bankCode,amountNaira,narration,merchantReference',
        '0123456789,058,1250.50,"Salary, January",s-1',
        '123456789,58,12a,,s-2',
        '',
        '0123456789,058,0.001,,s-1',
        '0123456789,058,0.50,,s-1,more',
        '0123456789,058,10000000.01,,',
        '0123456789,058,"1,000",,',
        '',
      ].join('\r\n'),
    )
    expect(reply.status).toBe(400)
    expect(reply.json.details).toEqual([
      { field: 'line 3, accountNumber', issue: expect.stringContaining('dropped leading zeros') },
      { field: 'line 3, bankCode', issue: expect.stringContaining('dropped leading zeros') },
      { field: 'line 3, amountNaira', issue: expect.stringContaining('decimal number') },
      { field: 'line 4', issue: 'is empty; delete it' },
      { field: 'line 5, amountNaira', issue: expect.stringContaining('decimal places') },
      { field: 'line 5, merchantReference', issue: 'must be unique; line 2 has it, too' },
      { field: 'line 6', issue: expect.stringContaining('6 cells for 5 columns') },
      { field: 'line 7, amountNaira', issue: expect.stringContaining('must be at most') },
      { field: 'line 8, amountNaira', issue: expect.stringContaining('must not contain a comma') },
    ])
    const later = await upload(
      'accountNumber;bankCode;amountNaira;merchantReference\n0123456789;058;90000000000;s-1\n0123456789;058;500;s-1\n',
    )
    expect(later.json.message).toMatch(/\. \(1 more problem\)$/)
    expect(later.json.details).toEqual([
      { field: 'line 2, amountNaira', issue: expect.stringContaining('at most') },
      { field: 'line 3, merchantReference', issue: 'must be unique; line 2 has it, too' },
    ])
    const coins = await upload(
      'destinationAddress,amount,asset,merchantReference\nFtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ,1,USDC,c-1\nx,2,USDT,c-1\n',
    )
    expect(coins.json.details).toEqual([
      { field: 'line 3, destinationAddress', issue: expect.any(String) },
      { field: 'line 3, asset', issue: expect.stringMatching(/^must be USDC/) },
      { field: 'line 3, merchantReference', issue: 'must be unique; line 2 has it, too' },
    ])
    const header = await upload('account,bankCode,amountNaira\n1,2,3\n')
    expect(header.json.details).toEqual([
      { field: 'line 1, column 1', issue: expect.stringContaining('account is unknown') },
      { field: 'line 1', issue: 'lacks the column accountNumber' },
      { field: 'line 2, bankCode', issue: expect.stringContaining('dropped leading zeros') },
    ])
    const twice = [item(account(1)), item(account(2))].map((one) => ({
      ...one,
      merchantReference: 'j',
    }))
    expect((await post(path, { kind: 'bank_transfer', items: twice })).json.details).toEqual([
      { field: 'items.1.merchantReference', issue: 'must be unique; items.0 has it, too' },
    ])
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const own = { ...headers(), 'content-type': type }
      const plain = await ask('POST', path, { key, body: 'accountNumber', headers: own })
      expect(plain.json).toMatchObject({
        reason: 'unsupported_media_type',
        message: expect.stringContaining('`Content-Type: text/csv`'),
      })
    }
    expect(
      (await upload('accountNumber,bankCode,amountNaira\n"0123,058,5\n')).json.details,
    ).toEqual([{ field: 'line 2', issue: expect.stringContaining('quote') }])
  })

  test('from the template becomes a batch, the same one for every repeat', async () => {
    for (const kind of ['bank_transfer', 'crypto_transfer']) {
      const template = await ask('GET', `${path}/template?kind=${kind}`, { key })
      expect(template.headers.get('content-type')).toContain('text/csv')
      const own = { ...headers(), 'content-type': 'text/csv' }
      const send = () => ask('POST', path, { key, body: template.text, headers: own })
      const [first, second] = [await send(), await send()]
      expect(first.json.data, first.text).toMatchObject({ kind, status: 'VALIDATING', items: 1 })
      expect(second.text).toBe(first.text)
      await work()
      const { reference } = first.json.data
      expect(await read(reference)).toMatchObject({ status: 'READY' })
      const cancelled = await post(`${path}/${reference}/cancel`)
      expect(cancelled.json.data.status).toBe('CANCELLED')
    }
  })

  test('of 10,000 items is accepted, and one of 10,001 is not', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => `${account(index)},058,500`)
    const file = `accountNumber,bankCode,amountNaira\n${rows.join('\n')}\n`
    const { data } = (await upload(file)).json
    expect(data).toMatchObject({ items: 10_000, amount: 500_000_000, name: 'Salaries' })
    await post(`${path}/${data.reference}/cancel`)
    expect((await upload(`${file}${account(1)},058,500\n`)).status).toBe(400)
    const huge = await upload(`accountNumber,bankCode,amountNaira\n${'x'.repeat(6 * 1024 * 1024)}`)
    expect(huge.json).toMatchObject({ reason: 'payload_too_large' })
    const elsewhere = { ...headers(), 'content-type': 'text/csv' }
    const other = await ask('POST', '/v1/conversions', { key, body: file, headers: elsewhere })
    expect(other.status).toBe(413)
  })
})

describe('validation', () => {
  test('resolves names, quotes fees and reports what may be paid twice', async () => {
    await fund('NGN', 10_000_000)
    const earlier = await post('/v1/disbursements/bank-transfer', item(account(77)))
    expect(earlier.status, earlier.text).toBe(201)
    const used = await post('/v1/disbursements/bank-transfer', {
      ...item(account(78)),
      merchantReference: 'used',
    })
    expect(used.status).toBe(201)
    const reference = await create([
      item(account(77)),
      item(account(1)),
      item(account(1)),
      item(account(1), { amount: 50_001 }),
      item(magic(8)),
      item(account(2), { accountName: 'Somebody Else' }),
      item(account(3), { merchantReference: 'used' }),
    ])
    expect(await read(reference)).toMatchObject({
      status: 'VALIDATING',
      progress: { validated: 0 },
    })
    expect((await submit(reference)).json).toMatchObject({ reason: 'invalid_state' })
    await work()
    const batch = await read(reference)
    expect(batch).toMatchObject({
      status: 'INVALID',
      amount: 200_001,
      counts: { pending: 0, valid: 4, invalid: 3, warnings: 2 },
      progress: { validated: 7, processed: 0 },
    })
    const items = await itemsOf(reference)
    const fees = items.reduce((sum: number, { fee }: { fee: number | null }) => sum + (fee ?? 0), 0)
    expect(batch.fee).toBe(fees)
    expect(items[0]).toMatchObject({
      accountName: expect.stringMatching(/\w/),
      bankName: 'Guaranty Trust Bank',
      warnings: [
        { code: 'paid_recently', message: expect.stringContaining(earlier.json.data.reference) },
      ],
    })
    expect(items[2].warnings).toEqual([
      { code: 'duplicate_in_batch', message: 'Same recipient and amount as row 2.' },
    ])
    expect(items[3].warnings).toEqual([])
    expect(
      items.slice(4).map(({ problem }: { problem: { reason: string } }) => problem.reason),
    ).toEqual(['account_not_found', 'name_mismatch', 'duplicate_reference'])
    expect(await itemsOf(reference, '&status=INVALID')).toHaveLength(3)
    expect(await itemsOf(reference, '&hasWarnings=true')).toHaveLength(2)
    expect((await submit(reference)).json).toMatchObject({ reason: 'has_invalid_items' })
    const submitted = await submit(reference, { skipInvalid: true })
    expect(submitted.json.data).toMatchObject({ status: 'PROCESSING' })
    await finish()
    expect(await read(reference)).toMatchObject({
      status: 'COMPLETED',
      counts: { completed: 4, invalid: 3, failed: 0 },
    })
    await expectAllProofs(db)
  })

  test('reports that another batch pays the same, while it can', async () => {
    const salaries = [item(account(61)), item(account(62), { amount: 70_000 })]
    const first = await createReady(salaries)
    const again = async () => {
      const found = await itemsOf(await createReady([...salaries, item(account(63))]))
      return found.map(({ warnings }: { warnings: object[] }) => warnings)
    }
    const warned = (row: number) => [
      {
        code: 'in_another_batch',
        message: `Row ${row} of ${first} pays the same amount to the same recipient.`,
      },
    ]
    expect(await again()).toEqual([warned(1), warned(2), []])
    const open = await get(`${path}?status=READY&limit=100`)
    for (const { reference } of open.items) await post(`${path}/${reference}/cancel`)
    expect(await again()).toEqual([[], [], []])
    await expectAllProofs(db)
  })

  test('waits for a bank that does not answer, and its progress is hinted at', async () => {
    const marks = async () => (await readChangeMarks(db, [merchant.environments.test.id]))[0]!
    const before = await marks()
    const reference = await create([item(magic(9)), item(account(4))])
    const created = await marks()
    expect(compareMarks(before, created)).toContain('batches')
    await work()
    expect(compareMarks(created, await marks())).toContain('batches')
    expect(await read(reference)).toMatchObject({ status: 'VALIDATING', counts: { pending: 1 } })
    expect((await itemsOf(reference))[0].problem).toMatchObject({ reason: 'rail_unavailable' })
    const cancelled = await post(`${path}/${reference}/cancel`)
    expect(cancelled.json.data.status).toBe('CANCELLED')
    clock.advance(hour)
    await work()
    expect(await read(reference)).toMatchObject({ status: 'CANCELLED', counts: { pending: 1 } })
  })

  test('gives up an item that its bank did not check in time, and the others are paid', async () => {
    await fund('NGN', 1_000_000)
    const reference = await create([item(magic(9)), item(account(5))])
    const { checkedWithinMs, itemRetryMs } = batchLimits
    // However late the first check is, the item is retried.
    clock.advance(checkedWithinMs)
    await work()
    expect(await read(reference)).toMatchObject({ status: 'VALIDATING', counts: { pending: 1 } })
    clock.advance(itemRetryMs)
    await work()
    expect(await read(reference)).toMatchObject({
      status: 'INVALID',
      counts: { pending: 0, valid: 1, invalid: 1 },
    })
    expect((await itemsOf(reference))[0]).toMatchObject({
      status: 'INVALID',
      problem: {
        reason: 'rail_unavailable',
        message:
          'Guaranty Trust Bank does not answer. The item was not checked within 5 minutes; upload it again later.',
      },
    })
    expect((await submit(reference, { skipInvalid: true })).json.data).toMatchObject({
      status: 'PROCESSING',
    })
    await finish()
    expect(await read(reference)).toMatchObject({ status: 'COMPLETED', counts: { completed: 1 } })
    const early = await createReady([item(magic(9))])
    clock.advance(checkedWithinMs - 2 * itemRetryMs)
    await work()
    expect(await read(early)).toMatchObject({ status: 'VALIDATING' })
    clock.advance(2 * itemRetryMs)
    await work()
    expect(await read(early)).toMatchObject({ status: 'INVALID' })
    await expectAllProofs(db)
  })
})

describe('a submitted batch', () => {
  test('pays each item, reports failures, and retries them as a new batch', async () => {
    await fund('NGN', 10_000_000)
    const reference = await createReady([
      item(account(11), { merchantReference: 'm-1', narration: '=Salary' }),
      item(magic(2), { merchantReference: 'm-2' }),
      item(magic(3)),
    ])
    const own = headers()
    const once = () => ask('POST', `${path}/${reference}/submit`, { key, body: {}, headers: own })
    const [first, second] = [await once(), await once()]
    expect(second.text).toBe(first.text)
    expect((await submit(reference)).json).toMatchObject({ reason: 'invalid_state' })
    await finish()
    const batch = await read(reference)
    expect(batch).toMatchObject({
      status: 'COMPLETED',
      counts: { completed: 2, failed: 1 },
      progress: { processed: 3, ended: 3 },
      createdBy: { kind: 'key' },
    })
    const items = await itemsOf(reference)
    type Paid = { status: string; amount: number; fee: number }
    const paid = (items as Paid[]).filter(({ status }) => status === 'COMPLETED')
    const sumOf = (field: 'amount' | 'fee') => paid.reduce((sum, one) => sum + one[field], 0)
    expect(batch.paid).toEqual({
      amount: sumOf('amount'),
      fee: sumOf('fee'),
      levy: 0,
      feeVat: 0,
      count: 2,
    })
    expect(batch.paid.amount).toBeLessThan(batch.amount)
    expect(batch.paid.fee).toBeGreaterThan(0)
    expect(items[1]).toMatchObject({
      status: 'FAILED',
      problem: { reason: 'account_closed' },
      transferStatus: 'FAILED',
    })
    const transfer = await get(`/v1/disbursements/bank-transfer/${items[0].transferReference}`)
    expect(transfer).toMatchObject({
      amount: 50_000,
      merchantReference: 'm-1',
      metadata: { batch: reference, row: 1 },
    })
    const events = await get(`/v1/events?resource=${reference}`)
    expect(events.items).toMatchObject([
      { type: 'batch.completed', data: { status: 'COMPLETED', paid: batch.paid } },
    ])

    const report = await ask('GET', `${path}/${reference}/report`, { key })
    const [head, ...lines] = report.text.trimEnd().split('\n')
    expect(head).toContain('row,status,asset,amountMajor')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toContain("'=Salary")
    expect(lines[1]).toContain('account_closed')
    expect(report.headers.get('content-disposition')).toContain(`${reference}.csv`)

    const retried = await post(`${path}/${reference}/retry`)
    expect(retried.json.data, retried.text).toMatchObject({
      status: 'VALIDATING',
      items: 1,
      retryOf: reference,
    })
    await work()
    const again = await itemsOf(retried.json.data.reference)
    expect(again).toMatchObject([{ status: 'VALID', merchantReference: 'm-2.retry1' }])
    const none = await createReady([item(account(12))])
    expect((await post(`${path}/${none}/retry`)).json).toMatchObject({ reason: 'invalid_state' })
    await expectAllProofs(db)
  })

  test('is retried by one batch at a time, so that no failed item is paid twice', async () => {
    await fund('NGN', 10_000_000)
    const long = 'r'.repeat(limits.names.length - 1)
    const reference = await createReady([
      item(magic(2), { merchantReference: `${long}1` }),
      item(magic(2), { merchantReference: `${long}2`, amount: 60_000 }),
    ])
    await submit(reference)
    await finish()
    expect(await read(reference)).toMatchObject({ status: 'COMPLETED', counts: { failed: 2 } })
    const retry = () => post(`${path}/${reference}/retry`)
    const replies = await Promise.all([retry(), retry(), retry()])
    const made = replies.filter(({ status }) => status === 201)
    expect(made, replies[0]!.text).toHaveLength(1)
    const first = made[0]!.json.data.reference
    const references = (await itemsOf(first)).map(
      (one: { merchantReference: string }) => one.merchantReference,
    )
    const cut = long.slice(0, limits.names.length - '.retry1'.length)
    expect(references).toEqual([`${cut}.retry1`, `${cut}.retry2`])
    const refused = await retry()
    expect(refused.json).toMatchObject({ code: 'batch_failed', reason: 'nothing_to_retry' })
    expect(refused.json.message).toContain(first)
    // The database refuses it too.
    const second = `update payout_batches set retry_of = b.id from (select id from payout_batches
      where state = 'COMPLETED' limit 1) b where state in ('READY', 'VALIDATING', 'COMPLETED')`
    const forced = db.transaction(async (tx) => {
      await tx.count({ text: 'set local session_replication_role = replica', values: [] })
      await tx.count({ text: second, values: [] })
    })
    await expect(forced).rejects.toThrow('batch_is_retried_once')
    await post(`${path}/${first}/cancel`)
    expect((await retry()).status).toBe(201)
    await work()
    await expectAllProofs(db)
  })

  test('pays nothing more from the moment that the merchant is suspended', async () => {
    const { environments, test: keys } = await service.addMerchant('Stopped')
    const ofStopped = (method: string, url: string, body?: object) =>
      ask(method, url, { key: keys.secret, headers: headers(), ...(body && { body }) })
    await ofStopped('POST', '/v1/test/balances/fund', { asset: 'NGN', amount: 500_000 })
    const items = [item(account(25)), item(account(26))]
    const created = await ofStopped('POST', path, { kind: 'bank_transfer', items })
    const { reference } = created.json.data
    await work()
    await ofStopped('POST', `${path}/${reference}/submit`, {})
    // Suspended while a worker asks the bank for the names.
    const { merchantId } = environments.test
    const { preparation } = worker
    const suspending: BatchDependencies = {
      ...worker,
      preparation: {
        ...preparation,
        async prepare(now, request) {
          await db.transaction((tx) => suspendMerchant(tx, clock.now(), merchantId))
          return preparation.prepare(now, request)
        },
      },
    }
    await work(suspending)
    const [paid] = await db.rows<{ payouts: number }>({
      text: 'select count(*)::int as payouts from payouts where environment_id = $1',
      values: [environments.test.id],
    })
    expect(paid).toEqual({ payouts: 0 })
    await db.transaction((tx) => resumeMerchant(tx, merchantId))
    clock.advance(batchLimits.itemRetryMs)
    await finish()
    const after = await ofStopped('GET', `${path}/${reference}`)
    expect(after.json.data).toMatchObject({ status: 'COMPLETED', counts: { completed: 2 } })
    await expectAllProofs(db)
  })

  test('is stopped: what is not a transfer yet is not paid, and can be retried', async () => {
    await fund('NGN', 10_000_000)
    const reference = await createReady([31, 32, 33, 34].map((serial) => item(account(serial))))
    await submit(reference)
    const cancel = () => post(`${path}/${reference}/cancel`)
    const { preparation } = worker
    const withPrepare = (prepare: typeof preparation.prepare): BatchDependencies => ({
      ...worker,
      preparation: { ...preparation, prepare },
    })
    const payFirstTwo = withPrepare(async (now, request) =>
      request.batchItem!.number > 2 ? railUnavailable() : preparation.prepare(now, request),
    )
    await work(payFirstTwo)
    expect(await read(reference)).toMatchObject({ counts: { submitted: 2, valid: 2 } })
    clock.advance(batchLimits.itemRetryMs)
    // While a worker asks the bank for the names of the other two.
    let cancelled: Promise<Reply> | undefined
    const cancelFirst = withPrepare(async (now, request) => {
      cancelled ??= cancel()
      expect((await cancelled).json.data).toMatchObject({ status: 'PROCESSING' })
      return preparation.prepare(now, request)
    })
    await work(cancelFirst)
    expect(cancelled).toBeDefined()
    const refused = await cancel()
    expect(refused.json).toMatchObject({ code: 'batch_failed', reason: 'invalid_state' })
    await finish()
    expect(await read(reference)).toMatchObject({
      status: 'COMPLETED',
      counts: { completed: 2, failed: 2 },
    })
    const problem = { reason: 'batch_cancelled', message: expect.stringContaining('cancelled') }
    expect(await itemsOf(reference, '&status=FAILED')).toMatchObject([
      { row: 3, problem, transferReference: null },
      { row: 4, problem, transferReference: null },
    ])
    const retried = await post(`${path}/${reference}/retry`)
    expect(retried.json.data).toMatchObject({ items: 2, retryOf: reference })
    await expectAllProofs(db)
  })

  test('needs a balance for all of it, and fails the items that the balance no longer covers', async () => {
    const poor = await service.addMerchant('Poor')
    const ofPoor = (url: string, body: object = {}) =>
      ask('POST', url, { key: poor.test.secret, body, headers: headers() })
    await ofPoor('/v1/test/balances/fund', { asset: 'NGN', amount: 110_000 })
    const items = [item(account(21)), item(account(22))]
    const { data } = (await ofPoor(path, { kind: 'bank_transfer', items })).json
    await work()
    const submitPoor = () => ofPoor(`${path}/${data.reference}/submit`)
    await ofPoor('/v1/disbursements/bank-transfer', item(account(23)))
    expect((await submitPoor()).json).toMatchObject({ code: 'insufficient_balance' })
    await ofPoor('/v1/test/balances/fund', { asset: 'NGN', amount: 60_000 })
    expect((await submitPoor()).json.data).toMatchObject({ status: 'PROCESSING' })
    await ofPoor('/v1/disbursements/bank-transfer', item(account(24)))
    await finish()
    const paid = await ask('GET', `${path}/${data.reference}`, { key: poor.test.secret })
    expect(paid.json.data).toMatchObject({
      status: 'COMPLETED',
      counts: { completed: 1, failed: 1 },
    })
    const foreign = await ask('GET', `${path}/${data.reference}`, { key })
    expect(foreign.status).toBe(404)
    await expectAllProofs(db)
  })

  test('waits while the rail is paused, and in coins is paid on the chain', async () => {
    await fund('USDC', '1000')
    const wallets = ['FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ']
    const items = wallets.map((destinationAddress) => ({ amount: '2.50', destinationAddress }))
    const reply = await post(path, { kind: 'crypto_transfer', asset: 'USDC', items })
    const { reference } = reply.json.data
    await work()
    expect(await read(reference)).toMatchObject({ status: 'READY', amount: '2.5' })
    await submit(reference)
    const now = clock.now()
    const pause = { rail: rail.name, reason: 'test', pausedBy: 'test' }
    await db.transaction((tx) => pauseRail(tx, now, pause))
    await work()
    expect(await read(reference)).toMatchObject({ status: 'PROCESSING', counts: { valid: 1 } })
    expect((await itemsOf(reference))[0].problem).toMatchObject({ reason: 'rail_unavailable' })
    await db.transaction((tx) => resumeRail(tx, rail.name))
    clock.advance(20_000)
    await finish()
    await finish()
    expect(await itemsOf(reference)).toMatchObject([
      { status: 'COMPLETED', transferStatus: 'CONFIRMED', amount: '2.50', problem: null },
    ])
    await expectAllProofs(db)
  })

  test('is paid once by two workers, whatever they lose on the way', async () => {
    await fund('NGN', 100_000_000)
    const count = 600
    const items = Array.from({ length: count }, (_, index) => item(account(10_000 + index)))
    const reference = await createReady(items)
    await submit(reference)
    // Each loses its connection in the middle of every third transaction, like a process that is
    // killed. Their clocks differ by more than a lease, so they work on the same items.
    let transactions = 0
    const openLossy = (index: number): BatchDependencies => {
      const lossy = Object.create(db, {
        transaction: {
          value: (run: Parameters<typeof db.transaction>[0]) =>
            db.transaction(async (tx) => {
              const result = await run(tx)
              transactions += 1
              if (transactions % 3 === 0) throw new Error('killed')
              return result
            }),
        },
        rows: { value: db.rows.bind(db) },
      })
      const ahead = { ...clock, now: () => after(clock.now(), index * 60_000) }
      return { ...openBatchWorker(service), db: lossy, clock: ahead }
    }
    const workers = [openLossy(0), openLossy(1), openLossy(2)]
    for (let round = 0; round < 6; round += 1) {
      clock.advance(200_000)
      await Promise.allSettled(workers.map((one) => runBatches(one, 'test')))
    }
    expect(transactions).toBeGreaterThan(6)
    clock.advance(200_000)
    await finish()
    await finish()
    expect(await read(reference)).toMatchObject({
      status: 'COMPLETED',
      counts: { completed: count, failed: 0 },
    })
    const [paid] = await db.rows<{ payouts: number; items: number }>({
      text: `select count(*)::int as payouts, count(distinct batch_item)::int as items
        from payouts where batch_id = (select batch_id from payouts order by id desc limit 1)`,
      values: [],
    })
    expect(paid).toEqual({ payouts: count, items: count })
    await expectAllProofs(db)
  })
})

describe('approval', () => {
  const rule = {
    appliesTo: 'console',
    NGN: { each: 100_000, perDay: 180_000 },
    USDC: null,
    USDT: null,
  }

  /** Signed in now: the clock has moved on since the test before. */
  async function openTeam() {
    const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi' })
    const bola = await addPerson(service, { role: 'finance', name: 'Bola Ade' })
    await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
    await fund('NGN', 10_000_000)
    return { ada, bola }
  }

  async function createBy(person: Person, items: object[]): Promise<string> {
    const made = await person.ask('POST', path, { body: { kind: 'bank_transfer', items } })
    expect(made.status, made.text).toBe(201)
    await work()
    return made.json.data.reference
  }
  const submitBy = async (person: Person, reference: string) =>
    (await person.ask('POST', `${path}/${reference}/submit`, { body: {} })).json.data
  const approve = (person: Person, { reference, orderHash }: Waiting) =>
    person.ask('POST', `${path}/${reference}/approve`, { body: { orderHash } })
  type Waiting = { reference: string; orderHash: string }

  test('is asked for the total as one, from another person, for what was shown', async () => {
    const { ada, bola } = await openTeam()
    const viewer = await addPerson(service, { role: 'developer', name: 'Dele Ojo' })
    const reference = await createBy(
      ada,
      [31, 32, 33].map((serial) => item(account(serial), { amount: 60_000 })),
    )
    const waiting = await submitBy(ada, reference)
    expect(waiting).toMatchObject({ status: 'PENDING', approval: { givenBy: [] } })
    await work()
    expect(await read(reference)).toMatchObject({ status: 'PENDING', counts: { valid: 3 } })
    const attention = async (person: Person) =>
      (await person.ask('GET', '/v1/attention')).json.data.items as { kind: string; link: string }[]
    const link = `/payouts/batches/${reference}`
    expect(await attention(bola)).toContainEqual(
      expect.objectContaining({ kind: 'batch_approval', count: 1, link }),
    )
    expect(JSON.stringify(await attention(ada))).not.toContain('batch_approval')
    expect((await approve(ada, waiting)).json).toMatchObject({ reason: 'own_payout' })
    expect((await approve(viewer, waiting)).status).toBe(403)
    const other = { reference, orderHash: 'a'.repeat(64) }
    expect((await approve(bola, other)).json).toMatchObject({ reason: 'order_changed' })
    const shown = await bola.ask('GET', `${path}/${reference}`)
    expect(shown.json.data).toMatchObject({ mayApprove: true, createdBy: { name: 'Ada Obi' } })
    // The database refuses it too.
    const force = `update payout_batches set state = 'PROCESSING' where state = 'PENDING'`
    await expect(db.rows({ text: force, values: [] })).rejects.toThrow(/leaves_with_approval/)
    const approved = await approve(bola, waiting)
    expect(approved.json.data, approved.text).toMatchObject({
      status: 'PROCESSING',
      approval: { givenBy: [{ name: 'Bola Ade' }] },
    })
    expect((await approve(bola, waiting)).json).toMatchObject({ reason: 'invalid_state' })
    await finish()
    expect(await read(reference)).toMatchObject({ status: 'COMPLETED', counts: { completed: 3 } })
    await expectAllProofs(db)
  })

  test('counts what a batch has not sent yet towards the limit of a day', async () => {
    clock.advance(2 * day)
    const { ada } = await openTeam()
    const small = await createBy(ada, [item(account(41)), item(account(42), { amount: 45_000 })])
    expect(await submitBy(ada, small)).toMatchObject({ status: 'PROCESSING' })
    const payOut = () =>
      ada.ask('POST', '/v1/disbursements/bank-transfer', {
        body: item(account(43), { amount: 90_000 }),
      })
    expect((await payOut()).json.data).toMatchObject({ status: 'PENDING' })
    await finish()
    expect((await payOut()).json.data).toMatchObject({ status: 'PENDING' })
    expect(await read(small)).toMatchObject({ status: 'COMPLETED' })
    await expectAllProofs(db)
  })

  test('is refused with a reason, or expires', async () => {
    const { ada, bola } = await openTeam()
    const over = () => createBy(ada, [item(account(51), { amount: 150_000 })])
    const rejected = await over()
    await submitBy(ada, rejected)
    const body = { reason: 'Wrong month' }
    const reply = await bola.ask('POST', `${path}/${rejected}/reject`, { body })
    expect(reply.json.data).toMatchObject({
      status: 'REJECTED',
      approval: { rejectedBy: { name: 'Bola Ade' }, reason: 'Wrong month' },
    })
    const late = await over()
    const waiting = await submitBy(ada, late)
    clock.advance(3 * day + 1)
    expect(await expireBatches(db, clock.now())).toBe(1)
    expect(await read(late)).toMatchObject({ status: 'EXPIRED' })
    expect((await approve(bola, waiting)).status).toBeGreaterThanOrEqual(400)
    await work()
    expect(await itemsOf(late)).toMatchObject([{ status: 'VALID', transferReference: null }])
    await expectAllProofs(db)
  })
})
