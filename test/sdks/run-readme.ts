import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type Fence, fencesOf, readPage, root } from '../support/doc-pages.js'
import type { Sdk } from './drivers.js'

const readmeMaxMs = 180_000

/** A block of a README: a command, or a part of a file. */
type Block = Fence & { file: string | undefined }

/** The blocks that run, and what is wrong with the others. */
export function readBlocks(folder: string) {
  const page = `${folder}/README.md`
  const lines = readPage(page).split('\n')
  const fences = fencesOf(readPage(page))
  const where = ({ line, note }: Fence) => `${page}:${line} ${note}`.trim()
  const isRun = ({ note }: Fence) => !note.startsWith('not-run: ')
  const blocks: Block[] = []
  const weird: string[] = []
  const files = new Map<string, string>()
  for (const fence of fences.filter(isRun)) {
    const { language, line } = fence
    const before = lines.slice(0, line - 1).findLast((text) => text.trim() !== '') ?? ''
    const named = /`([\w./-]+)`:$/.exec(before)?.[1]
    if (named !== undefined) files.set(language, named)
    const file = language === 'sh' ? undefined : files.get(language)
    if (language !== 'sh' && file === undefined) weird.push(where(fence))
    else blocks.push({ ...fence, file })
  }
  const lastCommand = blocks.findLastIndex(({ language }) => language === 'sh')
  return {
    blocks,
    weird,
    notRun: fences.filter((fence) => !isRun(fence)).map(where),
    neverRun: blocks.slice(lastCommand + 1).map(where),
  }
}

/** Pastes a README into an empty folder in which `manilla` is this repository. */
export async function runReadme({ folder }: Sdk, variables: Record<string, string>) {
  const place = mkdtempSync(path.join(tmpdir(), 'manilla-readme-'))
  symlinkSync(root, path.join(place, 'manilla'))
  // What `npm install` of the package leaves; the build that it needs is tested in test/sdk.
  mkdirSync(path.join(place, 'node_modules'))
  symlinkSync(root, path.join(place, 'node_modules/manilla'))
  const script = readBlocks(folder).blocks.map(({ file, text }) =>
    file === undefined
      ? text
      : `mkdir -p "$(dirname '${file}')"\ncat >> '${file}' <<'END OF THE BLOCK'\n${text}END OF THE BLOCK\n`,
  )
  const child = spawn('sh', ['-e', '-c', script.join('\n')], {
    cwd: place,
    env: { ...process.env, ...variables },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), readmeMaxMs)
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('')
  const code = await closed
  clearTimeout(timer)
  rmSync(place, { recursive: true, force: true })
  return { code, output }
}
