import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import type { Clock } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { Secret } from '../../src/base/secret.js'
import { openScreening } from '../../src/rails/screening/open-screening.js'
import type { Screening, ScreeningSubject } from '../../src/screening/ports.js'
import { whenDone } from './open-manilla.js'

type Entry = { id: string; name?: string; addresses?: string[] }

export const toDay = (time: Date) => time.toISOString().slice(0, 10)

const textOf = (now: Date, entries: Entry[]) =>
  [
    JSON.stringify({ source: 'Made-up', date: toDay(now), entries: entries.length }),
    ...entries.map((entry) => JSON.stringify(entry)),
    '',
  ].join('\n')

/** A list in a file. `replace` writes the next one, which the service then uses. */
export async function openList(clock: Clock, entries: Entry[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'screening-'))
  const file = path.join(folder, 'list.jsonl')
  writeFileSync(file, textOf(clock.now(), entries))
  const screening = (await openScreening(
    { listFile: file, provider: undefined },
    { clock, logger: createLogger('silent') },
  ))!
  whenDone(async () => screening.stop())
  return {
    screening,
    version: () => screening.state().list!.version,
    async replace(next: Entry[]) {
      writeFileSync(`${file}.next`, textOf(clock.now(), next))
      renameSync(`${file}.next`, file)
      await screening.refresh()
    },
  }
}

/** A provider behind HTTP that reports the subjects in `listed`, or nothing while it is silent. */
export async function openProvider(clock: Clock) {
  const provider = { isSilent: false, listed: [] as string[], asked: [] as string[] }
  const server = createServer(async (request, response) => {
    const { subjects } = (await json(request)) as { subjects: ScreeningSubject[] }
    provider.asked.push(...subjects.map(({ value }) => value))
    if (provider.isSilent) return response.destroy()
    response.end(
      JSON.stringify({
        list: 'Provider',
        version: '7',
        verdicts: subjects.map(({ value }) =>
          provider.listed.includes(value) ? { verdict: 'hit', entry: 'P-1' } : { verdict: 'clear' },
        ),
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const secret = new Secret('a-secret-of-thirty-two-characters')
  const screening: Screening = (await openScreening(
    { listFile: undefined, provider: { url, secret } },
    { clock, logger: createLogger('silent') },
  ))!
  whenDone(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { provider, screening }
}
