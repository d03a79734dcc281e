import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const secretLength = 32

/**
 * Made once, whole or not at all: two first starts agree on one, and a crash leaves none. Where
 * there is a database already, another would only hide that the one it belongs to is gone.
 */
export function keptSecret(home: string): string {
  const file = path.join(home, 'secret')
  if (!existsSync(file) && existsSync(path.join(home, 'data')))
    throw new Error(`${file} is gone: restore it, or no API key in this database will work.`)
  if (!existsSync(file)) {
    mkdirSync(home, { recursive: true })
    const fresh = `${file}.${process.pid}`
    writeFileSync(fresh, randomBytes(32).toString('hex'), { mode: 0o600, flush: true })
    try {
      linkSync(fresh, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(fresh)
    }
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < secretLength)
    throw new Error(`${file} is damaged: restore it, or no API key in this database will work.`)
  return secret
}
