import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type operationsOf, readApi, type Type } from '../../../tools/sdks/read-api.js'
import type { Result, Scenario, Step } from './scenarios.js'

const root = path.resolve(import.meta.dirname, '../../..')
const api = readApi(JSON.parse(readFileSync(path.join(root, 'openapi.json'), 'utf8')))
const models = new Map(api.models.map((model) => [model.name, model]))

/** `full`: every field is there. `bare`: only those that must be, and null where that is allowed. */
type Fill = { isFull: boolean; isAnswer: boolean }

/** Two scenarios for each operation: nothing that is sent or answered may be lost or changed. */
export function listEveryOperation(): Scenario[] {
  return api.resources.flatMap(function list(resource): Scenario[] {
    const own = resource.operations.flatMap((operation) =>
      [true, false].map((isFull): Scenario => {
        const { name, method, pathParameters, input, answer } = operation
        const path = Object.fromEntries(pathParameters.map(({ name }) => [name, 'ref_1']))
        const hasInput = input !== undefined && (isFull || !input.isOptional)
        const sent = hasInput ? fillModel(input.model, { isFull, isAnswer: false }) : undefined
        const body = input?.in === 'body' ? { body: sent ?? {} } : {}
        const { step, result } = answerOf(answer, isFull)
        const query = input?.in === 'query' && sent ? { query: textsOf(sent) } : {}
        return {
          id: `every/${resource.address.join('.')}.${name}/${isFull ? 'full' : 'bare'}`,
          group: 'Every operation',
          title: 'sends and reads every field',
          call: {
            kind: answer.kind === 'page' ? 'page' : 'call',
            resource: resource.address.join('.'),
            operation: name,
            ...(pathParameters.length > 0 && { path }),
            ...(sent && { [input!.in]: sent }),
          },
          steps: [
            {
              expect: {
                method,
                path: operation.path.replace(/\{\w+\}/, 'ref_1'),
                ...body,
                ...query,
              },
              ...step,
            },
          ],
          result,
          notFor: {},
        }
      }),
    )
    return [...own, ...resource.resources.flatMap(list)]
  })
}

/** A webhook of each type, with every field of its data. */
export function listEveryEvent(): Scenario[] {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const sentAt = 1_767_603_600
  return api.events.map(({ type, model }) => {
    const fill = { isFull: true, isAnswer: true }
    const event = {
      ...fillModel('WebhookEvent', fill),
      id: 'evt_1',
      type,
      data: fillModel(model, fill),
    }
    const body = JSON.stringify(event)
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`evt_1.${sentAt}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(sentAt),
      'webhook-signature': `v1,${signature}`,
    }
    return {
      id: `every/event/${type}`,
      group: 'Every event',
      title: 'reads every field',
      call: { kind: 'webhook', body, headers, secret, nowMs: sentAt * 1_000 },
      steps: [],
      result: { event },
      notFor: {},
    }
  })
}

type Answer = ReturnType<typeof operationsOf>[number]['answer']

function answerOf(answer: Answer, isFull: boolean): { step: Partial<Step>; result: Result } {
  const fill = { isFull, isAnswer: true }
  if (answer.kind === 'item') {
    const data = fillType(answer.type, 'item', fill)
    return { step: { data }, result: { value: data } }
  }
  if (answer.kind === 'page' || answer.kind === 'list') {
    const items = [fillType(answer.item, 'item', fill), fillType(answer.item, 'other', fill)]
    const page = { items, nextCursor: isFull && answer.kind === 'page' ? 'cursor_2' : null }
    return { step: { data: page }, result: answer.kind === 'page' ? { page } : { value: items } }
  }
  if (answer.kind === 'csv')
    return { step: { text: 'a,b\n1,2\n' }, result: { value: 'a,b\n1,2\n' } }
  if (answer.kind === 'pdf') return { step: { base64: 'JVBERi0=' }, result: { value: 'JVBERi0=' } }
  return { step: { data: null }, result: { value: null } }
}

function fillModel(name: string, fill: Fill): Record<string, unknown> {
  const filled = models.get(name)!.fields.flatMap((field): [string, unknown][] => {
    if (!fill.isFull && field.isOptional) return []
    const isNull = !fill.isFull && field.isNullable
    return [[field.name, isNull ? null : fillType(field.type, field.name, fill)]]
  })
  const isNew = fill.isFull && fill.isAnswer
  return { ...Object.fromEntries(filled), ...(isNew && { fieldOfTomorrow: { is: ['kept'] } }) }
}

let count = 0

function fillType(type: Type, name: string, fill: Fill): unknown {
  count += 1
  switch (type.kind) {
    case 'model':
      return fillModel(type.name, fill)
    case 'list':
      return fill.isFull ? [1, 2].map(() => fillType(type.items, name, fill)) : []
    case 'enum': {
      const { values } = api.enums.find(({ name }) => name === type.name)!
      return fill.isFull && fill.isAnswer && count % 2 === 0
        ? 'VALUE_OF_TOMORROW'
        : values[count % values.length]
    }
    case 'const':
      return type.value
    case 'integer':
      return toInteger(fill)
    case 'number':
      return count + 0.5
    case 'boolean':
      return fill.isFull
    case 'amount':
      return count % 2 === 0 ? toInteger(fill) : `${count}.000001`
    case 'count':
      return count % 2 === 0 ? count : `${count}+`
    case 'object':
      return fill.isFull ? { order: `a-${count}`, deep: [{ n: toInteger(fill) }, true] } : {}
    default:
      return `${name} ${count} – ₦, Àṣẹ`
  }
}

/** Beyond 32 bits, or 0, which must not be taken for absent. */
function toInteger({ isFull }: Fill): number {
  return isFull ? Number.MAX_SAFE_INTEGER - count : 0
}

/** As in a URL. */
function textsOf(fields: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}
