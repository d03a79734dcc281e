import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { ConnectionError, type Manilla } from '../src/manilla.js'
import { type Run, setAction } from './action.js'
import { paint, withoutControls } from './show.js'
import type { World } from './world.js'

type Filters = NonNullable<Parameters<Manilla['requestLogs']['list']>[0]>
type Options = Pick<Filters, 'status' | 'method' | 'path'>
type Pages = ReturnType<Manilla['requestLogs']['list']>
type Entry = Awaited<ReturnType<Pages['page']>>['items'][number]

const lookEveryMs = 1_000
const shownFirst = 10
/** Entries are written in batches, and may appear after younger ones. */
const lookBackMs = 10_000
/** Of what came between two looks no more is read than this, and of a month not all of it. */
const [pageSize, pagesAtOnce] = [100, 10]
const remembered = 5_000

export function registerLogs(program: Command, world: World): void {
  const logs = program.command('logs').description('what your servers ask, as it happens')
  const tail = logs
    .command('tail')
    .description('follow the requests that come with your key, until Ctrl-C')
    .option('--status <status>', 'one, such as 422, or a class, such as 4xx')
    .option('--method <method>', 'such as POST')
    .option('--path <path>', 'what the path begins with')
  setAction<Options>(tail, world, followLogs)
}

async function followLogs({ world, manilla, options, isJson }: Run<Options>): Promise<undefined> {
  const signal = world.stop()
  const tell = (entries: Entry[]) => {
    for (const entry of entries)
      world.print(isJson ? JSON.stringify(entry) : describeEntry(world, entry))
  }
  try {
    const log = new SeenLog(manilla, options, signal)
    tell((await log.readLatest()).slice(-shownFirst))
    if (!isJson) world.note(paint(world, 'dim', 'Waiting for more; Ctrl-C ends it.'))
    for (;;) {
      await sleep(lookEveryMs, undefined, { signal })
      tell(await log.readNew().catch(goOn(world)))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** A service that is being restarted comes back. */
function goOn(world: World): (error: unknown) => Entry[] {
  return (error) => {
    if (!(error instanceof ConnectionError)) throw error
    world.note(`${error.message} Trying on.`)
    return []
  }
}

/** What has been seen of a log, and so what is new in it. Oldest first, without our own looks. */
class SeenLog {
  readonly #list: (query: Filters) => Pages
  readonly #filters: Options
  readonly #seen = new Set<string>()
  /** By the time of the service. */
  #newestMs = 0

  constructor(manilla: Manilla, filters: Options, signal: AbortSignal) {
    this.#list = (query) => manilla.requestLogs.list(query, { signal })
    this.#filters = filters
  }

  async readLatest(): Promise<Entry[]> {
    const { items } = await this.#list({ limit: 1 }).page()
    if (items[0]) this.#newestMs = Date.parse(items[0].createdAt)
    const latest = await this.#list({ ...this.#filters, limit: pageSize }).page()
    return this.#take(latest.items)
  }

  /** None is passed over for its place; only what is too much for one look. */
  async readNew(): Promise<Entry[]> {
    const from = new Date(this.#newestMs - lookBackMs).toISOString()
    const found: Entry[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < pagesAtOnce; pages += 1) {
      const query = { ...this.#filters, from, cursor, limit: pageSize }
      const { items, nextCursor } = await this.#list(query).page()
      found.push(...items)
      if (nextCursor === null) break
      cursor = nextCursor
    }
    return this.#take(found)
  }

  #take(entries: Entry[]): Entry[] {
    const fresh = entries.filter(({ id }) => !this.#seen.has(id))
    for (const { id, createdAt } of fresh) {
      this.#seen.add(id)
      this.#newestMs = Math.max(this.#newestMs, Date.parse(createdAt))
    }
    for (const id of this.#seen) {
      if (this.#seen.size <= remembered) break
      this.#seen.delete(id)
    }
    return fresh.filter(({ path }) => !path.startsWith('/v1/request-logs')).reverse()
  }
}

function describeEntry(world: World, entry: Entry): string {
  const { createdAt, status, method, path, query, durationMs, requestId, replayed } = entry
  const color = status >= 400 ? 'red' : 'green'
  const what = withoutControls(`${method.padEnd(6)} ${path}${query === null ? '' : `?${query}`}`)
  const end = paint(world, 'dim', `${durationMs} ms  ${requestId}${replayed ? '  replayed' : ''}`)
  return `${createdAt.slice(11, 23)}  ${paint(world, color, String(status))}  ${what}  ${end}`
}
