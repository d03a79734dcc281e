import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Manilla } from '../src/manilla.js'
import { type Run, setAction } from './action.js'
import { paint } from './show.js'
import type { World } from './world.js'

type Filters = NonNullable<Parameters<Manilla['requestLogs']['list']>[0]>
type Options = Pick<Filters, 'status' | 'method' | 'path'>
type Pages = ReturnType<Manilla['requestLogs']['list']>
type Entry = Awaited<ReturnType<Pages['page']>>['items'][number]

const lookEveryMs = 1_000
const shownFirst = 10
/** What came between two looks is read so far; of more, the newest. */
const readAtOnce = 1_000
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
  const stop = world.stop()
  const seen = new Set<string>()
  const tell = (entries: Entry[]) => {
    for (const entry of entries)
      world.print(isJson ? JSON.stringify(entry) : describeEntry(world, entry))
  }
  tell((await readNew(manilla, options, seen)).slice(-shownFirst))
  if (!isJson) world.note(paint(world, 'dim', 'Waiting for more; Ctrl-C ends it.'))
  while (!stop.aborted) {
    await sleep(lookEveryMs, undefined, { signal: stop }).catch(() => {})
    if (!stop.aborted) tell(await readNew(manilla, options, seen))
  }
}

/**
 * What was not seen before, oldest first. Entries are written in batches and may appear below
 * younger ones, so none is passed over for its place; only what this command asks is left out.
 */
async function readNew(manilla: Manilla, filters: Options, seen: Set<string>): Promise<Entry[]> {
  const isFirst = seen.size === 0
  const found: Entry[] = []
  let read = 0
  for await (const entry of manilla.requestLogs.list({ ...filters, limit: 100 })) {
    read += 1
    const isNew = !seen.has(entry.id)
    seen.add(entry.id)
    if (isNew && !entry.path.startsWith('/v1/request-logs')) found.push(entry)
    const isPageDone = read % 100 === 0
    if (isPageDone && (isFirst || !isNew || read >= readAtOnce)) break
  }
  for (const id of seen) {
    if (seen.size <= remembered) break
    seen.delete(id)
  }
  return found.reverse()
}

function describeEntry(world: World, entry: Entry): string {
  const { createdAt, status, method, path, query, durationMs, requestId, replayed } = entry
  const color = status >= 400 ? 'red' : 'green'
  const what = `${method.padEnd(6)} ${path}${query === null ? '' : `?${query}`}`
  const end = `${durationMs} ms  ${requestId}${replayed ? '  replayed' : ''}`
  return `${createdAt.slice(11, 23)}  ${paint(world, color, String(status))}  ${what}  ${paint(world, 'dim', end)}`
}
