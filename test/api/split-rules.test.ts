import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { day, minute } from '../../src/base/clock.js'
import { fromReference, newId, prefixes, toReference } from '../../src/base/ids.js'
import { sql } from '../../src/postgres/sql.js'
import { insertInto } from '../../src/postgres/table.js'
import { openWithBank } from '../support/open-with-bank.js'
import { addPerson } from '../support/people.js'

const service = await openWithBank()
const { ask, merchant, db, clock } = service
const key = merchant.test.secret

async function addSubaccount(status = 'ACTIVE', environment = merchant.environments.test) {
  const id = newId(clock.now())
  await db.rows(
    insertInto('subaccounts', {
      environmentId: environment.id,
      id,
      name: 'Ada Fabrics',
      status,
      createdAt: clock.now(),
      closedAt: status === 'CLOSED' ? clock.now() : null,
    }),
  )
  return toReference(prefixes.subaccount, id)
}

async function closeSubaccount(reference: string) {
  const id = fromReference(prefixes.subaccount, reference)
  await db.rows(
    sql`update subaccounts set status = 'CLOSED', closed_at = ${clock.now()} where id = ${id}`,
  )
}

const ada = await addSubaccount()
const bisi = await addSubaccount('PAUSED')
const closed = await addSubaccount('CLOSED')
const other = await service.addMerchant('Bola Foods')
const foreign = await addSubaccount('ACTIVE', other.environments.test)

const post = (path: string, body: object, headers = {}) => ask('POST', path, { key, body, headers })
const read = (path: string) => ask('GET', path, { key })

async function create(body: object) {
  // Rules of one moment are in no order.
  clock.advance(1)
  const reply = await post('/v1/split-rules', body)
  expect(reply.status, reply.text).toBe(201)
  return reply.json.data
}

async function preview(body: object) {
  const reply = await post('/v1/splits/preview', body)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.data
}

const half = { name: 'Half', lines: [{ subaccount: ada, percent: '50' }] }

const flatRule = await create({
  name: 'Flat',
  asset: 'NGN',
  lines: [
    { subaccount: ada, percent: '10' },
    { subaccount: ada, flat: 95_000 },
  ],
})

describe('a split rule', () => {
  test('is created, read and listed as it was sent', async () => {
    const releaseAt = '2036-01-05T09:30:00.000Z'
    const created = await create({
      name: 'Marketplace',
      asset: 'NGN',
      feeBearer: ada,
      lines: [
        { subaccount: ada, percent: '12.50', min: 10_000, max: 50_000, releaseAfterDays: 7 },
        { subaccount: bisi, flat: 5_000, releaseAt },
        { subaccount: ada, remainder: true },
      ],
    })
    const absent = {
      flat: null,
      percent: null,
      remainder: false,
      min: null,
      max: null,
      releaseAt: null,
      releaseAfterDays: null,
    }
    expect(created).toEqual({
      reference: expect.stringMatching(/^spl_/),
      name: 'Marketplace',
      asset: 'NGN',
      version: 1,
      feeBearer: ada,
      lines: [
        {
          ...absent,
          subaccount: ada,
          percent: '12.5',
          min: 10_000,
          max: 50_000,
          releaseAfterDays: 7,
        },
        { ...absent, subaccount: bisi, flat: 5_000, releaseAt },
        { ...absent, subaccount: ada, remainder: true },
      ],
      createdAt: clock.now().toISOString(),
      versionCreatedAt: clock.now().toISOString(),
    })
    expect((await read(`/v1/split-rules/${created.reference}`)).json.data).toEqual(created)
    const { items } = (await read('/v1/split-rules')).json.data
    expect(items[0]).toEqual(created)
  })

  test('in coins has decimals', async () => {
    const lines = [{ subaccount: ada, flat: '0.500000', max: '25.5' }]
    const created = await create({ name: 'Coins', asset: 'USDC', lines })
    expect(created.lines[0]).toMatchObject({ flat: '0.5', max: '25.5', min: null })
    expect(created.feeBearer).toBe('merchant')
  })

  test('keeps every version, and reads the newest one', async () => {
    const first = await create(half)
    const path = `/v1/split-rules/${first.reference}`
    clock.advance(minute)
    const lines = [{ subaccount: bisi, percent: '0.01' }]
    const reply = await post(`${path}/versions`, { feeBearer: 'all', lines })
    expect(reply.status, reply.text).toBe(201)
    const second = reply.json.data
    expect(second).toMatchObject({
      reference: first.reference,
      name: 'Half',
      asset: null,
      version: 2,
      feeBearer: 'all',
      lines: [{ subaccount: bisi, percent: '0.01' }],
      createdAt: first.createdAt,
      versionCreatedAt: clock.now().toISOString(),
    })
    expect((await read(path)).json.data).toEqual(second)
    expect((await read(`${path}?version=1`)).json.data).toEqual(first)
    expect((await read('/v1/split-rules?limit=1')).json.data.items).toEqual([second])
    const missing = await read(`${path}?version=3`)
    expect([missing.status, missing.json.message]).toEqual([
      404,
      `No version 3 of split rule ${first.reference} exists. Check the reference and the mode of your API key.`,
    ])
  })

  test('gets versions one after the other, however many are created at once', async () => {
    const { reference } = await create(half)
    const lines = [{ subaccount: ada, percent: '1' }]
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => post(`/v1/split-rules/${reference}/versions`, { lines })),
    )
    const versions = replies.map(({ json }) => json.data.version)
    expect(versions.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('is created once per idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const [first, second] = [
      await post('/v1/split-rules', half, headers),
      await post('/v1/split-rules', half, headers),
    ]
    expect(second.text).toBe(first.text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  test('is unknown to other merchants, and to live mode', async () => {
    const { reference } = await create(half)
    for (const secret of [other.test.secret, merchant.live.secret]) {
      const reply = await ask('GET', `/v1/split-rules/${reference}`, { key: secret })
      expect(reply.status).toBe(404)
      const list = await ask('GET', '/v1/split-rules', { key: secret })
      expect(list.json.data.items).toEqual([])
      const lines = [{ subaccount: foreign, percent: '1' }]
      const changed = await ask('POST', `/v1/split-rules/${reference}/versions`, {
        key: secret,
        body: { lines },
      })
      expect(changed.status).toBe(404)
    }
  })

  test('is changed by those who change sub-accounts, and seen by those who see them', async () => {
    const roles = { viewer: 200, support: 403 } as const
    for (const [name, status] of Object.entries(roles)) {
      const role = name as keyof typeof roles
      const reader = await addPerson(service, { role, merchant: merchant.reference })
      expect((await reader.ask('GET', '/v1/split-rules')).status).toBe(status)
      const preview = { amount: 100_000, asset: 'NGN', splits: { lines: half.lines } }
      const previewed = await reader.ask('POST', '/v1/splits/preview', { body: preview })
      expect([role, previewed.status]).toEqual([role, status])
      const refused = await reader.ask('POST', '/v1/split-rules', { body: half })
      expect([refused.status, refused.json.reason]).toEqual([403, 'role'])
    }
    for (const role of ['admin', 'finance'] as const) {
      const author = await addPerson(service, { role, merchant: merchant.reference })
      const created = await author.ask('POST', '/v1/split-rules', { body: half })
      expect(created.status, created.text).toBe(201)
      const path = `/v1/split-rules/${created.json.data.reference}/versions`
      const changed = await author.ask('POST', path, { body: { lines: half.lines } })
      expect(changed.status, changed.text).toBe(201)
    }
  })

  test('of live mode needs a fresh factor, as a sub-account does', async () => {
    const tired = await addPerson(service, { role: 'finance', hasStepUp: false })
    const refused = await tired.ask('POST', '/v1/split-rules', { body: half, mode: 'live' })
    expect([refused.status, refused.json.reason]).toEqual([403, 'step_up_required'])
  })
})

describe('a preview', () => {
  test('divides amount and fee, and says what rounding took', async () => {
    const shown = await preview({
      amount: 100_001,
      asset: 'NGN',
      splits: {
        feeBearer: 'subaccounts',
        lines: [
          { subaccount: ada, percent: '33.33', releaseAfterDays: 7 },
          { subaccount: bisi, flat: 50_000 },
        ],
      },
    })
    expect(shown).toEqual({
      asset: 'NGN',
      amount: 100_001,
      // One percent, rounded half up.
      fee: 1_000,
      feeBearer: 'subaccounts',
      rule: null,
      version: null,
      lines: [
        {
          subaccount: ada,
          amount: 33_330,
          fee: 399,
          net: 32_931,
          roundedOff: '0.3333',
          releaseAt: new Date(clock.now().getTime() + 7 * day).toISOString(),
        },
        {
          subaccount: bisi,
          amount: 50_000,
          fee: 601,
          net: 49_399,
          roundedOff: '0',
          releaseAt: null,
        },
      ],
      merchant: { amount: 16_671, fee: 0, net: 16_671 },
      roundingTo: 'merchant',
    })
  })

  test('of a rule uses its newest version, in any asset', async () => {
    const { reference } = await create(half)
    const lines = [
      { subaccount: ada, percent: '25' },
      { subaccount: bisi, remainder: true },
    ]
    await post(`/v1/split-rules/${reference}/versions`, { lines })
    const shown = await preview({ amount: '10.000001', asset: 'USDT', splits: { rule: reference } })
    expect(shown).toMatchObject({
      amount: '10.000001',
      fee: '0.05',
      rule: reference,
      version: 2,
      lines: [
        { amount: '2.5', roundedOff: '0.25' },
        { amount: '7.450001', fee: '0', net: '7.450001' },
      ],
      merchant: { amount: '0.05', fee: '0.05', net: '0' },
      roundingTo: bisi,
    })
  })

  test('has the fee of what is paid into', async () => {
    const splits = { lines: half.lines }
    const fees = await Promise.all(
      ['virtual_account', 'dedicated_account'].map(async (accountKind) => {
        const shown = await preview({ amount: 50_000_000, asset: 'NGN', accountKind, splits })
        return shown.fee
      }),
    )
    expect(fees).toEqual([200_000, 30_000])
  })
})

/** Every refusal names the line and the rule that it breaks. */
describe('refuses', () => {
  type Line = Record<string, unknown>
  const line = (more: Line): Line => ({ subaccount: ada, ...more })
  const tenth = line({ percent: '10' })
  const both = 'cannot be sent together with'
  const unknownAccount = 'names no sub-account; check the reference and the mode of your API key'
  const percentage =
    'must be a percentage in a string such as "12.5", above 0 and up to 100, with at most 2 decimals'

  const rules: [string, object, string][] = [
    ['no lines', { lines: [] }, 'lines must not have fewer than 1 items.'],
    [
      'too many lines',
      { lines: Array.from({ length: 21 }, () => tenth) },
      'lines must not have more than 20 items.',
    ],
    [
      'a line without a share',
      { lines: [tenth, line({})] },
      'lines.1 must have `flat`, `percent` or `remainder`.',
    ],
    [
      'two shares in a line',
      { asset: 'NGN', lines: [line({ flat: 1, percent: '1' })] },
      `lines.0.percent ${both} \`flat\`; send one of them.`,
    ],
    [
      'three shares in a line',
      { asset: 'NGN', lines: [line({ flat: 1, percent: '1', remainder: true })] },
      `lines.0.percent ${both} \`flat\`; send one of them; lines.0.remainder ${both} \`flat\`; send one of them.`,
    ],
    [
      'two remainders',
      { lines: [tenth, line({ remainder: true }), line({ remainder: true })] },
      'lines.2.remainder can be in one line only; lines.1 has it, too.',
    ],
    [
      'a remainder before other lines',
      { lines: [line({ remainder: true }), tenth] },
      'lines.0.remainder must be in the last line: it takes what the others leave.',
    ],
    [
      'a remainder that is not one',
      { lines: [line({ remainder: false })] },
      'lines.0.remainder must be true.',
    ],
    [
      'more than 100 percent',
      { lines: [line({ percent: '60' }), tenth, line({ percent: '30.01' })] },
      'lines.2.percent brings all percentages to 100.01; they must not exceed 100.',
    ],
    [
      'a line above 100 percent',
      { lines: [line({ percent: '100.01' })] },
      `lines.0.percent ${percentage}.`,
    ],
    ['no percent', { lines: [line({ percent: '0.00' })] }, `lines.0.percent ${percentage}.`],
    ['three decimals', { lines: [line({ percent: '1.005' })] }, `lines.0.percent ${percentage}.`],
    [
      'a percentage that is a number',
      { lines: [line({ percent: 10 })] },
      'lines.0.percent must be a string, not 10.',
    ],
    [
      'min above max',
      { asset: 'NGN', lines: [line({ percent: '1', min: 200, max: 100 })] },
      'lines.0.min must be at most `max`, ₦1.00.',
    ],
    [
      'a flat share below its min',
      { asset: 'NGN', lines: [line({ flat: 100, min: 200 })] },
      'lines.0.flat must be at least `min`, ₦2.00.',
    ],
    [
      'a flat share above its max',
      { asset: 'USDC', lines: [line({ flat: '2', max: '1.5' })] },
      'lines.0.flat must be at most `max`, 1.5 USDC.',
    ],
    [
      'bounds of a remainder',
      { asset: 'NGN', lines: [line({ remainder: true, min: 1, max: 2 })] },
      'lines.0.min cannot be sent with `remainder`; lines.0.max cannot be sent with `remainder`.',
    ],
    [
      'an amount without an asset',
      { lines: [line({ flat: 100 })] },
      'lines.0.flat needs an asset; a split of any asset can only have `percent` and `remainder`.',
    ],
    [
      'a bound without an asset',
      { asset: null, lines: [line({ percent: '1', max: '1' })] },
      'lines.0.max needs an asset; a split of any asset can only have `percent` and `remainder`.',
    ],
    [
      'naira as a decimal',
      { asset: 'NGN', lines: [line({ flat: '100' })] },
      'lines.0.flat must be an integer in kobo.',
    ],
    [
      'coins as an integer',
      { asset: 'USDT', lines: [line({ percent: '1', min: 100 })] },
      'lines.0.min must be a decimal string of USDT, such as "25.50".',
    ],
    [
      'nothing as a flat share',
      { asset: 'NGN', lines: [line({ flat: 0 })] },
      'lines.0.flat must be at least ₦0.01 (1 kobo).',
    ],
    [
      'a closed sub-account',
      { lines: [tenth, { subaccount: closed, percent: '1' }] },
      'lines.1.subaccount names a closed sub-account; choose one that is not closed.',
    ],
    [
      'an unknown sub-account',
      { lines: [{ subaccount: 'sub_1', percent: '1' }] },
      `lines.0.subaccount ${unknownAccount}.`,
    ],
    [
      'a sub-account of another merchant',
      { lines: [{ subaccount: foreign, percent: '1' }] },
      `lines.0.subaccount ${unknownAccount}.`,
    ],
    [
      'a line without a sub-account',
      { lines: [{ percent: '1' }] },
      'lines.0.subaccount is required.',
    ],
    [
      'two release times',
      { lines: [line({ percent: '1', releaseAt: '2036-01-05', releaseAfterDays: 1 })] },
      `lines.0.releaseAfterDays ${both} \`releaseAt\`; send one of them.`,
    ],
    [
      'a release in the past',
      { lines: [line({ percent: '1', releaseAt: '2020-01-05' })] },
      'lines.0.releaseAt must be in the future.',
    ],
    [
      'no days until the release',
      { lines: [line({ percent: '1', releaseAfterDays: 0 })] },
      'lines.0.releaseAfterDays must be at least 1.',
    ],
    [
      'a fee bearer without a line',
      { feeBearer: bisi, lines: [tenth] },
      'feeBearer must be merchant, subaccounts, all, or a sub-account of the lines.',
    ],
    [
      'an unknown field of a line',
      { lines: [line({ precent: '1' })] },
      'lines.0.precent is not a field of this request (did you mean percent?).',
    ],
    [
      'several lines at once',
      { feeBearer: 'me', lines: [line({}), { subaccount: closed, percent: '1' }] },
      'lines.0 must have `flat`, `percent` or `remainder`; lines.1.subaccount names a closed sub-account; choose one that is not closed; feeBearer must be merchant, subaccounts, all, or a sub-account of the lines.',
    ],
  ]

  test.each(rules)('a rule with %s', async (_, body, message) => {
    const reply = await post('/v1/split-rules', { name: 'Refused', ...body })
    expect([reply.status, reply.json.code, reply.json.message]).toEqual([
      400,
      'validation_failed',
      message,
    ])
    const named = reply.json.details.map(
      ({ field, issue }: Record<string, string>) => `${field} ${issue}`,
    )
    expect(`${named.join('; ')}.`).toBe(message)
  })

  const naira = { amount: 100_000, asset: 'NGN' }

  const previews: [string, object, string][] = [
    [
      'neither rule nor lines',
      { ...naira, splits: {} },
      'splits must have either `rule` or `lines`.',
    ],
    [
      'both rule and lines',
      { ...naira, splits: { rule: flatRule.reference, lines: [tenth] } },
      'splits must have either `rule` or `lines`.',
    ],
    [
      'a fee bearer beside a rule',
      { ...naira, splits: { rule: flatRule.reference, feeBearer: 'all' } },
      'splits.feeBearer cannot be sent together with `rule`, which has its own.',
    ],
    [
      'an unknown rule',
      { ...naira, splits: { rule: 'spl_1' } },
      'splits.rule names no split rule; check the reference and the mode of your API key.',
    ],
    [
      'a rule for another asset',
      { amount: '5', asset: 'USDC', splits: { rule: flatRule.reference } },
      'splits.rule is for payments in NGN, not for USDC.',
    ],
    [
      'a rule that takes more than the amount',
      { ...naira, splits: { rule: flatRule.reference } },
      'splits.rule cannot be used: lines.1.flat takes ₦950.00, but the lines before it leave ₦900.00 of ₦1,000.00; use `remainder` for what is left.',
    ],
    [
      'a flat share above the amount',
      { ...naira, splits: { lines: [line({ flat: 100_001 })] } },
      'splits.lines.0.flat takes ₦1,000.01, which is more than the amount of ₦1,000.00.',
    ],
    [
      'fixed shares that leave nothing for the fee of the merchant',
      { ...naira, splits: { lines: [line({ flat: 50_000 }), line({ flat: 50_000 })] } },
      'splits.lines.1.flat takes ₦500.00, but the fee of ₦10.00, which you bear, leaves ₦490.00; use `remainder`, or another `feeBearer`.',
    ],
    [
      'a min above the amount',
      { amount: '1', asset: 'USDC', splits: { lines: [line({ percent: '1', min: '1.000001' })] } },
      'splits.lines.0.min takes 1.000001 USDC, which is more than the amount of 1 USDC.',
    ],
    [
      'a percentage of more than what is left',
      { ...naira, splits: { lines: [line({ flat: 1 }), line({ percent: '100' })] } },
      'splits.lines.1.percent takes ₦1,000.00, but the lines before it leave ₦999.99 of ₦1,000.00; use `remainder` for what is left.',
    ],
    [
      'more than 100 percent',
      { ...naira, splits: { lines: [line({ percent: '99.99' }), line({ percent: '0.02' })] } },
      'splits.lines.1.percent brings all percentages to 100.01; they must not exceed 100.',
    ],
    [
      'an amount of another unit',
      { amount: '5', asset: 'NGN', splits: { lines: [tenth] } },
      'amount must be an integer in kobo.',
    ],
    [
      'a bank account for coins',
      {
        amount: '5',
        asset: 'USDT',
        accountKind: 'virtual_account',
        splits: { lines: [tenth] },
      },
      'accountKind must be crypto_wallet or dedicated_crypto_wallet for USDT.',
    ],
  ]

  test.each(previews)('a preview with %s', async (_, body, message) => {
    const reply = await post('/v1/splits/preview', body)
    expect([reply.status, reply.json.code, reply.json.message]).toEqual([
      400,
      'validation_failed',
      message,
    ])
  })
})

test('a rule is not used for new payments after a sub-account of it was closed', async () => {
  const seller = await addSubaccount()
  const lines = [
    { subaccount: ada, percent: '1' },
    { subaccount: seller, percent: '1' },
  ]
  const { reference } = await create({ name: 'Two sellers', lines })
  const body = { amount: 100_000, asset: 'NGN', splits: { rule: reference } }
  expect((await post('/v1/splits/preview', body)).status).toBe(200)
  await closeSubaccount(seller)
  const refused = await post('/v1/splits/preview', body)
  expect([refused.status, refused.json.message]).toEqual([
    400,
    'splits.rule cannot be used: lines.1.subaccount names a closed sub-account; choose one that is not closed.',
  ])
})
