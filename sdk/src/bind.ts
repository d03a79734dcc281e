import { isOperation, type Operation, type Operations, parametersOf } from './operations.js'
import type { Connection, WriteOptions } from './options.js'
import { type Page, toPages } from './pages.js'
import { type ApiAnswer, type ApiRequest, readFile, readStream, send } from './send.js'

type Input = Record<string, unknown>
type Call = { operation: Operation; path: string; input: Input; options: WriteOptions | undefined }

/** Turns every row of the table into a method of the same name. */
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
  if (operation.gives === 'csv')
    return (...given: unknown[]) =>
      readStream(connection, toRequest(toCall(operation, name, given)))
  if (operation.gives === 'pdf')
    return (...given: unknown[]) => readFile(connection, toRequest(toCall(operation, name, given)))
  const read = readers[operation.gives]
  return async (...given: unknown[]) =>
    read(await send(connection, toRequest(toCall(operation, name, given))))
}

function listAll(connection: Connection, call: Call) {
  const { cursor: first, ...filters } = call.input
  return toPages(
    async (cursor) => {
      const request = toRequest({ ...call, input: { ...filters, cursor } })
      return readers.data(await send(connection, request)) as Page<unknown>
    },
    first as string | undefined,
  )
}

/** Arguments: those of the path, then the input if there is one, then the options. */
function toCall(operation: Operation, name: string, given: unknown[]): Call {
  const names = parametersOf(operation.path)
  const path = names.reduce(
    (filled, parameter, index) =>
      filled.replace(`{${parameter}}`, toSegment(given[index], parameter, name)),
    operation.path,
  )
  const rest = given.slice(names.length)
  const [input, options] = operation.takes === 'nothing' ? [undefined, rest[0]] : rest
  return {
    operation,
    path,
    input: (input ?? {}) as Input,
    options: options as WriteOptions | undefined,
  }
}

/** Refuses an empty segment, which would turn "get one" into "list all". */
function toSegment(given: unknown, parameter: string, name: string): string {
  if (typeof given === 'string' && given !== '') return encodeURIComponent(given)
  const what = given === '' ? 'an empty string' : given === null ? 'null' : typeof given
  throw new TypeError(`manilla.${name} needs ${parameter} as a string, but got ${what}.`)
}

function toRequest({ operation, path, input, options }: Call): ApiRequest {
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
  data: ({ data }: ApiAnswer) => data,
  items: ({ data }: ApiAnswer) => (data as Page<unknown>).items,
  nothing: () => undefined,
}
