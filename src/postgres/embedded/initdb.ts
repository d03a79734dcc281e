import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { text } from 'node:stream/consumers'
import { spawnOptions } from './account.js'
import { user } from './address.js'
import { findBinaries } from './binaries.js'
import { createWhole } from './create-whole.js'
import { holdsData } from './data-directory.js'
import type { ServerUser } from './reach.js'

/** Creates the data directory if it is missing or empty; refuses one of another account. */
export async function initialize(dataDirectory: string, account?: ServerUser): Promise<void> {
  if (isOursToFill(dataDirectory)) {
    const { initdb } = await findBinaries(account)
    await createWhole(dataDirectory, async (temporary) => {
      if (account) fs.chownSync(temporary, account.uid, account.gid)
      await runInitdb(initdb, temporary, account)
    })
  }
  const { uid: owner } = fs.statSync(dataDirectory)
  const server = account?.uid ?? process.getuid?.()
  if (holdsData(dataDirectory) && owner === server) return
  throw new Error(
    `${dataDirectory} is not empty, belongs to the account ${owner}, and holds no PostgreSQL data ` +
      `of the account ${server}. Start Manilla as the account that created it, or choose another folder.`,
  )
}

/** Data of another account looks like none, because this process cannot read its directory. */
function isOursToFill(dataDirectory: string): boolean {
  const found = fs.statSync(dataDirectory, { throwIfNoEntry: false })
  const isOurs = !found || [0, found.uid].includes(process.getuid?.() ?? 0)
  return isOurs && !holdsData(dataDirectory)
}

async function runInitdb(initdb: string, directory: string, account?: ServerUser): Promise<void> {
  const access = ['--auth-local=trust', '--auth-host=reject', `--username=${user}`]
  const format = ['--encoding=UTF8', '--locale=C', '--data-checksums', '--no-instructions']
  const child = spawn(initdb, ['-D', directory, ...access, ...format], {
    ...spawnOptions(account),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [[code], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(`PostgreSQL could not create its data directory: ${complaint}`)
}
