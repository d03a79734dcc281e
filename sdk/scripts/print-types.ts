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

/** Events are printed type by type, which says more than the schema of all of them. */
const eventName = 'WebhookEvent'

/** sdk/src/types.ts: everything that is sent, answered and announced. */
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
    ['/** What comes with each type of event. */', 'export type EventData = {', ...rows, '}', ''],
    ['export type EventType = keyof EventData', ''],
    ['/** An event of one type. */'],
    [`export type EventOf<Type extends EventType> = ${common.slice(0, -2)}`],
    ['  type: Type', '  /** The resource at that moment. */', '  data: EventData[Type]', '}', ''],
    ['/** Any event: `type` says which, and so what `data` is. */'],
    [`export type ${eventName} = { [Type in EventType]: EventOf<Type> }[EventType]`, ''],
  ].map((lines) => lines.join('\n'))
}
