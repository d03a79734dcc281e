import {
  type Described,
  type Document,
  describedBy,
  header,
  inputName,
  inputOf,
  listRows,
} from './document.js'
import { printComment, printSchema, type Schema } from './print-schema.js'

/** Printed type by type, which is more precise than the schema of all events. */
const eventName = 'WebhookEvent'

/** sdk/src/types.ts: requests, answers and events. */
export function printTypes(document: Document): string {
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => name !== eventName)
    .map(([name, schema]) => printNamed(name, schema, schema.description ?? ''))
  const inputs = listRows().flatMap(([, row]) => {
    const described = describedBy(document, row)
    const input = inputOf(row, described)
    return input ? [printInput(inputName(row, described), input, described)] : []
  })
  return [header, ...schemas, ...new Set(inputs), ...printEvents(document)].join('\n')
}

function printInput(name: string, schema: Schema, { summary }: Described): string {
  return printNamed(name, schema, `${summary}.`, true)
}

function printNamed(name: string, schema: Schema, comment: string, isInput = false): string {
  const printed = printSchema(schema, isInput)
  return [...printComment(comment, ''), `export type ${name} = ${printed}`, ''].join('\n')
}

function printEvents({ webhooks, components }: Document): string[] {
  const { type, data, ...fields } = components.schemas[eventName]!.properties!
  const rows = Object.entries(webhooks).flatMap(([name, { post }]) => {
    const body = post.requestBody.content['application/json'].schema
    const line = `  '${name}': ${printSchema(body.properties!.data!, false, '  ')}`
    return [...printComment(post.description, '  '), line]
  })
  const required = Object.keys(fields)
  const common = printSchema({ type: 'object', required, properties: fields })
  return [
    ['/** The `data` of each event type. */', 'export type EventData = {', ...rows, '}', ''],
    ['export type EventType = keyof EventData', ''],
    ['/** An event of one type. */'],
    [`export type EventOf<Type extends EventType> = ${common.slice(0, -2)}`],
    [
      '  type: Type',
      '  /** The resource when the event happened. */',
      '  data: EventData[Type]',
      '}',
      '',
    ],
    ['/** Any event; `type` narrows `data`. */'],
    [`export type ${eventName} = { [Type in EventType]: EventOf<Type> }[EventType]`, ''],
  ].map((lines) => lines.join('\n'))
}
