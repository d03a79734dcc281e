import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fence, fencesOf, listPages, readPage } from '../support/doc-pages.js'
import { isLongRun } from '../support/long-run.js'
import {
  createHome,
  isRunning,
  type Program,
  readDemo,
  removeHome,
  startProgram,
} from '../support/program.js'
import { seededRandom } from '../support/seed.js'
import { until } from '../support/sessions.js'
import { openTerminal, type Place, type Ran, runBlocks } from './shell-session.js'

/**
 * Runs every code block of every page, in the order of the page, against one service. Pages run in
 * any order, because readers open them in any order. `npm test` runs what newcomers and integrators
 * read; `npm run test:long` runs the operator's and the reference pages, too.
 */

const blocksOf = (page: string) =>
  fencesOf(readPage(page)).filter(({ language }) => language === 'sh')
const pages = listPages().map((page) => ({ page, blocks: blocksOf(page) }))
const all = pages.flatMap(({ page, blocks }) => blocks.map((block) => ({ page, ...block })))
const isSkipped = ({ note }: Fence) => note.startsWith('not-run')
const isTurn = (page: string) => isLongRun || !/^docs\/(operating|reference)\//.test(page)
const read = seededRandom('pages').shuffle(
  pages.filter(({ page, blocks }) => isTurn(page) && blocks.some((block) => !isSkipped(block))),
)

/**
 * Looking for the command takes npx longer than running it, and dist/ was built for the run. The
 * first page is run to the letter.
 */
const first = 'docs/start.md'
const same = (block: Fence): Fence => block
const direct = (block: Fence): Fence => {
  return { ...block, text: block.text.replaceAll('npx manilla ', 'node bin/run-manilla.mjs ') }
}

const home = createHome()
let program: Program
beforeAll(async () => {
  program = await startProgram(home)
})
afterAll(async () => {
  if (isRunning(program.pid)) program.signal('SIGTERM')
  await program.ended
  await removeHome(home)
})

describe('every block', () => {
  test('runs, or states why not', () => {
    const others = pages.flatMap(({ page }) => fencesOf(readPage(page)))
    expect(others.filter(({ language }) => /^(bash|shell|console|zsh)$/.test(language))).toEqual([])
    const notes = /^(not-run: \S.*|background|refused|)$/
    expect(all.filter(({ note }) => !notes.test(note))).toEqual([])
    const skipped = all.filter(isSkipped)
    // These would disturb the tests that run concurrently.
    const installs = all.filter(
      (block) => !isSkipped(block) && /npm (ci|i|start|test)/.test(block.text),
    )
    expect(installs).toEqual([])
    // Pages wait while a status lasts: a loop until one of several is reached may never end.
    expect(all.filter(({ text }) => /^\s*until .*"status":/m.test(text))).toEqual([])
    for (const { page, line, note } of skipped) console.log(`${page}:${line} ${note}`)
    console.log(`${all.length - skipped.length} blocks run, ${skipped.length} do not`)
  })

  test.each(read)('of $page works', async ({ page, blocks }) => {
    const place = { baseUrl: readDemo(home).baseUrl, home, receiverPort: await freePort() }
    const toRun = blocks.filter((block) => !isSkipped(block)).map(page === first ? same : direct)
    const [terminal] = await openTerminals(toRun, place)
    try {
      const pasted = toRun.filter(({ note }) => note !== 'background')
      const before = await answeredSoFar()
      const ran = await runBlocks(pasted, place)
      const refusals = (await answeredSoFar()).slice(before.length).filter(isRefusal)
      expect(ran.map(complaintOf).filter(Boolean)).toEqual([])
      expect(ran).toHaveLength(pasted.length)
      // Including those whose answer was stored in a variable.
      const expected = ran.filter(({ note }) => note === 'refused').length
      expect(refusals.length > expected ? refusals : []).toEqual([])
      if (terminal) await until(() => terminal.said().includes('evt_'))
    } finally {
      await terminal?.close()
    }
  })
})

async function openTerminals(blocks: Fence[], place: Place) {
  const own = blocks.filter(({ note }) => note === 'background')
  return Promise.all(own.map((block) => openTerminal(block, place)))
}

function complaintOf({ line, note, code, out, err }: Ran): string | undefined {
  const isRefused = out.includes('{"status":false')
  if (code === 0 && isRefused === (note === 'refused')) return undefined
  return `line ${line}, exit code ${code}:\n${out}\n${err}`
}

type Answered = { msg: string; method: string; path: string; status: number }
const isRefusal = ({ status }: Answered) => status >= 400

/** Reads the service's log up to a marker request. Probes are not in it. */
async function answeredSoFar(): Promise<Answered[]> {
  const mark = `mark-${Date.now()}-${Math.random().toString(36).slice(2)}`
  await fetch(`${readDemo(home).baseUrl}/docs/demo-key`, { headers: { 'x-request-id': mark } })
  await until(() => program.text().includes(mark))
  const lines = program.text().split('\n').slice(0, -1)
  const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  return logged.filter(({ msg }) => msg === 'answered')
}

/** A free port for the block to listen on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
