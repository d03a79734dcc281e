import type { Grant, RateLimitPolicy, StreamPlace } from '../api/server/shared-limits.js'

/** A metric as prom-client serializes it. */
export type Metric = { name: string; type: string; values: object[] }

/** From an API process to its primary process. */
export type ToPrimary =
  | { kind: 'listening'; url: string }
  | { kind: 'failed'; message: string }
  | { kind: 'claim'; id: number; policy: RateLimitPolicy; name: string | number }
  | { kind: 'take stream'; id: number; place: StreamPlace }
  | { kind: 'release stream'; place: StreamPlace }
  | { kind: 'metrics'; metrics: Metric[] }

/** From the primary process to an API process. */
export type ToProcess =
  | { kind: 'answer'; id: number; answer: Grant | boolean }
  | { kind: 'read metrics' }
  | { kind: 'stop' }
