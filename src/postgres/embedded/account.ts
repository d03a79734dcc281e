import * as fs from 'node:fs'
import { holdsData } from './data-directory.js'
import type { ServerUser } from './reach.js'

/**
 * PostgreSQL refuses to run as root. Existing data keeps its owner, so that root and an ordinary
 * user may take turns; new data goes to an existing account, because Manilla creates no accounts.
 * Undefined: run as the account of this process.
 */
export function findServerAccount(dataDirectory: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = fs.statSync(dataDirectory, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0 && holdsData(dataDirectory))
    return { uid: owner.uid, gid: owner.gid }
  return getUnprivilegedAccount()
}

function getUnprivilegedAccount(): ServerUser {
  const lines = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    // Some systems write the id of nobody as -2, meaning the unsigned number.
    if (uid && gid && uid !== '0') return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and this machine has no account "postgres" or "nobody". ' +
      'Start Manilla as an ordinary user, or set DATABASE_URL.',
  )
}

/** The server does not inherit the environment: PG* variables and locales would change it. */
export function spawnOptions(account: ServerUser | undefined) {
  const ids = account ? { uid: account.uid | 0, gid: account.gid | 0 } : {}
  return { ...ids, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC' } }
}
