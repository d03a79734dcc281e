import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Document, dataOf, describedBy, listRows } from '../../sdk/scripts/document.js'
import {
  type Api,
  type ApiOperation,
  type Field,
  operationsOf,
  readApi,
  type Type,
} from '../../tools/sdks/read-api.js'

const file = path.resolve(import.meta.dirname, '../../openapi.json')
const document = JSON.parse(readFileSync(file, 'utf8')) as Document
const api = readApi(document)
const rows = operationsOf(api.resources)

/** Where a JSON value is not what the type says, such as `items[0].amount`. */
function findMismatches(value: unknown, type: Type, at = ''): string[] {
  const wrong = [`${at}: ${JSON.stringify(value)} is not ${JSON.stringify(type)}`]
  const isText = typeof value === 'string'
  const isInteger = Number.isInteger(value)
  if (type.kind === 'any') return []
  if (type.kind === 'string') return isText ? [] : wrong
  if (type.kind === 'integer') return isInteger ? [] : wrong
  if (type.kind === 'number' || type.kind === 'boolean')
    return typeof value === type.kind ? [] : wrong
  if (type.kind === 'amount' || type.kind === 'count') return isText || isInteger ? [] : wrong
  if (type.kind === 'const') return value === type.value ? [] : wrong
  if (type.kind === 'enum') {
    const values = api.enums.find(({ name }) => name === type.name)?.values
    return values?.includes(value as string) ? [] : wrong
  }
  if (type.kind === 'list') {
    if (!Array.isArray(value)) return wrong
    return value.flatMap((item, i) => findMismatches(item, type.items, `${at}[${i}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong
  return type.kind === 'model' ? findFieldMismatches(value, type.name, at) : []
}

function findFieldMismatches(value: object, name: string, at: string): string[] {
  const { fields } = api.models.find((model) => model.name === name)!
  const strange = Object.keys(value).filter((key) => !fields.some((field) => field.name === key))
  return [
    ...strange.map((key) => `${at}.${key} is not a field of ${name}`),
    ...fields.flatMap((field) => {
      const inner = (value as Record<string, unknown>)[field.name]
      const here = `${at}.${field.name}`
      if (inner === undefined) return field.isOptional ? [] : [`${here} is missing in ${name}`]
      if (inner === null) return field.isNullable ? [] : [`${here} is null in ${name}`]
      return findMismatches(inner, field.type, here)
    }),
  ]
}

function operation(id: string): ApiOperation {
  return rows.find((row) => row.id === id)!
}

function field(model: string, name: string): Field {
  const { fields } = api.models.find(({ name }) => name === model)!
  return fields.find((one) => one.name === name)!
}

test('every operation of the TypeScript SDK is there, under the same resource', () => {
  const named = (resources: Api['resources']): string[] =>
    resources.flatMap(({ address, operations, resources }) => [
      ...operations.map(({ name }) => [...address, name].join('.')),
      ...named(resources),
    ])
  expect(named(api.resources).toSorted()).toEqual(
    listRows()
      .map(([name]) => name)
      .toSorted(),
  )
})

test('every example of a body is one of its model', () => {
  const given = rows.filter(({ example }) => example !== undefined)
  expect(given.length).toBeGreaterThan(40)
  const wrong = given.flatMap(({ id, input, example }) =>
    findMismatches(example, { kind: 'model', name: input!.model }, id),
  )
  expect(wrong).toEqual([])
})

test('every example of an answer is one of its type', () => {
  const wrong = listRows().flatMap(([, row]) => {
    const described = describedBy(document, row)
    const { answer } = operation(described.operationId)
    const status = Object.keys(described.responses).find((code) => code.startsWith('2'))!
    const example = described.responses[status]!.content['application/json']?.example as
      | { data: never }
      | undefined
    if (!example) return []
    if (answer.kind === 'item')
      return findMismatches(example.data, answer.type, described.operationId)
    if (answer.kind !== 'page' && answer.kind !== 'list') return []
    const type: Type = { kind: 'list', items: answer.item }
    return findMismatches((example.data as { items: [] }).items, type, described.operationId)
  })
  expect(wrong).toEqual([])
})

test('every example of an event is one of its model', () => {
  const wrong = api.events.flatMap(({ type, model }) => {
    const { example } = document.webhooks[type]!.post.requestBody.content['application/json']
    return findMismatches((example as { data: unknown }).data, { kind: 'model', name: model }, type)
  })
  expect(wrong).toEqual([])
})

test('everything that is named exists once, and everything that exists is used', () => {
  const names = [...api.models, ...api.enums].map(({ name }) => name)
  expect(names.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))).toEqual([])
  const text = JSON.stringify(api)
  const refer = (name: string) =>
    text.includes(`,"name":"${name}"}`) || text.includes(`"model":"${name}"`)
  expect(names.filter((name) => !refer(name))).toEqual([])
})

test('a body says which fields may be left out or be null', () => {
  expect(operation('createBankTransfer')).toMatchObject({
    method: 'POST',
    isKeyed: true,
    isPublic: false,
    input: { in: 'body', model: 'CreateBankTransferInput', isOptional: false },
    answer: { kind: 'item', type: { kind: 'model', name: 'BankTransfer' } },
  })
  expect(field('CreateBankTransferInput', 'amount')).toMatchObject({
    type: { kind: 'integer' },
    isOptional: false,
    isNullable: false,
  })
  expect(field('ChangeSubaccountInput', 'bankAccount')).toMatchObject({
    type: { kind: 'model', name: 'SubaccountBankAccountInput' },
    isOptional: true,
    isNullable: true,
  })
})

test('a public POST has no idempotency key', () => {
  expect(operation('simulatePublicCheckout')).toMatchObject({ isPublic: true, isKeyed: false })
})

test('one of several objects is one model with the fields of all', () => {
  expect(operation('fundTestBalance').input).toMatchObject({ model: 'FundTestBalanceInput' })
  expect(field('FundTestBalanceInput', 'asset').type).toEqual({ kind: 'enum', name: 'Asset' })
  expect(field('FundTestBalanceInput', 'amount').type).toEqual({ kind: 'amount' })
  expect(operation('createPayoutBatch').acceptsCsv).toBe(true)
  expect(field('CreatePayoutBatchInput', 'asset').isOptional).toBe(true)
  expect(field('PaymentSender', 'address')).toMatchObject({ isOptional: true, isNullable: true })
})

test('the same shape at several places is one type', () => {
  const line = { kind: 'list', items: { kind: 'model', name: 'SplitLineInput' } }
  expect(field('SplitsInput', 'lines').type).toEqual(line)
  expect(field('CreateSplitRuleInput', 'lines').type).toEqual(line)
  expect(field('BankTransfer', 'status').type).toEqual({ kind: 'enum', name: 'BankTransferStatus' })
})

test('a schema that no emitter could print is refused', () => {
  const changed = structuredClone(document)
  changed.components.schemas.Bank!.properties!.code = { type: 'tuple' }
  expect(() => readApi(changed)).toThrow('No type for Bank.code')
  expect(() => dataOf(describedBy(changed, listRows()[0]![1]))).not.toThrow()
})
