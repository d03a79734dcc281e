import { join } from 'node:path'

/** How a server is addressed: over a socket alone, so the port is only part of a file's name. */
export const user = 'manilla'
export const database = 'manilla'
export const port = '5432'

/** With a host before the query, so that readers stricter than pg take it as a URL too. */
export function urlOf(socketDirectory: string, name = database): string {
  const host = encodeURIComponent(socketDirectory)
  return `postgres://${user}@localhost/${name}?host=${host}&port=${port}`
}

export function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${port}`)
}
