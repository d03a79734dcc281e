import { hash } from 'node:crypto'
import type { TObject, TSchema } from 'typebox'
import { codes, reasons } from '../../base/refusals.js'
import type { EventType } from '../../events/catalogue.js'
import { timePattern } from '../parse/read-time.js'
import type { RefusalText, Route } from '../server/route.js'
import { streamMessages } from '../streams/streams.js'
import { composeExample } from './compose-example.js'
import { exampleOfEvent } from './event-examples.js'
import { envelope } from './openapi.js'
import { httpStatusOf, refusalName, refusalsOf } from './refusals-of.js'

type Media = { example?: unknown; examples?: Record<string, object> }
type Content = { content?: Record<string, Media> }
type Parameter = { name: string; example?: unknown }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: Content
  responses?: Record<string, Content>
}
type Document = {
  paths?: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post: { requestBody: Content } }>
  components?: object
}

/** Adds an example of each request and answer. Examples of refusals are shared by reference. */
export function withExamples<Given extends object>(document: Given, routes: Route[]): Given {
  const { paths = {}, webhooks = {}, components } = document as Document
  const byName = new Map(routes.map((route) => [route.operation, route]))
  const refusals = new Map<string, RefusalText>()
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const route = byName.get(operation.operationId!)!
    const body = operation.requestBody?.content?.['application/json']
    // No time stays near now, as expiries must be, so requests are shown without optional times.
    if (body) body.example = composeExample(route.body!, timePattern)
    const file = operation.requestBody?.content?.['text/csv']
    if (file) file.example = route.csvSample
    const key = operation.parameters?.find(({ name }) => name === 'Idempotency-Key')
    if (key) key.example = keySample(route)
    addSuccess(operation, route)
    addRefusals(operation, route)
    for (const refusal of refusalsOf(route)) refusals.set(refusalName(refusal), refusal)
  }
  for (const [type, { post }] of Object.entries(webhooks))
    post.requestBody.content!['application/json']!.example = exampleOfEvent(type as EventType)
  refusals.delete('validation_failed')
  const named = [...refusals].toSorted(([left], [right]) => (left < right ? -1 : 1))
  const examples = Object.fromEntries(named.map(([name, refusal]) => [name, exampleOf(refusal)]))
  return { ...document, components: { ...components, examples } }
}

function addSuccess({ responses = {} }: Operation, route: Route): void {
  for (const [status, data] of Object.entries(route.answers)) {
    const { content } = responses[status]!
    const answer = composeExample(envelope(data)) as { data: object }
    const shown = { ...answer, data: { ...answer.data, ...route.example } }
    content!['application/json']!.example = shown
    const csv = content!['text/csv']
    const { items, buckets } = answer.data as { items?: object[]; buckets?: object[] }
    if (csv) csv.example = toCsv(items ?? buckets!)
  }
  const onlyCsv = route.isCsvOnly && responses[200]?.content?.['text/csv']
  if (onlyCsv) onlyCsv.example = route.csvSample
  const pdf = responses[200]?.content?.['application/pdf']
  if (pdf) pdf.example = '%PDF-1.3'
  const stream = responses[200]?.content?.['text/event-stream']
  if (stream)
    stream.examples = Object.fromEntries(
      Object.entries(streamMessages).map(([name, { summary, example }]) => [
        name,
        { summary, value: example },
      ]),
    )
}

/** A UUID of the operation's own: two operations with one key would refuse each other. */
function keySample({ operation }: Route): string {
  const digits = hash('sha256', operation)
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`]
  return [...parts, `9${digits.slice(17, 20)}`, digits.slice(20, 32)].join('-')
}

function toCsv(items: object[]): string {
  const lines = [Object.keys(items[0]!), ...items.map((item) => Object.values(item))]
  return lines.map((line) => `${line.join(',')}\n`).join('')
}

function addRefusals({ responses = {} }: Operation, route: Route): void {
  for (const refusal of refusalsOf(route)) {
    const name = refusalName(refusal)
    const media = responses[httpStatusOf(refusal)]!.content!['application/json']!
    const isOwn = name === 'validation_failed'
    const example = isOwn ? exampleOf(refusal, misfitOf(route)) : refer(name)
    media.examples = { ...media.examples, [name]: example }
  }
}

function refer(name: string) {
  return { $ref: `#/components/examples/${name}` }
}

function exampleOf({ code, reason }: RefusalText, more: object = {}) {
  const { when: message, nextStep } = reason ? reasons[reason] : codes[code]
  const requestId = 'req_8f3a5c0d9e1b7a46000042'
  const named = { status: false, message, code, ...(reason && { reason }) }
  return { summary: message, value: { ...named, ...more, nextStep, requestId } }
}

/** The first required field is missing; if there is none, an unknown field is sent. */
function misfitOf({ body, query }: Route): object {
  const required = [body, query].flatMap((schema) => requiredOf(schema))
  const field = required[0] ?? 'colour'
  const issue = required[0] ? 'is required' : 'is not a field of this request; remove it'
  return { message: `${field} ${issue}.`, details: [{ field, issue }] }
}

function requiredOf(schema: TSchema | undefined): string[] {
  return (schema as Partial<TObject> | undefined)?.required ?? []
}
