import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { bodySchema, catalogue, type EventType, eventTypes } from '../../src/events/catalogue.js'
import { filters, listensTo, typesOf } from '../../src/events/filter.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'

const spell = (groups: Record<string, string>) =>
  Object.entries(groups).flatMap(([resource, ends]) =>
    ends.split(' ').map((end) => `${resource}.${end}`),
  )

/** As the contract lists it, and beside it failed refunds and cancelled wallets. */
const promised = spell({
  virtual_account: 'paid underpaid overpaid late_payment duplicate_payment expired cancelled',
  dedicated_account: 'created credited deactivated',
  'checkout.session': 'paid expired cancelled',
  crypto_wallet: 'paid underpaid overpaid late_payment duplicate_payment expired cancelled',
  dedicated_crypto_wallet: 'created credited',
  payment: 'held returning returned refunded refund_failed',
  crypto_transfer: 'submitted confirmed failed',
  bank_transfer: 'submitted completed failed reversed',
  balance: 'low',
  webhook_endpoint: 'disabled test',
})

const db = await freshDatabase()
const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const document = JSON.parse(read('openapi.json'))

/** Operators' actions and what banks tell are named in words of the same form, but are no events. */
const isElsewhere = (file: string) =>
  !/^(events|operations\/commands|rails|simulation)\//.test(file)

const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && isElsewhere(file))
  .map((file) => read(path.join('src', file)).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''))

/** Every text in the code that stands for a type of a resource that has events. */
function literalsIn(text: string): string[] {
  const resources = new Set(promised.map((type) => type.slice(0, type.lastIndexOf('.'))))
  const literals = [...text.matchAll(/(['"`])([a-z_]+(?:\.[a-z_]+)+)\1/g)]
  return literals
    .map(([, , literal]) => literal!)
    .filter((literal) => resources.has(literal.slice(0, literal.lastIndexOf('.'))))
}

describe('the types of events', () => {
  test('are those of the contract, each once', () => {
    expect(promised).toHaveLength(37)
    expect(eventTypes.toSorted()).toEqual(promised.toSorted())
  })

  test('are the webhooks of the document, each with its own body', () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual(promised.toSorted())
    for (const type of eventTypes) {
      const { post } = document.webhooks[type]
      const { properties, required } = post.requestBody.content['application/json'].schema
      const { title } = catalogue[type].data as { title?: string }
      expect(properties.type.const).toBe(type)
      expect(properties.data).toEqual({ $ref: `#/components/schemas/${title}` })
      expect(required).toEqual(['id', 'type', 'timestamp', 'mode', 'sequence', 'data'])
      expect(post.description).toBe(catalogue[type].when)
      expect(document.components.schemas).toHaveProperty([title!])
    }
  })

  test('are the rows of the page of events', () => {
    const rows = [...read('docs/reference/events.md').matchAll(/^\| `([a-z_]+\.[a-z_.]+)` \|/gm)]
    expect(rows.map(([, type]) => type).toSorted()).toEqual(promised.toSorted())
  })

  test('have schemas that a validator takes, and that refuse the bodies of others', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    for (const type of eventTypes) {
      const isBody = ajv.compile(bodySchema(type))
      const wrongIn = (body: object) =>
        isBody(body)
          ? []
          : isBody.errors!.map(({ keyword, instancePath }) => keyword + instancePath)
      expect(wrongIn({ type })).toEqual(Array(5).fill('required'))
      for (const other of eventTypes.filter((one) => one !== type))
        expect(wrongIn({ type: other })).toContain('const/type')
    }
  })
})

describe('the code', () => {
  test('names no type that is not in the catalogue', () => {
    const named = new Set(sources.flatMap(literalsIn))
    expect(named).toContain('webhook_endpoint.test')
    expect([...named].filter((type) => !(type in catalogue))).toEqual([])
  })

  // An emitting file is one that knows how to emit, or says what a shift of money shall tell.
  test('emits every type', () => {
    const emitting = sources.filter((text) =>
      /(events\/(emit|catalogue)|\/shift-payments)\.js'/.test(text),
    )
    const emitted = new Set(emitting.flatMap(literalsIn))
    expect(eventTypes.filter((type) => !emitted.has(type))).toEqual([])
  })
})

describe('a filter', () => {
  test('is everything, a group of each resource, or a type', () => {
    const groups = promised.map((type) => type.replace(/[^.]+$/, '*'))
    expect(filters.toSorted()).toEqual([...new Set(['*', ...groups, ...promised])].toSorted())
  })

  test.each([
    ['*', promised],
    ['payment.*', spell({ payment: 'held returning returned refunded refund_failed' })],
    [
      'checkout.session.*',
      ['checkout.session.paid', 'checkout.session.expired', 'checkout.session.cancelled'],
    ],
    ['dedicated_account.*', promised.filter((type) => type.startsWith('dedicated_account.'))],
    ['balance.low', ['balance.low']],
    ['payment', []],
    ['payment.', []],
    ['', []],
  ])('%s means its types and no others', (filter, types) => {
    expect(typesOf(filter).toSorted()).toEqual(types.toSorted())
  })

  // Two ways to say the same, one in each language: the list of events is filtered by the one, and
  // deliveries by the other. Endpoints keep `*` as null.
  test('means the same to the list of events and to an endpoint', async () => {
    const found = await db.rows(sql<{ filter: string; type: EventType }>`
      select w.filter, t.type
      from (select filter, case when filter <> '*' then array[filter] end as event_types
        from unnest(${filters}::text[]) filter) w
      cross join unnest(${eventTypes}::text[]) t (type)
      where ${sql.raw(listensTo('w', 't.type'))}`)
    const heard = (filter: string) =>
      found.filter((row) => row.filter === filter).map(({ type }) => type)
    for (const filter of filters)
      expect([filter, heard(filter).toSorted()]).toEqual([filter, typesOf(filter).toSorted()])
  })

  // An endpoint listens to whatever any of its filters means, and to nothing that looks like it.
  test('adds to the others of its endpoint', async () => {
    const chosen = ['payment.*', 'payment.held', 'balance.low', 'crypto_wallet.*']
    const alike = ['payment', 'payments.held', 'repayment.held', 'cryptoXwallet.paid', 'balance.l']
    const found = await db.rows(sql<{ type: string }>`
      select t.type from (select ${chosen}::text[] as event_types) w
      cross join unnest(${[...eventTypes, ...alike]}::text[]) t (type)
      where ${sql.raw(listensTo('w', 't.type'))}`)
    const meant = new Set(chosen.flatMap(typesOf))
    expect(found.map(({ type }) => type).toSorted()).toEqual([...meant].toSorted())
    expect(meant.has('dedicated_crypto_wallet.created')).toBe(false)
  })
})
