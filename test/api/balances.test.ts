import { describe, expect, test } from 'vitest'
import { minute } from '../../src/base/clock.js'
import { moveAll } from '../../src/ledger/move.js'
import { resolveAll } from '../../src/ledger/resolve.js'
import { type Asset, assetNames } from '../../src/money/assets.js'
import { isLongRun } from '../support/long-run.js'
import { fundingOf, holdOf } from '../support/movements.js'
import { type Merchant, openManilla } from '../support/open-manilla.js'
import { seededRandom } from '../support/seed.js'

const service = await openManilla()
const { ask, db, clock } = service

type Entry = {
  number: number
  asset: Asset
  type: string
  effect: string
  amount: number | string
  balanceAfter: number | string
  reference: string
  counterparty: Record<string, string> | null
  feeVat: number | string | null
  released: Record<'amount' | 'fee' | 'levy' | 'feeVat', number | string> | null
  resolution: 'open' | 'settled' | 'released' | null
  createdAt: string
}

async function get(path: string, key: string) {
  const reply = await ask('GET', path, { key })
  expect([path, reply.status]).toEqual([path, 200])
  return reply.json.data
}

async function fund({ test: keys }: Merchant, asset: Asset, amount: number): Promise<string> {
  const body = { asset, amount: asset === 'NGN' ? amount : `${amount}` }
  const reply = await ask('POST', '/v1/test/balances/fund', { key: keys.secret, body })
  expect(reply.status).toBe(201)
  return reply.json.data.reference
}

/** Reads all pages of a statement; `between` may change something after each page. */
async function walk(
  key: string,
  { limit, asset, between }: { limit: number; asset?: Asset; between?: () => Promise<unknown> },
): Promise<Entry[]> {
  const found: Entry[] = []
  const filter = asset ? `&asset=${asset}` : ''
  for (let cursor = ''; ; ) {
    const page = await get(`/v1/balance-entries?limit=${limit}${filter}${cursor}`, key)
    expect(page.items.length).toBeLessThanOrEqual(limit)
    found.push(...page.items)
    if (page.nextCursor === null) return found
    expect(page.items).toHaveLength(limit)
    cursor = `&cursor=${page.nextCursor}`
    await between?.()
  }
}

/** Sums in the smallest unit, so that nothing is rounded. */
function units(amount: number | string): bigint {
  if (typeof amount === 'number') return BigInt(amount)
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount)!
  return BigInt(`${sign}${whole}${fraction.padEnd(6, '0')}`)
}

/** Newest first; numbered per asset without gaps; every balance is the previous one plus its change. */
function expectWhole(entries: Entry[]): void {
  const times = entries.map((entry) => entry.createdAt)
  expect(times).toEqual(times.toSorted().toReversed())
  for (const asset of assetNames) {
    const own = entries.filter((entry) => entry.asset === asset)
    expect(own.map((entry) => entry.number)).toEqual(own.map((_, index) => own.length - index))
    for (const [index, entry] of own.entries()) {
      const before = own[index + 1]?.balanceAfter ?? 0
      expect(units(entry.balanceAfter)).toBe(units(before) + units(entry.amount))
    }
  }
}

/** A hundred movements of all kinds and assets, some in the same millisecond, some refused. */
async function createHistory(merchant: Merchant, test: string): Promise<void> {
  const random = seededRandom(test)
  const environmentId = merchant.environments.test.id
  const open: string[] = []
  for (let count = 0; count < 100; count += 1) {
    clock.advance(random.pick([0, 0, 1, 5 * minute]))
    const asset = random.pick(assetNames)
    const kind = random.pick(['fund', 'fund', 'fund', 'hold', 'release', 'settle'] as const)
    const hold = holdOf({ environmentId, asset }, BigInt(random.integer(1, 90)), 1n)
    if (kind === 'fund' || kind === 'hold') await fund(merchant, asset, random.integer(1, 1_000))
    if (kind === 'hold') {
      const [outcome] = await db.transaction((tx) => moveAll(tx, clock.now(), [hold]))
      if (outcome!.isMoved) open.push(hold.causeId)
    }
    if (kind === 'release' || kind === 'settle')
      for (const causeId of open.splice(0, 1))
        await db.transaction((tx) =>
          resolveAll(tx, clock.now(), [{ environmentId, causeId, verb: kind }]),
        )
  }
}

describe('balances', () => {
  test('every asset exists from the start, naira in kobo, coins as decimals', async () => {
    const { test: keys, live } = await service.addMerchant('Ada')
    for (const key of [keys.secret, live.secret])
      expect(await get('/v1/balances', key)).toEqual({
        items: [
          { asset: 'NGN', available: 0, held: 0, pending: 0 },
          { asset: 'USDC', available: '0', held: '0', pending: '0' },
          { asset: 'USDT', available: '0', held: '0', pending: '0' },
        ],
      })
  })

  test('open payouts are held, and undecided payments are pending', async () => {
    const merchant = await service.addMerchant('Ada')
    const environmentId = merchant.environments.test.id
    await fund(merchant, 'NGN', 1_000)
    await fund(merchant, 'USDC', 10)
    const undecided = fundingOf({ environmentId, asset: 'NGN' }, 77n)
    undecided.lines = undecided.lines.map((line) => ({ ...line, credit: 'suspense' }))
    const holds = [
      holdOf({ environmentId, asset: 'NGN' }, 300n, 10n),
      holdOf({ environmentId, asset: 'USDC' }, 1_500_000n, 500_000n),
    ]
    await db.transaction((tx) => moveAll(tx, clock.now(), [...holds, undecided]))
    expect((await get('/v1/balances', merchant.test.secret)).items).toEqual([
      { asset: 'NGN', available: 690, held: 310, pending: 77 },
      { asset: 'USDC', available: '8', held: '2', pending: '0' },
      { asset: 'USDT', available: '0', held: '0', pending: '0' },
    ])
    const entries = await walk(merchant.test.secret, { limit: 100, asset: 'NGN' })
    expect(entries.map(({ effect, amount, resolution }) => [effect, amount, resolution])).toEqual([
      ['hold', -10, 'open'],
      ['hold', -300, 'open'],
      ['post', 1_000, null],
    ])
  })

  test('an amount is returned as sent and stored in canonical form', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const body = { asset: 'USDT', amount: '0001.2300000000' }
    const reply = await ask('POST', '/v1/test/balances/fund', { key: keys.secret, body })
    expect(reply.json.data).toMatchObject(body)
    const [entry] = await walk(keys.secret, { limit: 1 })
    expect(entry).toMatchObject({ amount: '1.23', balanceAfter: '1.23', effect: 'post' })
    expect(entry!.reference).toBe(reply.json.data.reference)
    expect((await get('/v1/balances', keys.secret)).items[2].available).toBe('1.23')
  })

  test('the largest balance is written exactly', async () => {
    const merchant = await service.addMerchant('Ada')
    await fund(merchant, 'NGN', Number.MAX_SAFE_INTEGER)
    const { text } = await ask('GET', '/v1/balances', { key: merchant.test.secret })
    expect(text).toContain('"available":9007199254740991,')
  })
})

describe('the statement', async () => {
  const merchant = await service.addMerchant('Ada')
  const key = merchant.test.secret
  await createHistory(merchant, 'the statement')
  const all = [...(await walk(key, { limit: 100 }))]

  test('is complete: newest first, without gaps, with consistent balances', async () => {
    expect(all.length).toBeGreaterThan(60)
    expectWhole(all)
    const { items } = await get('/v1/balances', key)
    for (const { asset, available } of items)
      expect(all.find((entry) => entry.asset === asset)?.balanceAfter).toBe(available)
    expect(new Set(all.map(({ effect }) => effect))).toEqual(new Set(['post', 'hold', 'release']))
  })

  test('names what became of every hold', () => {
    for (const { effect, resolution, reference } of all) {
      const isReleased = all.some((one) => one.reference === reference && one.effect === 'release')
      const expected = isReleased ? ['released'] : ['open', 'settled']
      expect(effect === 'hold' ? expected : [null]).toContain(resolution)
    }
    const found = all.map(({ resolution }) => resolution)
    expect(found).toEqual(expect.arrayContaining(['settled', 'released']))
  })

  test.each(isLongRun ? [1, 2, 3, 7, 50, 99] : [1, 7, 99])(
    'is the same in pages of %i',
    async (limit) => {
      expect(await walk(key, { limit })).toEqual(all)
      for (const asset of assetNames)
        expect(await walk(key, { limit, asset })).toEqual(
          all.filter((line) => line.asset === asset),
        )
    },
  )

  test('has 20 entries a page by default', async () => {
    const page = await get('/v1/balance-entries', key)
    expect(page.items).toEqual(all.slice(0, 20))
    expect(await get('/v1/balance-entries?limit=20', key)).toEqual(page)
  })

  test('an empty one has no pages', async () => {
    expect(await get('/v1/balance-entries', merchant.live.secret)).toEqual({
      items: [],
      nextCursor: null,
    })
  })

  test('an exact fit has no further page', async () => {
    const other = await service.addMerchant('Ada')
    for (const amount of [1, 2, 3]) await fund(other, 'NGN', amount)
    const page = await get('/v1/balance-entries?limit=3', other.test.secret)
    expect([page.items.length, page.nextCursor]).toEqual([3, null])
  })

  // Payments keep arriving during the read, also in assets that the pages so far did not
  // show. What was there at the first page is read once, and nothing newer appears among it.
  test.each(isLongRun ? [1, 2, 5] : [2, 5])(
    'is stable while it is read %i at a time',
    async (limit) => {
      const other = await service.addMerchant('Ada')
      await fund(other, 'USDC', 1)
      for (let amount = 1; amount <= 10; amount += 1) {
        clock.advance(minute)
        await fund(other, amount % 4 === 0 ? 'USDC' : 'NGN', amount)
      }
      const before = await walk(other.test.secret, { limit: 100 })
      const between = async () => {
        clock.advance(minute)
        for (const asset of assetNames) await fund(other, asset, 5)
      }
      expect(await walk(other.test.secret, { limit, between })).toEqual(before)
      expectWhole(await walk(other.test.secret, { limit: 100 }))
      const naira = await walk(other.test.secret, { limit: 100, asset: 'NGN' })
      expect(await walk(other.test.secret, { limit, asset: 'NGN', between })).toEqual(naira)
    },
  )

  test('a page can be read again', async () => {
    const { nextCursor } = await get('/v1/balance-entries?limit=9', key)
    const pages = await Promise.all(
      [1, 2, 3].map(() => get(`/v1/balance-entries?limit=9&cursor=${nextCursor}`, key)),
    )
    for (const page of pages) expect(page.items).toEqual(all.slice(9, 18))
  })
})

describe('the statement as CSV', async () => {
  const merchant = await service.addMerchant('Ada')
  const key = merchant.test.secret
  await createHistory(merchant, 'the statement as CSV')
  const headers = { accept: 'text/csv' }
  const columns =
    'number,createdAt,asset,type,effect,amountMajor,amountMinor,balanceAfterMajor,balanceAfterMinor,reference,counterparty.name,counterparty.bankName,counterparty.accountNumber,counterparty.address,released.amountMajor,released.amountMinor,released.feeMajor,released.feeMinor,resolution,released.levyMajor,released.levyMinor,feeVatMajor,feeVatMinor,released.feeVatMajor,released.feeVatMinor,payment,refund'
  const inBothUnits = (amount: number | string, asset: string) => {
    const decimals = asset === 'NGN' ? 2 : 6
    const [whole = '', fraction = ''] = String(amount).split('.')
    const minor = asset === 'NGN' ? String(amount) : whole + fraction.padEnd(decimals, '0')
    const exact = BigInt(minor)
    const digits = String(exact < 0n ? -exact : exact).padStart(decimals + 1, '0')
    const major = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
    return `${exact < 0n ? '-' : ''}${major},${exact}`
  }
  const toLine = (entry: Entry) =>
    [
      entry.number,
      entry.createdAt,
      entry.asset,
      entry.type,
      entry.effect,
      inBothUnits(entry.amount, entry.asset),
      inBothUnits(entry.balanceAfter, entry.asset),
      entry.reference,
      entry.counterparty?.name,
      entry.counterparty?.bankName,
      entry.counterparty?.accountNumber,
      entry.counterparty?.address,
      entry.released ? inBothUnits(entry.released.amount, entry.asset) : ',',
      entry.released ? inBothUnits(entry.released.fee, entry.asset) : ',',
      entry.resolution ?? '',
      entry.released ? inBothUnits(entry.released.levy, entry.asset) : ',',
      entry.feeVat === null ? ',' : inBothUnits(entry.feeVat, entry.asset),
      entry.released ? inBothUnits(entry.released.feeVat, entry.asset) : ',',
      // Only shares and what refunds take back of them name these.
      ',',
    ].join(',')

  async function read(query: string) {
    const reply = await ask('GET', `/v1/balance-entries${query}`, { key, headers })
    expect([query, reply.status]).toEqual([query, 200])
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, ...lines] = reply.text.trimEnd().split('\n')
    expect(head).toBe(columns)
    return lines
  }

  test('has the same rows as the JSON, in the same order', async () => {
    const entries = await walk(key, { limit: 100 })
    expect(await read('')).toEqual(entries.map(toLine))
    const coins = entries.filter(({ asset }) => asset === 'USDC')
    expect(await read('?asset=USDC')).toEqual(coins.map(toLine))
  })

  test('continues after a cursor', async () => {
    const entries = await walk(key, { limit: 100 })
    const page = await get('/v1/balance-entries?limit=10', key)
    const lines = await read(`?cursor=${page.nextCursor}`)
    expect(lines).toEqual(entries.slice(10).map(toLine))
  })

  test('an empty statement has a header line', async () => {
    const reply = await ask('GET', '/v1/balance-entries', { key: merchant.live.secret, headers })
    expect(reply.text.trimEnd()).toBe(columns)
  })

  test('has every line, however many there are', async () => {
    const busy = await service.addMerchant('Busy')
    const environmentId = busy.environments.test.id
    const fundings = Array.from({ length: 10_003 }, () =>
      fundingOf({ environmentId, asset: 'NGN' }, 1n),
    )
    await db.transaction((tx) => moveAll(tx, clock.now(), fundings))
    const reply = await ask('GET', '/v1/balance-entries', { key: busy.test.secret, headers })
    const numbers = reply.text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',')[0]))
    expect(numbers).toEqual(Array.from({ length: 10_003 }, (_, index) => 10_003 - index))
  })

  test('filters by time, reason and cause, and adds up', async () => {
    const entries = await walk(key, { limit: 100 })
    const naira = entries.filter(({ asset }) => asset === 'NGN')
    const [sample] = naira
    const of = async (query: string) => (await get(`/v1/balance-entries?${query}`, key)).items
    expect(await of(`asset=NGN&limit=100&type=${sample!.type}`)).toEqual(
      naira.filter(({ type }) => type === sample!.type),
    )
    expect(await of(`limit=100&reference=${sample!.reference}`)).toEqual(
      entries.filter(({ reference }) => reference === sample!.reference),
    )
    const middle = naira[Math.floor(naira.length / 2)]!.createdAt
    const isLater = ({ createdAt }: Entry) => createdAt >= middle
    expect(await of(`asset=NGN&limit=100&from=${middle}`)).toEqual(naira.filter(isLater))
    expect(await of(`asset=NGN&limit=100&to=${middle}`)).toEqual(
      naira.filter((entry) => !isLater(entry)),
    )
    const sums = await get('/v1/balance-entries/summary?asset=NGN', key)
    const { opening, received, added, converted, refunded, paidOut, fees, levies, setAside } = sums
    const left = refunded + paidOut + fees + levies + setAside
    expect(opening + received + added + converted - left).toBe(sums.closing)
    expect(sums).toMatchObject({ opening: 0, closing: naira[0]!.balanceAfter, firstNumber: 1 })
    const later = await get(`/v1/balance-entries/summary?asset=NGN&from=${middle}`, key)
    const before = naira.find((entry) => !isLater(entry))
    expect(later.opening).toBe(before?.balanceAfter ?? 0)
  })

  test('a refusal is always JSON', async () => {
    const reply = await ask('GET', '/v1/balance-entries?limit=0', { key, headers })
    expect([reply.status, reply.json.code]).toEqual([400, 'validation_failed'])
  })
})

const defaults = {
  policies: {
    bank: {
      underpayment: 'return',
      overpayment: 'return',
      latePayment: 'hold',
      duplicatePayment: 'return',
    },
    crypto: {
      underpayment: 'hold',
      overpayment: 'hold',
      latePayment: 'hold',
      duplicatePayment: 'hold',
    },
  },
  checkout: {
    displayName: 'Ada',
    colour: null,
    logo: null,
    frameOrigins: [],
    showCustomer: true,
    returnAutomatically: false,
    supportEmail: null,
    supportPhone: null,
  },
  invoices: { applyCredit: true },
  mails: {
    receipts: false,
    invoices: false,
    reminders: false,
    reminderDays: [-3, 0, 7],
    testAddresses: [],
  },
  refunds: { subaccountsMustCover: false },
  lowBalance: { NGN: null, USDC: null, USDT: null },
  paymentMethods: { bankTransfer: true, crypto: true },
  settlement: {
    schedule: 'off',
    weekday: 'monday',
    time: '06:00',
    reserve: 0,
    minimum: 100_000,
    payTo: 'bank',
    asset: 'USDC',
    walletAddress: null,
  },
  approvals: { appliesTo: 'console', NGN: null, USDC: null, USDT: null, controls: null },
  dedicatedAccounts: {
    defaultCustomer: { name: null, email: null, phone: null, bvn: null, nin: null },
  },
}

describe('settings', () => {
  const patch = (key: string, body: object) => ask('PATCH', '/v1/settings', { key, body })

  test('start with the defaults of the contract, in both modes', async () => {
    const { test: keys, live } = await service.addMerchant('Ada')
    for (const key of [keys.secret, live.secret])
      expect(await get('/v1/settings', key)).toEqual(defaults)
  })

  test('change only the given fields, and replace lists as a whole', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const key = keys.secret
    const changes = [
      { policies: { bank: { latePayment: 'accept' } } },
      { checkout: { colour: '#0A7d4f', frameOrigins: ['https://a.example', 'https://b.example'] } },
      { policies: { crypto: { overpayment: 'accept' } }, lowBalance: { NGN: 5, USDC: '2.50' } },
      {},
      { checkout: { frameOrigins: ['http://localhost:3000'] }, paymentMethods: { crypto: false } },
    ]
    for (const change of changes) {
      const reply = await patch(key, change)
      expect(reply.status).toBe(200)
      expect(reply.json.data).toEqual(await get('/v1/settings', key))
    }
    expect(await get('/v1/settings', key)).toEqual({
      policies: {
        bank: { ...defaults.policies.bank, latePayment: 'accept' },
        crypto: { ...defaults.policies.crypto, overpayment: 'accept' },
      },
      checkout: {
        ...defaults.checkout,
        colour: '#0A7d4f',
        frameOrigins: ['http://localhost:3000'],
      },
      lowBalance: { NGN: 5, USDC: '2.50', USDT: null },
      paymentMethods: { bankTransfer: true, crypto: false },
      settlement: defaults.settlement,
      approvals: defaults.approvals,
      dedicatedAccounts: defaults.dedicatedAccounts,
      invoices: defaults.invoices,
      mails: defaults.mails,
      refunds: defaults.refunds,
    })
  })

  test('null clears an optional setting', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    await patch(keys.secret, { checkout: { colour: '#000000' }, lowBalance: { NGN: 1, USDT: '1' } })
    const cleared = {
      checkout: { colour: null, logo: null, supportEmail: null, supportPhone: null },
      lowBalance: { NGN: null, USDT: null },
    }
    expect((await patch(keys.secret, cleared)).json.data).toEqual(defaults)
  })

  test('null is refused for a required setting', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const musts = [
      { policies: null },
      { policies: { bank: null } },
      { policies: { bank: { underpayment: null } } },
      { checkout: null },
      { checkout: { displayName: null } },
      { checkout: { frameOrigins: null } },
      { checkout: { showCustomer: null } },
      { checkout: { supportEmail: 'help@' } },
      { checkout: { supportPhone: 'tel:1' } },
      { lowBalance: null },
      { paymentMethods: { crypto: null } },
    ]
    for (const must of musts) expect((await patch(keys.secret, must)).status).toBe(400)
    expect(await get('/v1/settings', keys.secret)).toEqual(defaults)
  })

  test('one invalid field refuses the whole change', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const body = { paymentMethods: { crypto: false }, lowBalance: { USDC: '0.0000001' } }
    expect((await patch(keys.secret, body)).status).toBe(400)
    expect(await get('/v1/settings', keys.secret)).toEqual(defaults)
  })

  test('concurrent changes are all kept', async () => {
    const { test: keys } = await service.addMerchant('Ada')
    const changes = [
      { policies: { bank: { latePayment: 'accept' } } },
      { policies: { bank: { underpayment: 'hold' } } },
      { policies: { crypto: { latePayment: 'accept' } } },
      { checkout: { colour: '#123456' } },
      { lowBalance: { NGN: 7 } },
      { paymentMethods: { bankTransfer: false } },
    ]
    const replies = await Promise.all(changes.map((change) => patch(keys.secret, change)))
    expect(replies.map(({ status }) => status)).toEqual(changes.map(() => 200))
    const settings = await get('/v1/settings', keys.secret)
    for (const change of changes) expect(settings).toMatchObject(change)
  })
})

describe('the profile', () => {
  test('is the same for both kinds of key and shows nothing private', async () => {
    const { test: keys, reference } = await service.addMerchant('Ada')
    const body = {
      checkout: { displayName: 'Ada & Co', colour: '#123456' },
      lowBalance: { NGN: 9 },
    }
    await ask('PATCH', '/v1/settings', { key: keys.secret, body })
    const [open, secret] = await Promise.all([
      ask('GET', '/v1/profile', { key: keys.public }),
      ask('GET', '/v1/profile', { key: keys.secret }),
    ])
    expect(open.text).toBe(secret.text)
    expect(open.json).toEqual({
      status: true,
      message: expect.any(String),
      data: {
        merchant: { id: reference, displayName: 'Ada & Co' },
        mode: 'test',
        checkout: { colour: '#123456', logo: null },
        paymentMethods: { bankTransfer: true, crypto: true },
      },
    })
  })

  test('is all that a public key can read', async () => {
    const { test: keys, live } = await service.addMerchant('Ada')
    const secrets = ['/v1/balances', '/v1/balance-entries', '/v1/settings']
    for (const key of [keys.public, live.public]) {
      for (const path of secrets) expect((await ask('GET', path, { key })).status).toBe(401)
      expect((await ask('GET', '/v1/profile', { key })).status).toBe(200)
    }
  })
})

describe('environments', () => {
  test('share no money, statements or settings', async () => {
    const [ada, bola] = [await service.addMerchant('Ada'), await service.addMerchant('Bola')]
    for (let amount = 1; amount <= 5; amount += 1) await fund(ada, 'NGN', amount)
    await fund(bola, 'NGN', 1_000)
    await fund(bola, 'USDC', 1_000)
    const body = { checkout: { displayName: 'Only here' }, lowBalance: { NGN: 1 } }
    await ask('PATCH', '/v1/settings', { key: ada.test.secret, body })

    const seen = async (key: string) => ({
      balances: (await get('/v1/balances', key)).items.map(
        ({ available }: { available: unknown }) => available,
      ),
      entries: (await walk(key, { limit: 100 })).map(({ amount }) => amount),
      name: (await get('/v1/settings', key)).checkout.displayName,
      profile: (await get('/v1/profile', key)).merchant.displayName,
    })
    const nothing = { balances: [0, '0', '0'], entries: [] }
    const here = { name: 'Only here', profile: 'Only here' }
    expect(await seen(ada.test.secret)).toEqual({
      balances: [15, '0', '0'],
      entries: [5, 4, 3, 2, 1],
      ...here,
    })
    expect(await seen(ada.live.secret)).toEqual({ ...nothing, name: 'Ada', profile: 'Ada' })
    expect(await seen(bola.live.secret)).toEqual({ ...nothing, name: 'Bola', profile: 'Bola' })
    const { entries, ...rest } = await seen(bola.test.secret)
    expect(rest).toEqual({ balances: [1_000, '1000', '0'], name: 'Bola', profile: 'Bola' })
    expect(entries).toHaveLength(2)
  })

  test('a cursor of one environment never reads another', async () => {
    const [ada, bola] = [await service.addMerchant('Ada'), await service.addMerchant('Bola')]
    for (let amount = 1; amount <= 5; amount += 1) {
      await fund(ada, 'NGN', amount)
      await fund(bola, 'NGN', amount * 100)
    }
    const { nextCursor } = await get('/v1/balance-entries?limit=2', ada.test.secret)
    const page = await get(`/v1/balance-entries?cursor=${nextCursor}`, bola.test.secret)
    expect(page.items.map(({ amount }: Entry) => amount)).toEqual([300, 200, 100])
    expect((await get(`/v1/balance-entries?cursor=${nextCursor}`, ada.live.secret)).items).toEqual(
      [],
    )
  })
})
