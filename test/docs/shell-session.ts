import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Fence, root } from '../support/doc-pages.js'
import { until } from '../support/sessions.js'

/** What a page needs: a running service and a free port for a receiver. */
export type Place = { baseUrl: string; home: string; receiverPort: number }
export type Ran = Fence & { code: number; out: string; err: string }

const longestPageMs = 50_000

/** The block with URL, path of demo.json and the receiver's port replaced. */
function placed(text: string, { baseUrl, home, receiverPort }: Place): string {
  return text
    .replaceAll('http://127.0.0.1:8080', baseUrl)
    .replaceAll(/(\.\/)?\.manilla\/demo\.json/g, path.join(home, 'demo.json'))
    .replaceAll('9999', `${receiverPort}`)
}

/** Runs the blocks one after the other in one shell, as if pasted. Stops at the first failure. */
export async function runBlocks(blocks: Fence[], place: Place): Promise<Ran[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'manilla-page-'))
  const file = (index: number, what: string) => path.join(folder, `${index}.${what}`)
  const pieces = blocks.map(
    ({ text }, index) =>
      `exec >'${file(index, 'out')}' 2>'${file(index, 'err')}'\n${placed(text, place)}\n` +
      `echo 0 >'${file(index, 'code')}'\n`,
  )
  const script = path.join(folder, 'page.sh')
  writeFileSync(script, `set -e\n${pieces.join('')}`)
  const code = await runScript(script, place)
  const read = (name: string) => {
    try {
      return readFileSync(name, 'utf8')
    } catch {
      return undefined
    }
  }
  const ran = blocks.flatMap((block, index) => {
    const out = read(file(index, 'out'))
    if (out === undefined) return []
    const isDone = read(file(index, 'code')) !== undefined
    return [{ ...block, code: isDone ? 0 : code || 1, out, err: read(file(index, 'err')) ?? '' }]
  })
  rmSync(folder, { recursive: true, force: true })
  return ran
}

/** Times out a hanging block, names it and ends its processes. */
async function runScript(script: string, place: Place): Promise<number> {
  const child = spawn('sh', [script], {
    cwd: root,
    env: environmentOf(place),
    detached: true,
    stdio: 'ignore',
  })
  const limit = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), longestPageMs)
  return new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (ended) => {
      clearTimeout(limit)
      resolve(ended ?? 1)
    })
  })
}

/** A background block, once it listens. */
export async function openTerminal(block: Fence, place: Place) {
  const child = spawn('sh', ['-c', placed(block.text, place)], {
    cwd: root,
    env: environmentOf(place),
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  // It accepts connections on the port or prints that it listens.
  await until(async () => said.includes('Listening') || (await canConnect(place.receiverPort)))
  return { said: () => said, close: () => endGroup(child) }
}

function environmentOf({ home }: Place): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  const own = { MANILLA_HOME: home, XDG_CONFIG_HOME: path.join(home, 'config') }
  return { PATH, HOME, TMPDIR, ...own }
}

async function endGroup(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.on('close', resolve))
  // The shell and its children, in their own process group.
  process.kill(-child.pid!, 'SIGKILL')
  await ended
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const say = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => say(true)).on('error', () => say(false))
  })
}
