import { isOperation, type Operation, type Operations, placesIn } from './operations.js'
import type { Connection, WriteOptions } from './options.js'
import { type Page, toPages } from './pages.js'
import { type Answer, type Question, send } from './send.js'

type Input = Record<string, unknown>
type Call = { operation: Operation; path: string; input: Input; options: WriteOptions | undefined }

/** Makes of every row of the table a function, under the names that the table has. */
export function bind(connection: Connection, rows: Operations, prefix = ''): object {
  const bound = Object.entries(rows).map(([name, row]) => [
    name,
    isOperation(row)
      ? toMethod(connection, row, prefix + name)
      : bind(connection, row, `${prefix}${name}.`),
  ])
  return Object.fromEntries(bound)
}

function toMethod(connection: Connection, operation: Operation, name: string) {
  if (operation.gives === 'pages')
    return (...given: unknown[]) => listAll(connection, toCall(operation, name, given))
  const read = readers[operation.gives]
  return async (...given: unknown[]) =>
    read(await send(connection, toQuestion(toCall(operation, name, given))))
}

function listAll(connection: Connection, call: Call) {
  const { cursor: first, ...filters } = call.input
  return toPages(
    async (cursor) => {
      const question = toQuestion({ ...call, input: { ...filters, cursor } })
      return readers.data(await send(connection, question)) as Page<unknown>
    },
    first as string | undefined,
  )
}

/** Arguments come as the path has them, then the input where there is one, then the options. */
function toCall(operation: Operation, name: string, given: unknown[]): Call {
  const places = placesIn(operation.path)
  const path = places.reduce(
    (filled, place, index) => filled.replace(`{${place}}`, toSegment(given[index], place, name)),
    operation.path,
  )
  const rest = given.slice(places.length)
  const [input, options] = operation.takes === 'nothing' ? [undefined, rest[0]] : rest
  return {
    operation,
    path,
    input: (input ?? {}) as Input,
    options: options as WriteOptions | undefined,
  }
}

/** Nothing in its place would ask for another thing: the list instead of the one. */
function toSegment(given: unknown, place: string, name: string): string {
  if (typeof given === 'string' && given !== '') return encodeURIComponent(given)
  const what = given === '' ? 'an empty text' : given === null ? 'null' : typeof given
  throw new TypeError(`manilla.${name} needs its ${place} as a text; it was given ${what}.`)
}

function toQuestion({ operation, path, input, options }: Call): Question {
  if (operation.takes === 'body') return { operation, path, body: input, options }
  return { operation, path: path + toQuery(input), options }
}

function toQuery(input: Input): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input))
    if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

const readers = {
  data: ({ data }: Answer) => data,
  items: ({ data }: Answer) => (data as Page<unknown>).items,
  csv: ({ text, headers }: Answer) => ({ text, nextCursor: headers.get('x-next-cursor') }),
  nothing: () => undefined,
}
