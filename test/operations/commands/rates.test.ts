import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hour } from '../../../src/base/clock.js'
import { newId } from '../../../src/base/ids.js'
import { limits } from '../../../src/base/limits.js'
import { readRateSources } from '../../../src/base/rate-sources.js'
import { Secret } from '../../../src/base/secret.js'
import { adding } from '../../../src/operations/actions/exchange.js'
import {
  confirmAction,
  propose,
  readActionId,
} from '../../../src/operations/changes/operator-actions.js'
import type { WatchedRails } from '../../../src/operations/definitions/definition.js'
import { examineRates } from '../../../src/operations/doctor/examine-rates.js'
import { sql } from '../../../src/postgres/sql.js'
import { deleteOtherReadings, storeReadings } from '../../../src/rates/store-readings.js'
import { freshDatabase } from '../../support/database.js'
import { noRails, openManilla } from '../../support/open-manilla.js'
import { addPerson, type Person } from '../../support/people.js'
import { expectAllProofs } from '../../support/sound-books.js'
import { answers, clock, createConsole } from './commands.js'

const db = await freshDatabase()
const secret = new Secret('another secret of more than thirty-two characters')
const service = await openManilla({ beside: { db, clock, secret } })
const { merchant } = service

/** What the treasury of live mode holds, in millionths. */
const held = { SOL: 0n, USDC: 0n, USDT: 0n }
const chain = {
  name: 'solana:paper',
  isChainKnown: async () => true,
  treasuryBalances: async () => ({ ...held }),
}
const rails = {
  solana: { test: undefined, live: chain },
  rails: noRails,
} as unknown as WatchedRails
const source = { name: 'bank-a', asset: 'USDC', url: 'https://bank.example', rate: '/rate' }
const rates = {
  sources: readRateSources(JSON.stringify([source]), {}),
  maxAgeMs: 5 * 60_000,
  maxDeviationPercent: 5,
}
const { run, runJson } = createConsole(db, undefined, { rails, rates })
const bare = createConsole(db)

const set = (buy: number, sell: number, ...more: string[]) =>
  run('rates', 'set', 'USDC/NGN', '--buy', `${buy}`, '--sell', `${sell}`, ...more)
const current = async () =>
  (await runJson('rates', 'show')).find(({ asset }: { asset: string }) => asset === 'USDC')
const lastAudit = async () => (await runJson('audit', 'list', '--limit', '1'))[0]

describe('rates', () => {
  test('are set, shown and withdrawn, with lines in the audit log', async () => {
    expect(await current()).toMatchObject({ rate: null, isMissing: true })
    expect((await run('rates', 'clear', 'USDC')).err).toContain('No operator has set a rate')
    const doctor = async () =>
      (await examineRates({ db, clock, config: undefined })).map(
        ({ state, message }) => `${state}: ${message}`,
      )
    expect(await doctor()).toEqual([])
    // Nothing that is known tells whether the first rate is right.
    const unasked = await set(15, 16)
    expect([unasked.exitCode, unasked.err]).toEqual([2, expect.stringContaining('no terminal')])
    answers.push('no')
    expect((await set(15, 16)).exitCode).toBe(1)
    expect(await current()).toMatchObject({ rate: null })
    expect((await set(1_580, 1_600, '--yes')).out).toBe('USDC: 1580 / 1600.\n')
    expect(await doctor()).toEqual([
      'ok: USDC has a rate',
      'warning: no rate for USDT: live conversions are refused',
    ])
    expect(await lastAudit()).toMatchObject({
      action: 'rate.set',
      details: { asset: 'USDC', buy: '1580', sell: '1600' },
    })
    expect(await current()).toMatchObject({
      rate: { buy: '1580', sell: '1600', origin: 'operator', givenBy: 'ada', expiresAt: null },
      isMissing: false,
      sources: [{ source: 'bank-a', problem: 'not read yet: run a worker' }],
    })
    expect((await run('rates', 'show')).out).toMatch(/^USDC +1580 +1600 +operator: ada +0 s +-$/m)
    await run('rates', 'clear', 'USDC')
    expect(await current()).toMatchObject({ rate: null })
    expect(await lastAudit()).toMatchObject({ action: 'rate.withdraw' })
    expect((await runJson('rates', 'history', 'USDC'))[0].withdrawnAt).not.toBeNull()
  })

  test('expire, if the operator sets a time', async () => {
    await set(1_590, 1_610, '--for', '24h')
    clock.advance(24 * hour - 1_000)
    expect((await current()).rate.buy).toBe('1590')
    clock.advance(1_000)
    expect((await current()).rate).toBeNull()
    expect((await set(1_590, 1_610, '--for', '366d')).err).toContain('at most 365d')
  })

  test('never sell below the buying rate, and change much only if confirmed', async () => {
    expect(await set(1_600, 1_580)).toMatchObject({
      exitCode: 1,
      err: 'error: --sell must be at least --buy.\n',
    })
    expect((await set(0, 1_580)).exitCode).toBe(1)
    await set(1_580, 1_600)
    const far = await set(158, 160)
    expect([far.exitCode, far.err]).toEqual([2, expect.stringContaining('no terminal')])
    answers.push('no')
    expect((await set(158, 160)).exitCode).toBe(1)
    expect((await current()).rate.buy).toBe('1580')
    expect((await set(158, 160, '--yes')).exitCode).toBe(0)
    expect((await current()).rate.buy).toBe('158')
    expect((await set(1_580, 1_600, '--yes')).exitCode).toBe(0)
  })

  // The first start with one source that shows the rate of another pair.
  test('of sources that contradict each other are neither advised nor accepted', async () => {
    const problem = 'differs from the other sources'
    const judged = [
      { source: 'bank-a', rate: { buy: 1_592_000_000n, sell: 1_608_000_000n }, problem },
      { source: 'bank-c', rate: { buy: 15_000_000n, sell: 16_000_000n }, problem },
    ]
    await db.transaction(async (tx) => storeReadings(tx, clock.now(), 'USDC', judged))
    const why = 'Fewer than two sources of USDC agree. Set a rate: manilla rates set USDC'
    const { out } = await run('rates', 'show')
    expect(out).toContain(why)
    expect(out).not.toContain('rates accept')
    expect((await run('rates', 'accept', 'USDC', '--yes')).err).toContain(why)
    await db.transaction(async (tx) => deleteOtherReadings(tx, []))
  })

  test('of the sources are accepted although they jumped', async () => {
    expect((await run('rates', 'accept', 'USDC', '--yes')).err).toContain(
      'No source has a recent rate for USDC',
    )
    const rate = { buy: 2_000_000_000n, sell: 2_020_000_000n }
    const judged = [{ source: 'bank-a', rate, problem: 'jumped: from 1580 / 1600 to 2000 / 2020' }]
    await db.transaction(async (tx) => storeReadings(tx, clock.now(), 'USDC', judged))
    await run('rates', 'clear', 'USDC')
    expect((await run('rates', 'show')).out).toContain('manilla rates accept USDC')
    expect((await run('rates', 'accept', 'USDC')).exitCode).toBe(2)
    expect((await run('rates', 'accept', 'USDC', '--yes')).exitCode).toBe(0)
    expect((await current()).rate).toMatchObject({
      buy: '2000',
      origin: 'sources',
      givenBy: 'bank-a; accepted by ada',
    })
    // Without waiting for the next poll.
    const { out } = await run('rates', 'show')
    expect(out).toMatch(/^USDC +bank-a +2000 +2020 .*used$/m)
    expect(out).not.toContain('rates accept')
    expect(await lastAudit()).toMatchObject({ action: 'rate.accept' })
  })
})

const live = ['--note', 'Own money', '--yes']
const add = (asset: string, amount: string) => run('exchange', 'add', asset, amount, ...live)
const take = (asset: string, amount: string) => run('exchange', 'take', asset, amount, ...live)
const positions = async () => {
  const [view] = await runJson('exchange', 'show', '--mode', 'live')
  return Object.fromEntries(
    view.positions.map((one: { asset: string }) => [one.asset, one]),
  ) as Record<string, Record<string, string>>
}

describe('the exchange', () => {
  test('accepts coins only if the treasury holds more than the ledger explains', async () => {
    const missing = await add('USDC', '60')
    expect([missing.exitCode, missing.err]).toEqual([1, expect.stringContaining('holds 0 USDC')])
    held.USDC = 100_000_000n
    expect((await add('USDC', '60')).out).toBe('live: added 60 USDC; 60 USDC to sell.\n')
    // The first sixty are in the books now.
    expect((await add('USDC', '60')).err).toContain(
      'which is 40 USDC more than the ledger explains',
    )
    expect((await add('USDC', '40')).out).toContain('100 USDC to sell')
    expect((await take('USDC', '100.5')).err).toContain('Only 100 USDC can be taken')
    expect((await take('USDC', '99')).out).toBe('live: took 99 USDC; 1 USDC to sell.\n')
    expect(await lastAudit()).toMatchObject({
      action: 'exchange_stock.take',
      details: { mode: 'live', asset: 'USDC', amount: '99 USDC', note: 'Own money' },
    })
    expect((await bare.run('exchange', 'add', 'USDC', '1', ...live)).err).toContain('No chain')
    await expectAllProofs(db)
  })

  test('adds money once, if the operator names the transfer', async () => {
    const addOnce = (asset: string, amount: string) =>
      run('exchange', 'add', asset, amount, ...live, '--once', 'slip-4711')
    expect((await addOnce('NGN', '500')).out).toBe('live: added ₦500.00; ₦500.00 to sell.\n')
    expect(await lastAudit()).toMatchObject({ details: { once: 'slip-4711' } })
    for (const [asset, amount] of [
      ['NGN', '500'],
      ['NGN', '501'],
      ['USDC', '1'],
    ] as const)
      expect(await addOnce(asset, amount)).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining('An addition with this reference already exists.'),
      })
    // Without waiting for each other: one of them adds.
    const inTest = ['--mode', 'test', '--note', 'x']
    const both = await Promise.all(
      [1, 2].map(() => run('exchange', 'add', 'NGN', '500', ...inTest, '--once', 'slip-4712')),
    )
    expect(both.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1])
    expect((await run('exchange', 'take', 'NGN', '500', ...inTest)).out).toContain('₦0.00 to sell')
    expect((await take('NGN', '500')).out).toContain('₦0.00 to sell')
    await expectAllProofs(db)
  })

  test('asks before it changes live mode', async () => {
    const unasked = await run('exchange', 'add', 'NGN', '100', '--note', 'Own money')
    expect([unasked.exitCode, unasked.err]).toEqual([2, expect.stringContaining('no terminal')])
  })

  // ₦160,000 less the fee of ₦800 buys 99.5 USDC at 1600. At the middle, 1590, these are worth
  // ₦158,205: the spread earned ₦995, and the fee comes on top.
  test('sells only what it has, up to its limits, and shows the profit', async () => {
    await set(1_580, 1_600, '--yes')
    const credit = ['--mode', 'live', '--asset', 'NGN', '--amount', '500000', '--note', 'x']
    await runJson('balances', 'credit', merchant.reference, ...credit, '--yes')
    const key = merchant.live.secret
    const convert = async (amount = 16_000_000) => {
      clock.advance(limits.rates.cacheMs)
      const quote = await service.ask('POST', '/v1/conversions/quotes', {
        key,
        body: { from: 'NGN', to: 'USDC', amount },
      })
      return service.ask('POST', '/v1/conversions', {
        key,
        headers: { 'idempotency-key': randomUUID() },
        body: { quote: quote.json.data.reference },
      })
    }
    await run('kyc', 'approve', merchant.reference)
    clock.advance(limits.rates.cacheMs)
    const quoted = (body: object) => service.ask('POST', '/v1/conversions/quotes', { key, body })
    const small = await quoted({ from: 'NGN', to: 'USDC', amount: 9_999 })
    expect([small.status, small.json.reason, small.json.message]).toEqual([
      422,
      'amount_too_small',
      'The conversion is worth ₦99.99; the smallest one is ₦100.00.',
    ])
    expect((await quoted({ from: 'NGN', to: 'USDC', amount: 10_000 })).status).toBe(201)
    const tiny = await quoted({ from: 'USDC', to: 'NGN', amount: '0.06' })
    expect(tiny.json.reason).toBe('amount_too_small')
    const refused = await convert()
    expect([refused.status, refused.json.reason]).toEqual([409, 'capacity'])
    // Beyond the own balance, what the operator can convert is never the answer.
    expect((await convert(16_000_000_000)).json.code).toBe('insufficient_balance')
    expect((await add('USDC', '99')).exitCode).toBe(0)
    await run('exchange', 'limit', 'NGN', '159199.99')
    expect((await convert()).json.reason).toBe('capacity')
    expect((await positions()).NGN!.ceiling).toBe('₦159,199.99')
    await run('exchange', 'limit', 'NGN', 'none')
    expect(await lastAudit()).toMatchObject({
      action: 'exchange_limit.set',
      details: { limit: 'none' },
    })
    expect((await convert()).json.data).toMatchObject({ targetAmount: '99.5', fee: 80_000 })

    const [view] = await runJson('exchange', 'show', '--mode', 'live')
    expect(view.profit).toBe('₦1,795.00')
    expect(await positions()).toMatchObject({
      NGN: { bought: '₦159,200.00', inventory: '₦159,200.00', fees: '₦800.00', ceiling: null },
      USDC: { stock: '100 USDC', sold: '99.5 USDC', inventory: '0.5 USDC', worth: '−₦158,205.00' },
    })
    expect((await run('exchange', 'show')).out).toMatch(/^Profit in live mode.*₦1,795\.00$/m)
    expect(await service.metrics.registry.metrics()).toContain(
      'manilla_exchange_inventory{mode="live",asset="USDC"} 0.5',
    )
    // What conversions bought can be taken, and no more than that.
    expect((await take('NGN', '159200.01')).exitCode).toBe(1)
    expect((await take('NGN', '159200')).exitCode).toBe(0)
    await expectAllProofs(db)
  })

  test('is shown in the console, where test mode and limits change at once', async () => {
    const ada = await addPerson(service, { isOperator: true })
    const late = await addPerson(service, { isOperator: true, hasStepUp: false })
    const order = { mode: 'test', asset: 'NGN', amount: '1000', note: 'Own money' }
    expect((await post('/exchange/add', order, late)).json.reason).toBe('step_up_required')
    expect((await post('/exchange/add', order, ada)).json.data.inventory).toBe('₦1,000.00')
    expect((await post('/exchange/take', { ...order, amount: '1000.01' }, ada)).status).toBe(400)
    expect((await post('/exchange/take', order, ada)).json.data.inventory).toBe('₦0.00')
    const limit = { mode: 'live', asset: 'NGN', amount: '50000000' }
    expect((await post('/exchange/limit', limit, ada)).json.data.ceiling).toBe('₦50,000,000.00')
    const { items } = (await ada.ask('GET', '/operator/v1/exchange')).json.data
    expect(items.map(({ mode }: { mode: string }) => mode)).toEqual(['test', 'live'])
    expect((await ada.ask('GET', '/operator/v1/rates')).json.data.items).toHaveLength(2)
    expect((await post('/rates/NGN/clear', {}, ada)).status).toBe(404)
    const far = { buy: '158', sell: '160' }
    expect((await post('/rates/USDC/set', far, late)).json.reason).toBe('step_up_required')
  })
})

const post = (path: string, body: object, person: Person) => {
  clock.advance(1)
  return person.ask('POST', `/operator/v1${path}`, { body })
}
const confirm = (action: string, person: Person) => post(`/actions/${action}/confirm`, {}, person)
const newOperators = async (): Promise<[Person, Person]> => [
  await addPerson(service, { isOperator: true, name: 'Ada Operator' }),
  await addPerson(service, { isOperator: true, name: 'Obi Operator' }),
]

describe('two operators', () => {
  test('change the live stock in the console', async () => {
    const [ada, obi] = await newOperators()
    const naira = async () => (await positions()).NGN!.inventory
    const order = { mode: 'live', asset: 'NGN', amount: '1000', note: 'Own money' }
    const proposed = await post('/exchange/add', order, ada)
    expect(proposed.json.data).toMatchObject({ state: 'WAITING' })
    const { action } = proposed.json.data
    expect((await post('/exchange/add', order, obi)).json.reason).toBe('invalid_state')
    expect((await ada.ask('GET', '/operator/v1/actions')).json.data.items).toMatchObject([
      { id: action, kind: 'exchange.add', payload: order, proposedBy: 'Ada Operator', isOwn: true },
    ])
    expect((await confirm(action, ada)).status).toBe(403)
    expect(await naira()).toBe('₦0.00')
    const both = await Promise.all([confirm(action, obi), confirm(action, obi)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await naira()).toBe('₦1,000.00')
    // By name: the lines of one transaction may have the same time.
    const lines: { action: string }[] = await runJson('audit', 'list', '--limit', '3')
    expect(Object.fromEntries(lines.map((line) => [line.action, line]))).toMatchObject({
      'action.propose': { actor: ada.email, details: { kind: 'exchange.add' } },
      'action.confirm': { actor: obi.email, details: { proposedBy: 'Ada Operator' } },
      'exchange_stock.add': { actor: obi.email, details: { amount: '₦1,000.00' } },
    })

    expect((await post('/exchange/take', { ...order, amount: '1000.01' }, ada)).status).toBe(400)
    const withdrawn = (await post('/exchange/take', order, ada)).json.data.action
    expect((await post(`/actions/${withdrawn}/withdraw`, {}, obi)).status).toBe(200)
    expect((await confirm(withdrawn, obi)).json.message).toBe('This action was withdrawn.')
    const taken = (await post('/exchange/take', order, obi)).json.data.action
    expect(await naira()).toBe('₦1,000.00')
    // Sold or taken meanwhile: it is checked again.
    expect((await take('NGN', '0.01')).exitCode).toBe(0)
    expect((await confirm(taken, ada)).json.message).toContain('Only ₦999.99 can be taken')
    expect((await run('exchange', 'add', 'NGN', '0.01', ...live)).exitCode).toBe(0)
    expect((await confirm(taken, ada)).status).toBe(200)
    expect(await naira()).toBe('₦0.00')
    await expectAllProofs(db)
  })

  test('add coins only if the treasury holds them at the confirmation', async () => {
    const [ada, obi] = await newOperators()
    const order = { mode: 'live', asset: 'USDC', amount: '7', note: 'Own coins' } as const
    expect((await post('/exchange/add', order, ada)).json.message).toContain('No chain')
    const operatorOf = ({ userId, email }: Person) =>
      ({
        kind: 'user',
        userId,
        sessionId: randomUUID(),
        email,
        requestId: randomUUID(),
        address: '127.0.0.1',
      }) as const
    const callOf = (person: Person) => ({
      db,
      clock,
      now: clock.now(),
      operator: operatorOf(person),
      withRails: <Result>(work: (given: WatchedRails) => Promise<Result>) => work(rails),
    })
    const proposal = { subject: 'live/USDC', payload: order }
    const id = readActionId((await propose(callOf(ada), adding, proposal)).action)
    const confirmNow = () => confirmAction(callOf(obi), id, [adding])
    const before = held.USDC
    held.USDC = 0n
    await expect(confirmNow()).rejects.toThrow('First send 7 USDC to it')
    held.USDC = before + 7_000_000n
    expect((await confirmNow()).result).toEqual({ inventory: '7.5 USDC' })
  })

  test('set a rate that differs much, within minutes', async () => {
    let [ada, obi] = await newOperators()
    const far = { buy: '158', sell: '160' }
    expect((await post('/rates/USDC/set', far, ada)).json).toMatchObject({
      reason: 'large_rate_change',
      message:
        'The rate differs by more than 10 % from 1580 / 1600. Another operator must confirm it.',
    })
    expect((await post('/rates/USDC/set', { ...far, isConfirmed: true }, ada)).status).toBe(400)
    const inverted = { buy: '160', sell: '158', isProposal: true }
    expect((await post('/rates/USDC/set', inverted, ada)).json.message).toContain('at least buy')
    const propose = async () =>
      (await post('/rates/USDC/set', { ...far, isProposal: true, forHours: 48 }, ada)).json.data
    const stale = await propose()
    expect(stale.state).toBe('WAITING')
    clock.advance(rates.maxAgeMs)
    // Proofs of a factor are older by then.
    ;[ada, obi] = await newOperators()
    expect((await confirm(stale.action, obi)).json.message).toBe(
      'This action has expired: propose it again.',
    )
    const { action } = await propose()
    expect((await confirm(action, ada)).status).toBe(403)
    expect((await current()).rate.buy).toBe('1580')
    expect((await confirm(action, obi)).json.data).toMatchObject({
      state: 'DONE',
      payload: { ...far, previous: '1580 / 1600', forHours: 48 },
    })
    expect((await current()).rate).toMatchObject({ ...far, givenBy: obi.email })
    const first = await post('/rates/USDT/set', far, ada)
    expect([first.json.reason, first.json.message]).toEqual([
      'large_rate_change',
      'USDT has no rate yet. Another operator must confirm the first one.',
    ])
  })

  // Each step is below 5 %; the third one is 12 % above the rate that was confirmed.
  test('are needed if the small steps of a day add up', async () => {
    const [ada] = await newOperators()
    const step = (buy: string, sell: string, person = ada) =>
      post('/rates/USDC/set', { buy, sell }, person)
    expect((await step('165', '168')).status).toBe(200)
    expect((await step('172', '175')).status).toBe(200)
    const third = await step('178', '181')
    expect([third.json.reason, third.json.message]).toEqual([
      'large_rate_change',
      expect.stringContaining('from 158 / 160'),
    ])
    expect((await post('/rates/USDC/clear', {}, ada)).status).toBe(200)
    expect((await step('178', '181')).json.reason).toBe('large_rate_change')
    await expect(
      db.rows(sql`
        insert into rates (id, asset, buy, sell, origin, given_by, created_at,
          base_buy, base_sell, base_since)
        values (${newId(clock.now())}, 'USDC', 178, 181, 'operator', 'x', ${clock.now()},
          158, 160, ${clock.now()})`),
    ).rejects.toThrow('one_operator_changes_little')
    clock.advance(limits.rates.unconfirmedChangeMs)
    const [next] = await newOperators()
    expect((await step('178', '181', next)).status).toBe(200)
  })
})
