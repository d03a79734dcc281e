import type { Account } from './account.js'

/** One data directory and what is needed to serve it. */
export type Site = {
  account: Account | undefined
  dataDirectory: string
  socketDirectory: string
  logFile: string
  settings: Record<string, string>
}
