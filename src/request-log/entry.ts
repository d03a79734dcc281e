import type { EnvironmentId } from '../base/environment.js'

/** A request as it was, by reference: nothing is copied, cut or masked while somebody waits. */
export type RawEntry = {
  environmentId: EnvironmentId
  requestId: string
  keyName: string
  method: string
  /** Path and query as they came. */
  url: string
  status: number
  durationMs: number
  isReplayed: boolean
  /** Empty: there was none, or it is not kept. */
  requestBody: string
  responseBody: string
  answeredAt: Date
}

/** What can be read of one in a list. */
export type RequestLogEntry = {
  /** Has the time in it. */
  id: string
  requestId: string
  keyName: string
  method: string
  path: string
  query: string | null
  status: number
  durationUs: number
  isReplayed: boolean
}

export type EntryWithBodies = RequestLogEntry & {
  requestBody: string | null
  isRequestCut: boolean
  responseBody: string | null
  isResponseCut: boolean
}
