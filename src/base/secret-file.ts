import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const secretLengthMin = 32
/** In the home folder; the former secret, while it is replaced, is in `secret.old`. */
export const secretFileName = 'secret'

/**
 * Reads the secret of this installation, or creates it at the first start. Creation is atomic: two
 * concurrent first starts share one secret, and a crash leaves none. Beside an existing database a
 * missing secret is an error, because a new one would not open what the old one sealed.
 */
export function loadOrCreateSecret(home: string): string {
  const file = path.join(home, secretFileName)
  if (!existsSync(file) && existsSync(path.join(home, 'data')))
    throw new Error(`${file} is missing. Restore it: without it no API key works.`)
  if (!existsSync(file)) {
    const fresh = `${file}.${process.pid}`
    try {
      mkdirSync(home, { recursive: true })
      writeFileSync(fresh, randomBytes(32).toString('hex'), { mode: 0o600, flush: true })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new Error(
        `${home} cannot be written (${code}). Set MANILLA_HOME to a folder of your own.`,
      )
    }
    try {
      linkSync(fresh, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(fresh)
    }
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < secretLengthMin)
    throw new Error(`${file} is damaged. Restore it: without it no API key works.`)
  return secret
}

/** The former secret of an embedded service, kept beside the new one while it is rotated. */
export function loadOldSecret(home: string): string | undefined {
  const file = path.join(home, `${secretFileName}.old`)
  if (!existsSync(file)) return undefined
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= secretLengthMin) return secret
  throw new Error(`${file} is damaged. Restore it: some API keys may need it.`)
}
