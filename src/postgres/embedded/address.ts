import { join } from 'node:path'

/**
 * The server listens on a Unix socket only, so the port is only part of the socket's file name.
 */
export const user = 'manilla'
export const database = 'manilla'
export const port = '5432'

/** Has a host before the query, so that URL parsers stricter than pg accept it. */
export function urlOf(socketDirectory: string, name = database): string {
  const host = encodeURIComponent(socketDirectory)
  return `postgres://${user}@localhost/${name}?host=${host}&port=${port}`
}

export function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${port}`)
}
