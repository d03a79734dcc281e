import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { ConnectionError, type Manilla } from '../src/manilla.js'
import { type Run, setAction } from './action.js'
import { paint, withoutControls } from './style.js'
import type { Terminal } from './terminal.js'

type Filters = NonNullable<Parameters<Manilla['requestLogs']['list']>[0]>
type LogFilters = Pick<Filters, 'status' | 'method' | 'path'>
type Pages = ReturnType<Manilla['requestLogs']['list']>
type Entry = Awaited<ReturnType<Pages['page']>>['items'][number]

const pollIntervalMs = 1_000
const firstEntries = 10
/** Entries are written in batches, so older ones may appear after newer ones. */
const overlapMs = 10_000
const pageSize = 100
const pagesPerPollMax = 10
const seenMax = 5_000

export function registerLogs(program: Command, terminal: Terminal): void {
  const logs = program.command('logs').description('requests made with your key')
  const tail = logs
    .command('tail')
    .description('print requests made with your key as they happen')
    .option('--status <status>', 'a status such as 422, or a class such as 4xx')
    .option('--method <method>', 'HTTP method, such as POST')
    .option('--path <path>', 'beginning of the path')
  setAction<LogFilters>(tail, terminal, followLogs)
}

async function followLogs({
  terminal,
  manilla,
  options,
  isJson,
}: Run<LogFilters>): Promise<undefined> {
  const signal = terminal.stop()
  const print = (entries: Entry[]) => {
    for (const entry of entries)
      terminal.print(isJson ? JSON.stringify(entry) : describeEntry(terminal, entry))
  }
  try {
    const log = new SeenLog(manilla, options, signal)
    print((await log.readLatest()).slice(-firstEntries))
    if (!isJson)
      terminal.note(paint(terminal, 'dim', 'Waiting for requests. Press Ctrl-C to stop.'))
    for (;;) {
      await sleep(pollIntervalMs, undefined, { signal })
      print(await log.readNew().catch(tolerateRestart(terminal)))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function tolerateRestart(terminal: Terminal): (error: unknown) => Entry[] {
  return (error) => {
    if (!(error instanceof ConnectionError)) throw error
    terminal.note(`${error.message} Retrying.`)
    return []
  }
}

/** Reads entries that were not returned before, oldest first, without its own requests. */
class SeenLog {
  readonly #list: (query: Filters) => Pages
  readonly #filters: LogFilters
  readonly #seen = new Set<string>()
  /** In the service's time. */
  #newestMs = 0

  constructor(manilla: Manilla, filters: LogFilters, signal: AbortSignal) {
    this.#list = (query) => manilla.requestLogs.list(query, { signal })
    this.#filters = filters
  }

  async readLatest(): Promise<Entry[]> {
    const { items } = await this.#list({ limit: 1 }).page()
    if (items[0]) this.#newestMs = Date.parse(items[0].createdAt)
    const latest = await this.#list({ ...this.#filters, limit: pageSize }).page()
    return this.#selectNew(latest.items)
  }

  /** Reads at most `pagesPerPollMax` pages. */
  async readNew(): Promise<Entry[]> {
    const from = new Date(this.#newestMs - overlapMs).toISOString()
    const found: Entry[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < pagesPerPollMax; pages += 1) {
      const query = { ...this.#filters, from, cursor, limit: pageSize }
      const { items, nextCursor } = await this.#list(query).page()
      found.push(...items)
      if (nextCursor === null) break
      cursor = nextCursor
    }
    return this.#selectNew(found)
  }

  #selectNew(entries: Entry[]): Entry[] {
    const fresh = entries.filter(({ id }) => !this.#seen.has(id))
    for (const { id, createdAt } of fresh) {
      this.#seen.add(id)
      this.#newestMs = Math.max(this.#newestMs, Date.parse(createdAt))
    }
    for (const id of this.#seen) {
      if (this.#seen.size <= seenMax) break
      this.#seen.delete(id)
    }
    return fresh.filter(({ path }) => !path.startsWith('/v1/request-logs')).reverse()
  }
}

function describeEntry(terminal: Terminal, entry: Entry): string {
  const { createdAt, status, method, path, query, durationMs, requestId, replayed } = entry
  const why = [entry.code, entry.reason].filter((word) => word !== null).join(' ')
  const color = status >= 400 ? 'red' : 'green'
  const what = withoutControls(`${method.padEnd(6)} ${path}${query === null ? '' : `?${query}`}`)
  const end = paint(
    terminal,
    'dim',
    `${durationMs} ms  ${requestId}${replayed ? '  replayed' : ''}`,
  )
  const middle = why === '' ? '' : `${paint(terminal, color, withoutControls(why))}  `
  return `${createdAt.slice(11, 23)}  ${paint(terminal, color, String(status))}  ${what}  ${middle}${end}`
}
