import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { bodySchema, dataSchema } from '../../src/api/openapi/event-schemas.js'
import { catalogue, type EventType, eventTypes } from '../../src/events/catalogue.js'
import { eventFilters, listensTo, typesOf } from '../../src/events/filter.js'
import { sql } from '../../src/postgres/sql.js'
import { freshDatabase } from '../support/database.js'

const joinNames = (groups: Record<string, string>) =>
  Object.entries(groups).flatMap(([resource, ends]) =>
    ends.split(' ').map((end) => `${resource}.${end}`),
  )

/**
 * The types of the contract, plus failed refunds, cancelled wallets, conversions, settlements,
 * customers, invoices, claims, recipients, cases, sub-accounts and splits.
 */
const documentedTypes = joinNames({
  virtual_account:
    'paid underpaid overpaid late_payment duplicate_payment expired cancelled payment_rejected',
  dedicated_account: 'created credited deactivated payment_rejected',
  'checkout.session': 'paid expired cancelled',
  crypto_wallet: 'paid underpaid overpaid late_payment duplicate_payment expired cancelled',
  dedicated_crypto_wallet: 'created credited',
  payment: 'held returning returned refunded refund_failed',
  crypto_transfer: 'pending submitted confirmed failed',
  bank_transfer: 'pending submitted completed failed reversed',
  conversion: 'completed',
  settlement: 'pending created paid failed reversed',
  settlement_destination: 'changed',
  customer: 'created credited',
  invoice:
    'finalized sent overdue credited partially_paid paid payment_moved refunded refund_failed voided',
  subaccount: 'created receivable closed closing_failed',
  subaccount_settlement: 'pending created paid failed reversed',
  split: 'posted released',
  batch: 'completed',
  recipient: 'created disabled enabled',
  case: 'opened overdue closed reopened',
  claim: 'created claimed expired cancelled reopened',
  balance: 'low',
  webhook_endpoint: 'disabled test',
})

const db = await freshDatabase()
const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const document = JSON.parse(read('openapi.json'))

/** These modules use names of the same form for other things, such as operator actions or the events of a bank. */
const mayNameEvents = (file: string) =>
  !/^(events|api\/openapi\/event-|operations\/commands|rails|simulation|api\/routes\/collections\/rail-notices)\b/.test(
    file,
  )

const sources = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && mayNameEvents(file))
  .map((file) => read(path.join('src', file)).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ''))

/** Every string literal that looks like an event type of a known resource. */
function literalsIn(text: string): string[] {
  const resources = new Set(documentedTypes.map((type) => type.slice(0, type.lastIndexOf('.'))))
  const literals = [...text.matchAll(/(['"`])([a-z_]+(?:\.[a-z_]+)+)\1/g)]
  return literals
    .map(([, , literal]) => literal!)
    .filter((literal) => resources.has(literal.slice(0, literal.lastIndexOf('.'))))
}

describe('event types', () => {
  test('are exactly those of the contract', () => {
    expect(documentedTypes).toHaveLength(84)
    expect(eventTypes.toSorted()).toEqual(documentedTypes.toSorted())
  })

  test('are the webhooks of the OpenAPI document, each with its own body', () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual(documentedTypes.toSorted())
    for (const type of eventTypes) {
      const { post } = document.webhooks[type]
      const { properties, required } = post.requestBody.content['application/json'].schema
      const { title } = dataSchema(type)
      expect(properties.type.const).toBe(type)
      expect(properties.data).toEqual({ $ref: `#/components/schemas/${title}` })
      expect(required).toEqual(['id', 'type', 'timestamp', 'mode', 'sequence', 'data'])
      expect(post.description).toBe(catalogue[type])
      expect(document.components.schemas).toHaveProperty([title])
    }
  })

  test('are the rows of docs/reference/events.md', () => {
    const rows = [...read('docs/reference/events.md').matchAll(/^\| `([a-z_]+\.[a-z_.]+)` \|/gm)]
    expect(rows.map(([, type]) => type).toSorted()).toEqual(documentedTypes.toSorted())
  })

  test('have valid schemas that reject the bodies of other types', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
    for (const type of eventTypes) {
      const isBody = ajv.compile(bodySchema(type))
      const errorsOf = (body: object) =>
        isBody(body)
          ? []
          : isBody.errors!.map(({ keyword, instancePath }) => keyword + instancePath)
      expect(errorsOf({ type })).toEqual(Array(5).fill('required'))
      for (const other of eventTypes.filter((one) => one !== type))
        expect(errorsOf({ type: other })).toContain('const/type')
    }
  })
})

describe('source code', () => {
  test('names only types of the catalogue', () => {
    const named = new Set(sources.flatMap(literalsIn))
    expect(named).toContain('webhook_endpoint.test')
    // Actions of the audit log and of operators, and fields of requests.
    const others = [
      'balance.credit',
      'bank_transfer.create',
      'customer.email',
      'customer.name',
      'settlement.schedule',
    ]
    expect([...named].filter((type) => !(type in catalogue)).toSorted()).toEqual(others)
  })

  // A file emits if it imports the emitter or the catalogue, or passes an event to shift-payments.
  test('emits every type', () => {
    const emitting = sources.filter((text) =>
      /(events\/(emit|catalogue)|\/shift-payments)\.js'/.test(text),
    )
    const emitted = new Set(emitting.flatMap(literalsIn))
    expect(eventTypes.filter((type) => !emitted.has(type))).toEqual([])
  })
})

describe('an event filter', () => {
  test('is `*`, the group of a resource, or a type', () => {
    const groups = documentedTypes.map((type) => type.replace(/[^.]+$/, '*'))
    expect(eventFilters.toSorted()).toEqual(
      [...new Set(['*', ...groups, ...documentedTypes])].toSorted(),
    )
  })

  test.each([
    ['*', documentedTypes],
    ['payment.*', joinNames({ payment: 'held returning returned refunded refund_failed' })],
    [
      'checkout.session.*',
      ['checkout.session.paid', 'checkout.session.expired', 'checkout.session.cancelled'],
    ],
    [
      'dedicated_account.*',
      documentedTypes.filter((type) => type.startsWith('dedicated_account.')),
    ],
    ['balance.low', ['balance.low']],
    ['payment', []],
    ['payment.', []],
    ['', []],
  ])('%s matches its types and no others', (filter, types) => {
    expect(typesOf(filter).toSorted()).toEqual(types.toSorted())
  })

  // `typesOf` filters the list of events, `listensTo` filters deliveries. Endpoints store `*` as null.
  test('matches the same types in TypeScript and in SQL', async () => {
    const found = await db.rows(sql<{ filter: string; type: EventType }>`
      select w.filter, t.type
      from (select filter, case when filter <> '*' then array[filter] end as event_types
        from unnest(${eventFilters}::text[]) filter) w
      cross join unnest(${eventTypes}::text[]) t (type)
      where ${sql.raw(listensTo('w', 't.type'))}`)
    const typesInSql = (filter: string) =>
      found.filter((row) => row.filter === filter).map(({ type }) => type)
    for (const filter of eventFilters)
      expect([filter, typesInSql(filter).toSorted()]).toEqual([filter, typesOf(filter).toSorted()])
  })

  // Types that merely look similar must not match.
  test('is combined with the other filters of its endpoint', async () => {
    const chosenFilters = ['payment.*', 'payment.held', 'balance.low', 'crypto_wallet.*']
    const similar = [
      'payment',
      'payments.held',
      'repayment.held',
      'cryptoXwallet.paid',
      'balance.l',
    ]
    const found = await db.rows(sql<{ type: string }>`
      select t.type from (select ${chosenFilters}::text[] as event_types) w
      cross join unnest(${[...eventTypes, ...similar]}::text[]) t (type)
      where ${sql.raw(listensTo('w', 't.type'))}`)
    const expected = new Set(chosenFilters.flatMap(typesOf))
    expect(found.map(({ type }) => type).toSorted()).toEqual([...expected].toSorted())
    expect(expected.has('dedicated_crypto_wallet.created')).toBe(false)
  })
})
