import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const lock = join(root, 'dist.lock')
const lookEveryMs = 50
/** A build takes seconds; whoever has held the lock for this long is not building. */
const patienceMs = 120_000

/**
 * Makes dist/ say what src/ says. Touches nothing when it does already, for the folder may be
 * read-only; and without sources or compiler, as in production, what was built is run as it is.
 */
export async function buildWhenNeeded() {
  const compiler = findCompiler()
  const isComplete = compiler !== undefined && fs.existsSync(join(root, 'src'))
  if (!isComplete && fs.existsSync(dist)) return
  if (!isComplete) throw new Error('Manilla is not built and cannot be: run "npm ci" first')

  const wanted = hashSources()
  if (isCurrent(wanted)) return
  await takeLock()
  try {
    // Whoever held the lock before us may have built exactly this.
    if (!isCurrent(wanted)) await build(compiler, wanted)
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

function findCompiler() {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    return join(manifest, '..', 'bin', 'tsc')
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** By content: times change with every checkout and copy. */
function hashSources() {
  const hash = createHash('sha256')
  const sources = ['src', 'web', 'sdk/src', 'sdk/cli'].flatMap(listFolder)
  const settings = [
    'tsconfig.json',
    'tsconfig.build.json',
    'sdk/tsconfig.cli.json',
    'package-lock.json',
    'bin/bundle.mjs',
  ]
  for (const path of [...settings, ...sources]) {
    const file = join(root, path)
    if (fs.statSync(file, { throwIfNoEntry: false })?.isFile()) {
      hash.update(`${path}\0`).update(fs.readFileSync(file)).update('\0')
    }
  }
  return hash.digest('hex')
}

function listFolder(folder) {
  const names = fs.readdirSync(join(root, folder), { recursive: true }).sort()
  return names.map((name) => join(folder, name))
}

function isCurrent(wanted) {
  const stamp = join(dist, '.built-from')
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted
}

/** One builds, the others wait: half of two builds at once would be work for nothing. */
async function takeLock() {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) {
        throw new Error(
          `Manilla must be built, and ${root} is not yours to write in: its owner must`,
        )
      }
      if (error.code !== 'EEXIST') throw error
    }
    if (waitedMs > patienceMs) fs.rmSync(lock, { force: true })
    else if (isHeld(lock)) await sleep(lookEveryMs)
    else removeDeadLock()
  }
}

/** Moved aside first: between looking and removing, another may have taken the lock anew. */
function removeDeadLock() {
  const aside = `${lock}.${process.pid}`
  if (!fs.existsSync(lock)) return
  fs.renameSync(lock, aside)
  if (isHeld(aside)) fs.renameSync(aside, lock)
  fs.rmSync(aside, { force: true })
}

function isHeld(file) {
  try {
    const holder = Number(fs.readFileSync(file, 'utf8'))
    // Empty: its maker is about to write its number.
    return holder === 0 || process.kill(holder, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Compiles beside dist/ and swaps it in whole: a process that starts meanwhile, or a build that
 * fails, never sees a mixture. Types are left to `npm run check`: a start only needs them gone.
 */
async function build(compiler, wanted) {
  const [fresh, old] = [`${dist}.building`, `${dist}.old`]
  const clean = () => {
    for (const left of [fresh, old]) fs.rmSync(left, { recursive: true, force: true })
  }
  clean()
  console.error('Building Manilla …')
  const compile = (project, outDir) => {
    const flags = ['-p', join(root, project), '--outDir', outDir, '--noEmit', 'false', '--noCheck']
    const options = { cwd: root, stdio: ['ignore', 2, 2] }
    return spawnSync(process.execPath, [compiler, ...flags], options).status === 0
  }
  const isBuilt =
    compile('tsconfig.build.json', fresh) &&
    compile('web', join(fresh, 'web')) &&
    compile('sdk/tsconfig.cli.json', join(fresh, 'sdk'))
  if (!isBuilt) {
    clean()
    throw new Error('Manilla could not be built; the compiler says why above')
  }
  const { bundle } = await import('./bundle.mjs')
  await bundle(fresh)
  fs.writeFileSync(join(fresh, '.built-from'), wanted)
  if (fs.existsSync(dist)) fs.renameSync(dist, old)
  fs.renameSync(fresh, dist)
  clean()
}

/** Complains in one line: a stack of ours says nothing about somebody's source or folder. */
export async function buildOrExit() {
  try {
    await buildWhenNeeded()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildOrExit()
