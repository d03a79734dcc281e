import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['migrations', 'migrations/simulation']
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()

/**
 * The newest commit without the newest migrations, if it may run beside this version: it knows every
 * migration up to the newest that older processes do not tolerate, or that another one says they
 * must know. Otherwise the oldest commit that may.
 */
export function findPrevious() {
  const files = folders
    .flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((file) => /\/\d{4}_[a-z_]+\.sql$/.test(file))
  const neededOf = (file) =>
    /^-- Processes that know (\d{4}) may run beside/m.exec(readMigration(file))?.[1] ??
    numberOf(file)
  const needed = files.map(neededOf).sort().at(-1)
  const known = files.filter((file) => numberOf(file) <= needed)
  let tolerated = 'HEAD'
  for (const commit of git('rev-list', '--first-parent', 'HEAD').split('\n')) {
    const there = new Set(git('ls-tree', '-r', '--name-only', commit, 'migrations').split('\n'))
    if (!known.every((file) => there.has(file))) break
    tolerated = commit
    if (!files.every((file) => there.has(file))) break
  }
  return tolerated
}

function numberOf(file) {
  return path.basename(file).slice(0, 4)
}

/** Builds a version in a folder of the site, with the packages of this one. */
export async function buildVersion(site, ref) {
  const folder = path.join(site.folder, 'previous')
  mkdirSync(folder)
  const archive = path.join(site.folder, 'previous.tar')
  git('archive', '--output', archive, ref)
  await site.mustRun(['tar', '-xf', archive, '-C', folder])
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await site.mustRun(['npm', 'run', 'build'], { cwd: folder })
  return { folder, commit: git('log', '-1', '--format=%h %s', ref) }
}

function readMigration(file) {
  return readFileSync(path.join(root, file), 'utf8')
}
