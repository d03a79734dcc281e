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
/** Images of the live service are built without them. */
const emulators = fs.existsSync(join(root, 'emulators')) ? ['emulators'] : []
const pollIntervalMs = 50
/** A build takes seconds; an older lock is stale. */
const lockMaxMs = 120_000

/**
 * Builds dist/ from src/ if it is out of date. Writes nothing otherwise, because the folder may be
 * read-only. Without sources or compiler, as in production, dist/ is used as it is.
 */
export async function buildWhenNeeded() {
  const compiler = findCompiler()
  const isComplete = compiler !== undefined && fs.existsSync(join(root, 'src'))
  if (!isComplete && fs.existsSync(dist)) return
  if (!isComplete) throw new Error('Manilla is not built. Run "npm ci" first')

  const wanted = hashSources()
  if (isCurrent(wanted)) return
  await takeLock()
  try {
    // The previous holder of the lock may have built exactly this.
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

/** By content: file times change with every checkout and copy. */
function hashSources() {
  const hash = createHash('sha256')
  const sources = ['src', ...emulators, 'web', 'console', 'sdk/src', 'sdk/cli'].flatMap(listFolder)
  const settings = [
    'tsconfig.json',
    'tsconfig.build.json',
    'sdk/tsconfig.cli.json',
    'package-lock.json',
    // Packages are bundled into the build: compare those installed, not those in the lock file.
    'node_modules/.package-lock.json',
    'bin/bundle.mjs',
    'bin/build-console.mjs',
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

/** One process builds, the others wait. */
async function takeLock() {
  for (let waitedMs = 0; ; waitedMs += pollIntervalMs) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) {
        throw new Error(
          `Manilla must be built, but you cannot write to ${root}. Its owner must build it`,
        )
      }
      if (error.code !== 'EEXIST') throw error
    }
    if (waitedMs > lockMaxMs) fs.rmSync(lock, { force: true })
    else if (isHeld(lock)) await sleep(pollIntervalMs)
    else removeDeadLock()
  }
}

/** Moves the lock aside first: another process may take it between check and removal. */
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
    // Empty: its owner is about to write its process id.
    return holder === 0 || process.kill(holder, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Compiles beside dist/ and swaps the folders, so that no process ever sees a partial build. Types
 * are stripped here and checked by `npm test`.
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
    emulators.every((folder) => compile(folder, join(fresh, folder))) &&
    compile('web', join(fresh, 'web')) &&
    compile('sdk/tsconfig.cli.json', join(fresh, 'sdk'))
  if (!isBuilt) {
    clean()
    throw new Error('Building Manilla failed; see the compiler output above')
  }
  try {
    const { bundle } = await import('./bundle.mjs')
    await bundle(fresh)
    const { buildConsole } = await import('./build-console.mjs')
    await buildConsole(join(fresh, 'console'))
  } catch (error) {
    clean()
    const advice = error.code === 'ERR_MODULE_NOT_FOUND' ? '; run "npm ci" first' : ''
    throw new Error(`Building Manilla failed: ${error.message}${advice}`)
  }
  const fonts = 'api/documents/fonts'
  fs.cpSync(join(root, 'src', fonts), join(fresh, fonts), { recursive: true })
  // As they are: merchants pin the hash of each version.
  fs.cpSync(join(root, 'web/inline'), join(fresh, 'web/inline'), { recursive: true })
  fs.writeFileSync(join(fresh, '.built-from'), wanted)
  if (fs.existsSync(dist)) fs.renameSync(dist, old)
  fs.renameSync(fresh, dist)
  clean()
}

/** Reports a failed build in one line; a stack trace would not help. */
export async function buildOrExit() {
  try {
    await buildWhenNeeded()
  } catch (error) {
    console.error(error.message)
    process.exit(1)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildOrExit()
