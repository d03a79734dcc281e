import type { ServerUser } from './reach.js'

/** One data directory and what is needed to serve it. */
export type ServerSite = {
  account: ServerUser | undefined
  dataDirectory: string
  socketDirectory: string
  logFile: string
  settings: Record<string, string>
}
