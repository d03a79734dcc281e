import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { isRunning } from '../drills/processes.mjs'
import { waitUntil } from '../drills/wait-until.mjs'

/** The versions that Debian and its derivatives ship and that compile queries by default. */
const versions = [15, 16, 17]
const installMs = 300_000
const startMs = 60_000

/** The folder of Debian's server programs, oldest version first; installed where that is possible. */
export function findStockBinaries() {
  const found = findInstalled() ?? (canInstall() ? install() : undefined)
  if (found) return found
  throw new Error(
    `No PostgreSQL ${versions[0]} to ${versions.at(-1)} found in /usr/lib/postgresql. On Debian, install it with:\n` +
      '  sudo apt-get install --no-install-recommends postgresql',
  )
}

function findInstalled() {
  return versions
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
    .find((folder) => existsSync(path.join(folder, 'postgres')))
}

function canInstall() {
  const release = '/etc/os-release'
  const isDebian = existsSync(release) && /^ID=debian$/m.test(readFileSync(release, 'utf8'))
  return isDebian && process.getuid() === 0
}

function install() {
  console.log('Installing the Debian package postgresql …')
  const command = 'apt-get update && apt-get install -y --no-install-recommends postgresql'
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    env,
    timeout: installMs,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr.trim().split('\n').slice(-3).join('\n'))
  return findInstalled()
}

/**
 * Starts a server with the settings that initdb writes. Only its addresses, its data and what
 * `settings` names differ from those of a fresh installation. Ends with the site.
 */
export async function startStockServer(site, settings = {}) {
  const binaries = findStockBinaries()
  const folder = site.makeFolder('stock-postgres')
  const data = path.join(folder, 'data')
  const initialize = [path.join(binaries, 'initdb'), '-D', data, '-U', 'manilla', '-A', 'trust']
  await site.mustRun([...initialize, '--locale=C.UTF-8'], { asServer: true })
  const port = await site.takePort()
  const server = [path.join(binaries, 'postgres'), '-D', data, '-p', `${port}`, '-k', folder]
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const started = site.start('stock-postgres', [...server, ...flags], {
    cwd: data,
    asServer: true,
  })
  const url = `postgres://manilla@127.0.0.1:${port}/postgres`
  await waitUntil('PostgreSQL answers', startMs, () => {
    if (!isRunning(started.pid)) throw new Error(started.readLog())
    return query(url, 'select 1')
  })
  const [{ version, jit }] = await query(
    url,
    `select current_setting('server_version') as version, current_setting('jit') as jit`,
  )
  return { url, version, jit, pid: started.pid }
}

async function query(url, text) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
