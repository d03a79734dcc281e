import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['migrations', 'migrations/simulation']
const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()

/**
 * The oldest commit that may run beside this version: the one that added the newest migration that
 * older processes do not tolerate.
 */
export function findOldestTolerated() {
  const strict = folders
    .flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((file) => /\/\d{4}_[a-z_]+\.sql$/.test(file))
    .filter((file) => !/^-- Processes that know \d{4} may run beside/m.test(readMigration(file)))
    .sort((a, b) => path.basename(a).localeCompare(path.basename(b)))
  return git('log', '--diff-filter=A', '--format=%H', '-1', '--', strict.at(-1))
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
