import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { day } from '../../../src/base/clock.js'
import { fromReference, prefixes } from '../../../src/base/ids.js'
import { runBatches } from '../../../src/payouts/batches/run-batches.js'
import { batchLimits } from '../../../src/payouts/limits.js'
import { lockRecipientsOf } from '../../../src/payouts/recipients/store-recipients.js'
import { sql } from '../../../src/postgres/sql.js'
import { toNuban } from '../../../src/simulation/sandbox-bank/nuban.js'
import { openBatchWorker } from '../../support/batch-worker.js'
import { openShop } from '../../support/open-shop.js'
import { openWithBankAndChain } from '../../support/open-with-bank-and-chain.js'
import { addPerson } from '../../support/people.js'
import { openSession } from '../../support/sessions.js'
import { expectAllProofs } from '../../support/sound-books.js'
import { confirm, enter, ticketIn } from '../claims/recipient.js'

const service = await openWithBankAndChain({ hasPayouts: true })
const { db, bank, clock, settle } = service
const worker = openBatchWorker(service)
const wallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
const transfers = '/v1/disbursements/bank-transfer'
/** An account whose bank does not answer. */
const unreachable = '9900000096'
const coins = '/v1/disbursements/crypto'
const batches = '/v1/disbursements/batches'
let serial = 0
/** An account that no test has used. */
const newAccount = () => {
  serial += 1
  const digits = String(serial).padStart(9, '0')
  return { bankCode: '058', accountNumber: toNuban({ bankCode: '058', serial: digits }) }
}

await service.chain.advance(40)

async function openFundedShop() {
  const shop = await openShop(service)
  const { make } = shop
  await make('/v1/test/balances/fund', { asset: 'NGN', amount: 100_000_000 })
  const save = async (body: object = newAccount()) => {
    const saved = await make('/v1/recipients', body)
    // A process knows for a second that there were no recipients.
    clock.advance(1_100)
    return saved
  }
  return { ...shop, save }
}

const { inspect, resolveName } = bank
afterEach(() => {
  bank.inspect = inspect
  bank.resolveName = resolveName
})

/** The bank names another holder of every account from now on. */
function renameHolders(accountName: string) {
  bank.resolveName = async (account) => ({ ...(await resolveName(account)), accountName }) as never
  bank.inspect = async (targets, purpose) =>
    (await inspect(targets, purpose)).map((one) =>
      'destination' in one ? { ...one, destination: { ...one.destination, accountName } } : one,
    ) as Awaited<ReturnType<typeof inspect>>
}

describe('a saved recipient', () => {
  test('is a bank account with the name that the bank reports', async () => {
    const { read, save, eventsOf } = await openFundedShop()
    const account = newAccount()
    const saved = await save({ ...account, label: 'Ada, bakery', metadata: { staff: 7 } })
    const { json } = await service.ask(
      'GET',
      `/v1/banks/resolve?bankCode=058&accountNumber=${account.accountNumber}`,
      { key: service.merchant.test.secret },
    )
    expect(saved).toMatchObject({
      kind: 'bank_account',
      status: 'ACTIVE',
      ...account,
      accountName: json.data.accountName,
      bankName: json.data.bankName,
      address: null,
      label: 'Ada, bakery',
      metadata: { staff: 7 },
      firstPaidAt: null,
    })
    expect(saved.reference).toMatch(/^rcp_/)
    expect(await read(`/v1/recipients/${saved.reference}`)).toEqual(saved)
    expect(await eventsOf(saved.reference)).toEqual(['recipient.created'])
  })

  test('is a wallet, which the chain checks', async () => {
    const { ask, save } = await openFundedShop()
    const saved = await save({ address: wallet })
    expect(saved).toMatchObject({ kind: 'wallet', address: wallet, bankCode: null, label: null })
    const mint = { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }
    expect((await ask('POST', '/v1/recipients', mint)).json).toMatchObject({
      reason: 'destination_is_mint',
    })
    const unknown = await ask('POST', '/v1/recipients', { address: '1'.repeat(31) })
    expect(unknown.status).toBe(400)
  })

  test('has one destination', async () => {
    const { ask } = await openFundedShop()
    const bodies = [{}, { bankCode: '058' }, { accountNumber: '0123456789' }]
    for (const body of [...bodies, { ...newAccount(), address: wallet }]) {
      const reply = await ask('POST', '/v1/recipients', body)
      expect([reply.status, reply.json.code], reply.text).toEqual([400, 'validation_failed'])
    }
    const unknownBank = { ...newAccount(), bankCode: '000' }
    expect((await ask('POST', '/v1/recipients', unknownBank)).json).toMatchObject({
      reason: 'unknown_bank',
    })
  })

  test('is not saved, nor enabled, while the bank does not answer', async () => {
    const { ask, make, read, save, eventsOf } = await openFundedShop()
    const { reference: disabled } = await save()
    await make(`/v1/recipients/${disabled}/disable`)
    const idempotencyKey = randomUUID()
    const account = { bankCode: '058', accountNumber: unreachable }
    const expectUnavailable = async (path: string, body?: object) => {
      const { status, json, headers } = await ask('POST', path, body, idempotencyKey)
      expect(status).toBe(503)
      expect(json).toMatchObject({
        code: 'recipient_failed',
        reason: 'rail_unavailable',
        nextStep: expect.stringContaining('Retry after the time in `Retry-After`'),
      })
      expect(json.message).toContain('Nothing was changed')
      expect(headers.get('retry-after')).toBe('5')
    }
    await expectUnavailable('/v1/recipients', account)
    const { bankName } = (await resolveName({ ...account, accountNumber: '0123456789' })) as {
      bankName: string
    }
    bank.resolveName = async () =>
      resolveName(account) as Promise<{ bankName: string; accountName: string }>
    await expectUnavailable(`/v1/recipients/${disabled}/enable`)
    expect((await read('/v1/recipients')).items).toMatchObject([
      { reference: disabled, status: 'DISABLED' },
    ])
    expect(await eventsOf(disabled)).toEqual(['recipient.created', 'recipient.disabled'])
    // The same request works once the bank answers.
    bank.resolveName = async () => ({ bankName, accountName: 'ADA OBI' })
    const saved = await ask('POST', '/v1/recipients', account, idempotencyKey)
    expect(saved.json.data, saved.text).toMatchObject({ accountName: 'ADA OBI', status: 'ACTIVE' })
    expect((await ask('POST', '/v1/recipients', account, idempotencyKey)).text).toBe(saved.text)
  })

  test('is saved once per environment, however many requests save it at once', async () => {
    const { ask } = await openFundedShop()
    const other = await openFundedShop()
    const account = newAccount()
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => ask('POST', '/v1/recipients', account)),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
    const { reference } = replies.find(({ status }) => status === 201)!.json.data
    for (const { json } of replies.filter(({ status }) => status === 409)) {
      expect(json.reason).toBe('recipient_exists')
      expect(json.message).toContain(reference)
    }
    await other.save(account)
    expect((await other.ask('GET', `/v1/recipients/${reference}`)).status).toBe(404)
  })

  test('is listed by status, kind, name, label and number', async () => {
    const { make, read, save } = await openFundedShop()
    const account = newAccount()
    const first = await save({ ...account, label: 'Yaba bakery' })
    const second = await save({ address: wallet, label: 'Ikeja' })
    const third = await save()
    await make(`/v1/recipients/${third.reference}/disable`)
    const listed = async (query: string) =>
      (await read(`/v1/recipients?${query}`)).items.map(
        ({ reference }: { reference: string }) => reference,
      )
    expect(await listed('')).toEqual([third, second, first].map(({ reference }) => reference))
    expect(await listed('status=DISABLED')).toEqual([third.reference])
    expect(await listed('status=ACTIVE')).toEqual([second.reference, first.reference])
    expect(await listed('kind=wallet')).toEqual([second.reference])
    expect(await listed('q=bak')).toEqual([first.reference])
    expect(await listed(`q=${account.accountNumber}`)).toEqual([first.reference])
    expect(await listed(`q=${wallet}`)).toEqual([second.reference])
    expect(await listed(`q=${first.accountName.split(' ')[0]}&kind=bank_account`)).toContain(
      first.reference,
    )
  })

  test('changes its label and metadata only', async () => {
    const { ask, read, save } = await openFundedShop()
    const saved = await save({ ...newAccount(), label: 'Old', metadata: { a: 1 } })
    const path = `/v1/recipients/${saved.reference}`
    const changed = (await ask('PATCH', path, { label: 'New shop' })).json.data
    expect(changed).toEqual({ ...saved, label: 'New shop' })
    expect((await ask('PATCH', path, { label: null, metadata: {} })).json.data).toEqual({
      ...saved,
      label: null,
      metadata: {},
    })
    expect((await read('/v1/recipients?q=old')).items).toEqual([])
    expect((await ask('PATCH', path, { accountNumber: '0123456789' })).status).toBe(400)
  })
})

describe('a payout', () => {
  test('names a saved recipient instead of its account', async () => {
    const { ask, make, read, save } = await openFundedShop()
    const saved = await save()
    const { reference: recipient } = saved
    const quote = await make(`${transfers}/quote`, { amount: 50_000, recipient })
    expect(quote).toMatchObject({ amount: 50_000, totalDebit: 51_000 })
    const paid = await make(transfers, { amount: 50_000, recipient, narration: 'Bread' })
    expect(paid).toMatchObject({
      status: 'SUBMITTED',
      recipient,
      accountNumber: saved.accountNumber,
      accountName: saved.accountName,
      narration: 'Bread',
    })
    expect((await read(`/v1/recipients/${recipient}`)).firstPaidAt).toBeNull()
    await settle()
    const { completedAt } = await read(`${transfers}/${paid.reference}`)
    expect((await read(`/v1/recipients/${recipient}`)).firstPaidAt).toBe(completedAt)
    for (const path of [transfers, '/v1/disbursements'])
      expect((await read(`${path}?recipient=${recipient}`)).items).toMatchObject([
        { reference: paid.reference, recipient },
      ])
    expect((await read(`${transfers}?recipient=rcp_unknown`)).items).toEqual([])
    const both = [
      { amount: 50_000, recipient, bankCode: '058' },
      { amount: 50_000, recipient, accountName: 'Ada Obi' },
      { amount: 50_000 },
      { amount: 50_000, bankCode: '058' },
    ]
    for (const body of both) expect((await ask('POST', transfers, body)).status).toBe(400)
    expect((await ask('POST', transfers, { amount: 50_000, recipient: 'rcp_none' })).status).toBe(
      404,
    )
    await expectAllProofs(db)
  })

  test('in coins names a saved wallet', async () => {
    const { ask, make, save } = await openFundedShop()
    await make('/v1/test/balances/fund', { asset: 'USDC', amount: '100' })
    await service.chain.advance(2)
    const { reference: recipient } = await save({ address: wallet })
    const body = { amount: '2.5', asset: 'USDC', network: 'SOLANA', recipient }
    await make(`${coins}/quote`, body)
    expect(await make(coins, body)).toMatchObject({ destinationAddress: wallet, recipient })
    const { reference: account } = await save()
    const wrong = await ask('POST', coins, { ...body, recipient: account })
    expect(wrong.json.details).toMatchObject([{ field: 'recipient' }])
    expect((await ask('POST', transfers, { amount: 50_000, recipient })).status).toBe(400)
    expect((await ask('POST', coins, { ...body, destinationAddress: wallet })).status).toBe(400)
    await settle()
    await expectAllProofs(db)
  })

  test('to the account of a recipient belongs to its history', async () => {
    const { make, read, save } = await openFundedShop()
    const account = newAccount()
    const before = await make(transfers, { amount: 50_000, ...account })
    expect(before.recipient).toBeUndefined()
    const { reference: recipient } = await save(account)
    const paid = await make(transfers, { amount: 50_000, ...account })
    expect(paid).toMatchObject({ recipient })
    const { items } = await read(`${transfers}?recipient=${recipient}&status=SUBMITTED`)
    expect(items).toMatchObject([{ reference: paid.reference }])
    await settle()
  })

  test('to a recipient of another merchant is refused', async () => {
    const { ask } = await openFundedShop()
    const other = await openFundedShop()
    const { reference: recipient } = await other.save()
    expect((await ask('POST', transfers, { amount: 50_000, recipient })).status).toBe(404)
  })

  test('is refused if the bank names another holder', async () => {
    const { ask, make, read, save } = await openFundedShop()
    const saved = await save()
    const { reference: recipient, bankCode, accountNumber } = saved
    renameHolders('EVE OKORO')
    for (const body of [{ recipient }, { bankCode, accountNumber }])
      for (const path of [transfers, `${transfers}/quote`]) {
        const reply = await ask('POST', path, { amount: 50_000, ...body })
        expect([reply.status, reply.json.reason], reply.text).toEqual([409, 'name_changed'])
      }
    // The merchant accepts the new name by disabling and enabling it.
    await make(`/v1/recipients/${recipient}/disable`)
    expect(await make(`/v1/recipients/${recipient}/enable`)).toMatchObject({
      accountName: 'EVE OKORO',
    })
    expect(await make(transfers, { amount: 50_000, recipient })).toMatchObject({
      accountName: 'EVE OKORO',
    })
    expect((await read('/v1/recipients?q=eve')).items).toHaveLength(1)
    await settle()
  })
})

describe('a disabled recipient', () => {
  test('gets nothing, neither by its reference nor by its account', async () => {
    const { ask, make, read, save, eventsOf } = await openFundedShop()
    const { reference: recipient, bankCode, accountNumber, activeSince } = await save()
    expect(await make(transfers, { amount: 50_000, recipient })).toBeTruthy()
    await settle()
    expect((await read(`/v1/recipients/${recipient}`)).firstPaidAt).not.toBeNull()
    const path = `/v1/recipients/${recipient}`
    const disabled = await make(`${path}/disable`)
    expect(disabled).toMatchObject({ status: 'DISABLED', activeSince })
    expect(await make(`${path}/disable`)).toEqual(disabled)
    for (const body of [{ recipient }, { bankCode, accountNumber }]) {
      const reply = await ask('POST', transfers, { amount: 50_000, ...body })
      expect([reply.status, reply.json.reason], reply.text).toEqual([409, 'recipient_disabled'])
    }
    const again = await ask('POST', '/v1/recipients', { bankCode, accountNumber })
    expect(again.json).toMatchObject({ reason: 'recipient_exists' })
    expect(again.json.message).toContain('enable it')
    // It counts as new again.
    clock.advance(day)
    const enabled = await make(`${path}/enable`)
    expect(enabled).toMatchObject({ status: 'ACTIVE', firstPaidAt: null })
    expect(enabled.activeSince > activeSince).toBe(true)
    expect(await make(`${path}/enable`)).toEqual(enabled)
    await make(transfers, { amount: 50_000, recipient })
    expect(await eventsOf(recipient)).toEqual([
      'recipient.created',
      'recipient.disabled',
      'recipient.enabled',
    ])
    await settle()
    await expectAllProofs(db)
  })

  // The bank answers after the recipient was disabled: what was prepared must not be paid, and the
  // payouts beside it in the lane must.
  test('gets nothing that was prepared before', async () => {
    const { ask, make, save } = await openFundedShop()
    const beside = await openFundedShop()
    const { reference: recipient } = await save()
    let disabling: Promise<unknown> | undefined
    bank.inspect = async (targets, purpose) => {
      disabling ??= make(`/v1/recipients/${recipient}/disable`)
      await disabling
      return inspect(targets, purpose)
    }
    const [refused, paid] = await Promise.all([
      ask('POST', transfers, { amount: 50_000, recipient }),
      beside.ask('POST', transfers, { amount: 50_000, ...newAccount() }),
    ])
    expect([refused.status, refused.json.reason], refused.text).toEqual([409, 'recipient_disabled'])
    expect(paid.status, paid.text).toBe(201)
    await settle()
    await expectAllProofs(db)
  })

  // A payout holds the recipient until it commits. Others to the recipient do not wait for it.
  test('is disabled when the payouts that have not seen it have committed', async () => {
    const { make, save, merchant } = await openFundedShop()
    const { reference: recipient, bankCode, accountNumber } = await save()
    const account = { kind: 'bank_account', bankCode, accountNumber } as never
    const paid = { environmentId: merchant.environments.test.id, destination: account }
    let commit = () => {}
    const isDone = new Promise<void>((resolve) => {
      commit = resolve
    })
    let isLocked = false
    const paying = db.transaction(async (tx) => {
      const disabled = await lockRecipientsOf(tx, [{ ...paid, recipientId: null }])
      isLocked = true
      await isDone
      return disabled.size
    })
    await expect.poll(() => isLocked).toBe(true)
    let isDisabled = false
    const disabling = make(`/v1/recipients/${recipient}/disable`).then(() => {
      isDisabled = true
    })
    await expect.poll(() => waitingStatements(/recipients/)).toBe(1)
    expect(await make(transfers, { amount: 50_000, recipient })).toMatchObject({ recipient })
    expect(isDisabled).toBe(false)
    commit()
    expect(await paying).toBe(0)
    await disabling
    await settle()
    await expectAllProofs(db)
  })

  // The recipient is being disabled: only payouts to it wait for that.
  test('is locked while it is disabled', async () => {
    const { ask, make, save } = await openFundedShop()
    const beside = await openFundedShop()
    const { reference: recipient } = await save()
    const session = await openSession(db)
    await session.query('begin')
    const id = fromReference(prefixes.recipient, recipient)
    await session.query(`update recipients set status = 'DISABLED' where id = $1`, [id])
    const paying = ask('POST', transfers, { amount: 50_000, recipient })
    expect(await beside.make(transfers, { amount: 50_000, ...newAccount() })).toBeTruthy()
    await expect.poll(() => waitingStatements(/recipients/)).toBe(1)
    expect(await beside.make(transfers, { amount: 50_000, ...newAccount() })).toBeTruthy()
    await session.query('commit')
    expect((await paying).json).toMatchObject({ reason: 'recipient_disabled' })
    await make(`/v1/recipients/${recipient}/enable`)
    await settle()
    await expectAllProofs(db)
  })

  async function openRuledShop() {
    const shop = await openFundedShop()
    const { reference } = shop.merchant
    const ada = await addPerson(service, { role: 'owner', name: 'Ada Obi', merchant: reference })
    const bola = await addPerson(service, { role: 'admin', name: 'Bola Ade', merchant: reference })
    const rule = { appliesTo: 'all', NGN: { each: 10_000, perDay: null }, USDC: null, USDT: null }
    const ruled = await ada.ask('PATCH', '/v1/settings/approvals', { body: rule })
    expect(ruled.status, ruled.text).toBe(200)
    clock.advance(1_100)
    return { ...shop, ada, bola }
  }

  test('keeps a payout that was made before it was saved from being approved', async () => {
    const { make, save, ada, bola } = await openRuledShop()
    const account = newAccount()
    const waiting = await ada.ask('POST', transfers, { body: { amount: 50_000, ...account } })
    expect(waiting.json.data).toMatchObject({ status: 'PENDING' })
    expect(waiting.json.data.recipient).toBeUndefined()
    const { reference: recipient } = await save(account)
    await make(`/v1/recipients/${recipient}/disable`)
    const { reference, orderHash } = waiting.json.data
    const approved = () =>
      bola.ask('POST', `/v1/disbursements/${reference}/approve`, { body: { orderHash } })
    expect((await approved()).json).toMatchObject({ reason: 'recipient_disabled' })
    await expect(
      db.rows(sql`
        update payouts set status = 'SUBMITTED', submitted_at = now()
        where id = ${fromReference(prefixes.bankTransfer, reference)!}`),
    ).rejects.toMatchObject({ constraint: 'disabled_recipient_is_not_paid' })
    await make(`/v1/recipients/${recipient}/enable`)
    expect((await approved()).json.data).toMatchObject({ status: 'SUBMITTED' })
    await settle()
    await expectAllProofs(db)
  })

  // The bank answers after the account was saved and disabled.
  test('is not paid by a claim that was prepared before', async () => {
    const { make, read, save } = await openFundedShop()
    const account = newAccount()
    const { url, reference } = await make('/v1/claims', { amount: 50_000, description: 'Refund' })
    const ticket = ticketIn(await enter(url, account))
    let disabling: Promise<unknown> | undefined
    bank.inspect = async (targets, purpose) => {
      disabling ??= save(account).then((saved) => make(`/v1/recipients/${saved.reference}/disable`))
      await disabling
      return inspect(targets, purpose)
    }
    await confirm(url, ticket)
    expect(disabling).toBeDefined()
    expect(await read(`/v1/claims/${reference}`)).toMatchObject({ status: 'OPEN' })
    await expectAllProofs(db)
  })

  test('keeps a payout that waits from being approved', async () => {
    const { ask, make, save, ada, bola } = await openRuledShop()
    const { reference: recipient } = await save()
    const reply = await ada.ask('POST', transfers, { body: { amount: 50_000, recipient } })
    expect(reply.json.data, reply.text).toMatchObject({ status: 'PENDING', recipient })
    await make(`/v1/recipients/${recipient}/disable`)
    const { reference: payout, orderHash } = reply.json.data
    const approve = () =>
      bola.ask('POST', `/v1/disbursements/${payout}/approve`, { body: { orderHash } })
    expect((await approve()).json).toMatchObject({
      code: 'approval_failed',
      reason: 'recipient_disabled',
    })
    const refused = await ada.ask('POST', transfers, { body: { amount: 50_000, recipient } })
    expect(refused.json).toMatchObject({ reason: 'recipient_disabled' })
    expect((await ask('POST', `/v1/recipients/${recipient}/enable`)).status).toBe(200)
    expect((await approve()).json.data).toMatchObject({ status: 'SUBMITTED' })
    await settle()
    await expectAllProofs(db)
  })
})

/** Statements that wait for a lock, and match. */
async function waitingStatements(pattern: RegExp): Promise<number> {
  const rows = await db.rows(sql<{ query: string }>`
    select query from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  return rows.filter(({ query }) => pattern.test(query)).length
}

describe('a batch', () => {
  /** Runs the job until no batch has more to do at once. */
  async function work() {
    clock.advance(1_000)
    while ((await runBatches(worker, 'test')) > 0);
  }

  async function finish() {
    await work()
    await settle()
    clock.advance(batchLimits.resultsIntervalMaxMs)
    await work()
  }

  test('names recipients in its items, and finds those that it does not name', async () => {
    const { make, read, save } = await openFundedShop()
    const [one, other] = [await save(), await save()]
    const items = [
      { amount: 50_000, recipient: one.reference, narration: 'Salary' },
      { amount: 60_000, bankCode: other.bankCode, accountNumber: other.accountNumber },
      { amount: 70_000, ...newAccount() },
    ]
    const { reference } = await make(batches, { kind: 'bank_transfer', items })
    await work()
    const listed = (await read(`${batches}/${reference}/items`)).items
    expect(listed).toMatchObject([
      { status: 'VALID', recipient: one.reference, accountNumber: one.accountNumber },
      { status: 'VALID', recipient: other.reference },
      { status: 'VALID' },
    ])
    expect(listed[2].recipient).toBeUndefined()
    await make(`${batches}/${reference}/submit`)
    await finish()
    expect(await read(`${batches}/${reference}`)).toMatchObject({ status: 'COMPLETED' })
    for (const { reference: recipient } of [one, other]) {
      expect((await read(`${transfers}?recipient=${recipient}`)).items).toHaveLength(1)
      expect((await read(`/v1/recipients/${recipient}`)).firstPaidAt).not.toBeNull()
    }
    await expectAllProofs(db)
  })

  async function openUploads() {
    const shop = await openFundedShop()
    const upload = (csv: string) => {
      const headers = { 'idempotency-key': randomUUID(), 'content-type': 'text/csv' }
      return service.ask('POST', batches, { key: shop.key, headers, body: csv })
    }
    return { ...shop, upload }
  }

  test('is uploaded as CSV with a column for recipients', async () => {
    const { read, save, upload } = await openUploads()
    const { reference: recipient, accountNumber } = await save()
    const reply = await upload(`recipient,amountNaira,narration\n${recipient},500.00,Salary\n`)
    expect(reply.status, reply.text).toBe(201)
    const items = await read(`${batches}/${reply.json.data.reference}/items`)
    expect(items.items).toMatchObject([{ recipient, accountNumber, amount: 50_000 }])
    const unknown = await upload('recipient,amountNaira\nrcp_unknown,500.00\n')
    expect(unknown.json.details).toEqual([
      { field: 'line 2, recipient', issue: 'must be the reference of a saved recipient' },
    ])
  })

  // Who corrects a file wants to do it once.
  test('is refused with every problem of its file at once', async () => {
    const { ask, make, save, upload } = await openUploads()
    const { reference: recipient } = await save()
    const { reference: disabled } = await save()
    await make(`/v1/recipients/${disabled}/disable`)
    const { reference: ofWallet } = await save({ address: wallet })
    const header = 'accountNumber,bankCode,amountNaira,recipient,accountName,merchantReference'
    const lines = [
      `0123456789,058,500.00,${recipient},,j-1`,
      ',,500.00,rcp_unknown,,j-2',
      ',058,500.00,,,j-1',
      `,,500.00,${recipient},Ada Obi,`,
      `,,12a,${disabled},,`,
      `,,10000000.01,${ofWallet},,j-3`,
    ]
    const saved = 'must be the reference of a saved recipient'
    const found = [
      { field: 'line 2, accountNumber', issue: 'cannot be sent with `recipient`' },
      { field: 'line 3, recipient', issue: saved },
      { field: 'line 4, accountNumber', issue: 'is required' },
      { field: 'line 4, merchantReference', issue: 'must be unique; line 2 has it, too' },
      { field: 'line 5, accountName', issue: 'cannot be sent with `recipient`' },
      { field: 'line 6, amountNaira', issue: expect.stringContaining('decimal number') },
      { field: 'line 6, recipient', issue: 'must not be disabled' },
      { field: 'line 7, amountNaira', issue: expect.stringContaining('must be at most') },
      { field: 'line 7, recipient', issue: expect.stringContaining('must be a bank account') },
    ]
    const byPlace = (one: { field: string }, other: { field: string }) =>
      one.field.localeCompare(other.field)
    const detailsOf = async (...file: string[]) => {
      const reply = await upload(file.join('\n'))
      expect(reply.status, reply.text).toBe(400)
      return reply.json.details.toSorted(byPlace)
    }
    const all = await detailsOf(header, ...lines)
    expect(all).toEqual(found.toSorted(byPlace))
    // Also of a file whose first line is wrong, and with quotes that do not fit.
    expect(
      await detailsOf(
        `${header.replace('accountName', 'holder')},amountNaira`,
        ',,500.00,rcp_unknown,,,',
        ',,"500.00,rcp_unknown,,,',
        ',,500.00,rcp_other,,,',
      ),
    ).toEqual([
      { field: 'line 1, column 5', issue: expect.stringContaining('holder is unknown') },
      { field: 'line 1, column 7', issue: 'amountNaira appears twice' },
      { field: 'line 2, recipient', issue: saved },
      { field: 'line 3', issue: expect.stringContaining('quoted cell') },
      { field: 'line 4, recipient', issue: saved },
    ])
    // Mistakes that only the whole file shows, and recipients.
    expect(
      await detailsOf('recipient,amountNaira', `${recipient},10000000.01`, 'rcp_unknown,500'),
    ).toEqual([
      { field: 'line 2, amountNaira', issue: expect.stringContaining('must be at most') },
      { field: 'line 3, recipient', issue: saved },
    ])
    const items = [
      { amount: 50_000, recipient: disabled },
      { amount: 1_000_000_001, recipient },
      { amount: 50_000, recipient, bankCode: '058' },
    ]
    const reply = await ask('POST', batches, { kind: 'bank_transfer', items })
    expect(reply.json.details).toEqual([
      { field: 'items.0.recipient', issue: 'must not be disabled' },
      { field: 'items.1.amount', issue: expect.stringContaining('must be at most') },
      { field: 'items.2.bankCode', issue: 'cannot be sent with `recipient`' },
    ])
  })

  test('does not pay an account that was saved and disabled since', async () => {
    const { make, read, save } = await openFundedShop()
    const account = newAccount()
    const items = [account, newAccount()].map((one) => ({ amount: 50_000, ...one }))
    const { reference } = await make(batches, { kind: 'bank_transfer', items })
    await work()
    await make(`${batches}/${reference}/submit`)
    const { reference: recipient } = await save(account)
    await make(`/v1/recipients/${recipient}/disable`)
    await finish()
    expect((await read(`${batches}/${reference}/items`)).items).toMatchObject([
      { status: 'FAILED', problem: { reason: 'recipient_disabled' } },
      { status: 'COMPLETED' },
    ])
    await expectAllProofs(db)
  })

  test('does not pay a recipient that is disabled before', async () => {
    const { ask, make, read, save } = await openFundedShop()
    const [one, other] = [await save(), await save()]
    const items = [one, other].map(({ reference }) => ({ amount: 50_000, recipient: reference }))
    const { reference } = await make(batches, { kind: 'bank_transfer', items })
    await make(`/v1/recipients/${one.reference}/disable`)
    await work()
    const path = `${batches}/${reference}`
    expect((await read(`${path}/items`)).items).toMatchObject([
      { status: 'INVALID', problem: { reason: 'recipient_disabled' } },
      { status: 'VALID' },
    ])
    await make(`${path}/submit`, { skipInvalid: true })
    await make(`/v1/recipients/${other.reference}/disable`)
    await finish()
    expect((await read(`${path}/items`)).items).toMatchObject([
      { status: 'INVALID' },
      { status: 'FAILED', problem: { reason: 'recipient_disabled' } },
    ])
    const refused = await ask('POST', batches, { kind: 'bank_transfer', items })
    expect(refused.json.details).toMatchObject([
      { field: 'items.0.recipient' },
      { field: 'items.1.recipient' },
    ])
    await expectAllProofs(db)
  })
})

describe('members', () => {
  test('change recipients as their role allows, and the audit log says so', async () => {
    const { merchant, save } = await openFundedShop()
    const { reference } = merchant
    const saved = await save()
    const finance = await addPerson(service, { role: 'finance', merchant: reference })
    const support = await addPerson(service, { role: 'support', merchant: reference })
    const made = await finance.ask('POST', '/v1/recipients', { body: newAccount() })
    expect(made.status, made.text).toBe(201)
    expect((await support.ask('GET', `/v1/recipients/${saved.reference}`)).status).toBe(200)
    const path = `/v1/recipients/${saved.reference}/disable`
    expect((await support.ask('POST', path, { body: {} })).json).toMatchObject({ reason: 'role' })
    expect((await finance.ask('POST', path, { body: {} })).status).toBe(200)
    const { json } = await finance.ask('GET', '/v1/audit-lines')
    const actions = json.data.items.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(expect.arrayContaining(['recipient.create', 'recipient.disable']))
  })
})

describe('the database', () => {
  test('holds the rules of recipients', async () => {
    const { make, save } = await openFundedShop()
    const [one, other] = [await save(), await save({ address: wallet })]
    const paid = await make(transfers, { amount: 50_000, recipient: one.reference })
    await settle()
    const idOf = ({ reference }: { reference: string }) =>
      `'${fromReference(prefixes.recipient, reference)}'`
    const run = (text: string) => db.rows({ text, values: [] })
    const set = (values: string, recipient = one) =>
      `update recipients set ${values} where id = ${idOf(recipient)}`
    const copy = (columns: string, values: string, recipient = one) => `
      insert into recipients (environment_id, id, metadata, active_since, created_at, ${columns})
      select environment_id, gen_random_uuid(), metadata, active_since, created_at, ${values}
      from recipients where id = ${idOf(recipient)}`
    const all = 'kind, bank_code, bank_name, account_number, account_name, address, status'
    const payTo = (recipientId: string) => `
      insert into payouts (environment_id, id, kind, rail, asset, amount, fee, requested_amount,
        destination, metadata, takes_from, status, event_sequence, submitted_at, created_at,
        recipient_id)
      select environment_id, gen_random_uuid(), kind, rail, asset, amount, fee, requested_amount,
        destination, metadata, takes_from, 'SUBMITTED', event_sequence, submitted_at, created_at,
        ${recipientId}
      from payouts where id = '${fromReference(prefixes.bankTransfer, paid.reference)}'`
    const cases: [string, string][] = [
      [copy(all, all), 'recipient_account_is_saved_once'],
      [copy(all, all, other), 'recipient_wallet_is_saved_once'],
      [copy('kind, status', `'wallet', 'ACTIVE'`), 'recipient_has_one_destination'],
      [copy(all, all.replace('address', `'x'`)), 'recipient_has_one_destination'],
      [set(`status = 'GONE'`), 'recipient_status_is_known'],
      [set(`label = ''`), 'recipient_label_is_not_empty'],
      [
        set(`active_since = created_at - interval '1 second'`),
        'recipient_is_active_since_it_was_saved',
      ],
      [set('event_sequence = 0'), 'recipient_event_sequence_is_positive'],
      [payTo('gen_random_uuid()'), 'payout_has_its_recipient'],
      [payTo(idOf(other)), 'payout_goes_to_its_recipient'],
    ]
    for (const [text, constraint] of cases)
      await expect(run(text), text).rejects.toMatchObject({ constraint })
    await expect(run(set(`account_number = '0123456789'`))).rejects.toThrow(/never/)
    await make(`/v1/recipients/${one.reference}/disable`)
    await expect(run(payTo(idOf(one)))).rejects.toMatchObject({
      constraint: 'disabled_recipient_is_not_paid',
    })
    await expectAllProofs(db)
  })

  test('finds the recipient of a destination, and its first payout, by an index', async () => {
    const { save } = await openFundedShop()
    const { accountNumber } = await save()
    const plans = await db.transaction(async (tx) => {
      tx.write(sql`set local enable_seqscan = off`)
      return [
        await tx.rows(sql<{ 'QUERY PLAN': string }>`
          explain select from recipients where environment_id = 1 and bank_code = '058'
            and account_number = ${accountNumber} and kind = 'bank_account'`),
        await tx.rows(sql<{ 'QUERY PLAN': string }>`
          explain select completed_at from payouts where environment_id = 1
            and recipient_id = '00000000-0000-7000-8000-000000000000' and status = 'COMPLETED' order by id limit 1`),
      ].map((rows) => JSON.stringify(rows))
    })
    expect(plans[0]).toContain('recipient_account_is_saved_once')
    expect(plans[1]).toContain('payouts_by_recipient')
  })
})
