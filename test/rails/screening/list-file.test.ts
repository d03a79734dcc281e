import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hour } from '../../../src/base/clock.js'
import { createLogger } from '../../../src/base/log.js'
import { openListFile } from '../../../src/rails/screening/list-file.js'
import { parseList } from '../../../src/rails/screening/parse-list.js'
import { screeningLimits } from '../../../src/screening/limits.js'
import { manualClock } from '../../support/clock.js'

const wallet = '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK'
const header = (entries: number, more: object = {}) =>
  JSON.stringify({ source: 'Made-up', date: '2026-11-18', entries, ...more })
const fileOf = (...entries: object[]) =>
  [header(entries.length), ...entries.map((entry) => JSON.stringify(entry)), ''].join('\n')
const now = new Date('2026-11-18T09:00:00.000Z')
const parse = (text: string) => parseList(Buffer.from(text), now)

const ada = { id: 'S-1', program: 'SAMPLE', name: 'Ada Sanctioned', aliases: ['Sanctioned Co.'] }

async function openFile(text: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'screening-'))
  const file = path.join(folder, 'list.jsonl')
  writeFileSync(file, text)
  const log: string[] = []
  const clock = manualClock(now)
  const logger = createLogger('info', { write: (line) => log.push(line) })
  const list = await openListFile(file, { clock, logger })
  onTestFinished(() => {
    list.stop()
    rmSync(folder, { recursive: true })
  })
  const replace = (next: string) => {
    writeFileSync(`${file}.next`, next)
    renameSync(`${file}.next`, file)
  }
  return { file, list, log, replace, clock }
}

const name = (value: string) => ({ kind: 'name', value, mode: 'live' }) as const

describe('parsing a list', () => {
  test('wallets match exactly, names and aliases as they are normalised', async () => {
    const { list } = await openFile(fileOf(ada, { id: 'S-2', addresses: [wallet] }))
    const { version } = list.state()
    expect(version).toMatch(/^2026-11-18 [0-9a-f]{12}$/)
    const hit = { verdict: 'hit', list: 'Made-up', version }
    expect(list.match(name('SANCTIONED, Adá'))).toEqual({ ...hit, entry: 'S-1 (SAMPLE)' })
    expect(list.match(name('sanctioned co'))).toEqual({ ...hit, entry: 'S-1 (SAMPLE)' })
    expect(list.match({ kind: 'wallet', value: wallet, mode: 'live' })).toEqual({
      ...hit,
      entry: 'S-2',
    })
    const clear = { verdict: 'clear', list: 'Made-up', version }
    expect(list.match(name('Ada Sanctione'))).toEqual(clear)
    expect(list.match(name('???'))).toEqual(clear)
    expect(list.match({ kind: 'wallet', value: wallet.toLowerCase(), mode: 'live' })).toEqual(clear)
    // A wallet is no name, and a name is no wallet.
    expect(list.match(name(wallet))).toEqual(clear)
  })

  test.each([
    ['', /^line 1: it is not JSON$/],
    ['[]', /^line 1: it is not a JSON object$/],
    [header(0, { source: '' }), /`source`/],
    [header(0, { date: '2026-02-30' }), /`date`/],
    [header(0, { date: '2026-11-19' }), /`date`, 2026-11-19, is in the future/],
    [header(0, { date: '2062-11-18' }), /in the future/],
    [header(0, { entries: -1 }), /`entries`/],
    [header(2), /names 2 entries, and it has 0/],
    [`${header(1)}\n${JSON.stringify(ada)}\n${JSON.stringify(ada)}\n`, /names 1 entries.*has 2/],
    [`${header(1)}\n{"id":"S-1","name":`, /^line 2: it is not JSON$/],
    [fileOf({ name: 'No Id' }), /^line 2: `id`/],
    [fileOf({ id: 'S-1' }), /^line 2: an entry has/],
    [fileOf({ id: 'S-1', name: '...' }), /^line 2: a name has no letter/],
    [fileOf({ id: 'S-1', name: 7 }), /^line 2: `name`/],
    [fileOf({ id: 'S-1', program: [], name: 'Ada' }), /^line 2: `program`/],
    [fileOf({ id: 'S-1', aliases: ['Ada', null] }), /^line 2: `aliases`/],
    [fileOf({ id: 'S-1', addresses: ['not-an-address'] }), /is not a Solana address$/],
    [fileOf({ id: 'S-1', name: 'A'.repeat(screeningLimits.lineLengthMax) }), /too long$/],
    [header(screeningLimits.entriesMax + 1), /at most 500000 are read/],
  ])('refuses %j', async (text, problem) => {
    await expect(parse(text)).rejects.toThrow(problem)
  })

  test('refuses bytes that are not UTF-8, and more bytes than the limit', async () => {
    await expect(parseList(Buffer.from([0xff, 0xfe]), now)).rejects.toThrow('it is not UTF-8')
    const large = Buffer.alloc(screeningLimits.listBytesMax + 1)
    await expect(parseList(large, now)).rejects.toThrow('at most')
  })
})

describe('following the file', () => {
  test('a start with a missing or bad file fails and names the variable', async () => {
    const logger = createLogger('silent')
    await expect(
      openListFile('/nowhere/list.jsonl', { clock: manualClock(), logger }),
    ).rejects.toThrow('SCREENING_LIST: /nowhere/list.jsonl cannot be used: ENOENT')
    const { file, replace } = await openFile(fileOf(ada))
    replace('oops')
    await expect(openListFile(file, { clock: manualClock(), logger })).rejects.toThrow(
      'cannot be used: line 1',
    )
  })

  // It would count as new until an operator replaces it.
  test('a list of the future is refused until its day begins', async () => {
    const { list, log, replace, file, clock } = await openFile(fileOf(ada))
    const { version } = list.state()
    replace([header(1, { date: '2026-11-20' }), JSON.stringify(ada), ''].join('\n'))
    await list.refresh()
    await list.refresh()
    const problem = expect.stringContaining('`date`, 2026-11-20, is in the future')
    expect(list.state()).toMatchObject({ version, date: '2026-11-18', problem })
    expect(log.filter((line) => line.includes('the one before is still used'))).toHaveLength(1)
    const logger = createLogger('silent')
    await expect(openListFile(file, { clock, logger })).rejects.toThrow('is in the future')
    // In Kiritimati, it is the 20th.
    clock.advance(25 * hour)
    await list.refresh()
    expect(list.state()).toMatchObject({ date: '2026-11-20', problem: null })
  })

  test('a new file is read; a bad one leaves the last good list and raises an alarm', async () => {
    const { list, log, replace, file } = await openFile(fileOf(ada))
    const first = list.state().version
    expect(list.match(name('Bola Listed')).verdict).toBe('clear')

    replace(fileOf(ada, { id: 'S-9', name: 'Bola Listed' }))
    await list.refresh()
    expect(list.match(name('Bola Listed')).verdict).toBe('hit')
    const second = list.state().version
    expect(second).not.toBe(first)

    replace(fileOf(ada).slice(0, -10))
    await list.refresh()
    await list.refresh()
    expect(list.state()).toMatchObject({ version: second, problem: 'line 2: it is not JSON' })
    expect(list.match(name('Bola Listed')).verdict).toBe('hit')
    const alarms = () => log.filter((line) => line.includes('the one before is still used')).length
    expect(alarms()).toBe(1)

    rmSync(file)
    await list.refresh()
    expect(list.state()).toMatchObject({ version: second, problem: 'ENOENT' })
    expect(alarms()).toBe(2)

    replace(fileOf({ id: 'S-9', name: 'Bola Listed' }))
    await list.refresh()
    expect(list.state().problem).toBeNull()
    expect(list.match(name('Ada Sanctioned')).verdict).toBe('clear')
  })
})
