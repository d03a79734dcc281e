import { limits } from '../../base/limits.js'
import { postgresLimits } from '../limits.js'

const { poolSize, quickPoolSize, changePoolSize } = postgresLimits

/**
 * The most connections that a process keeps open, by application name, when every pool and lane is
 * in use. While rows are contended, a lane opens up to `laneLimits.sideLanesMax` more.
 */
export const connectionCounts = {
  api: {
    // Reads, and the rails' own.
    manilla: 2 * poolSize,
    'manilla quick': quickPoolSize,
    'manilla changes': changePoolSize,
    'manilla operators': limits.operator.poolSize,
    // Seven lanes for each mode.
    'manilla lane': 14,
    'manilla streams': 1,
    'manilla request log': 1,
  },
  worker: {
    manilla: poolSize,
    'manilla claims': 1,
    // Judging and storing notices, and ending payouts.
    'manilla payments': 3,
    'manilla deliveries': 1,
    'manilla wake-ups': 1,
  },
}

export const apiConnections = sum(connectionCounts.api)
export const workerConnections = sum(connectionCounts.worker)

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}
