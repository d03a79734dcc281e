import type { EnvironmentId } from '../../src/base/environment.js'
import { newId } from '../../src/base/ids.js'
import { toJson } from '../../src/base/json-text.js'
import { emitAll, type NewEvent } from '../../src/events/emit.js'
import type { ClaimedDelivery } from '../../src/events/new-deliveries.js'
import type { Database } from '../../src/postgres/database.js'
import type { Queryable } from '../../src/postgres/transactions/tx.js'
import { claimDeliveries } from '../../src/webhooks/deliveries/claim-deliveries.js'
import {
  type FinishedAttempt,
  judgeDeliveryAttempt,
} from '../../src/webhooks/deliveries/judge-attempt.js'
import { recordAttempts } from '../../src/webhooks/deliveries/record-attempts.js'
import { now } from './movements.js'

/** An event about a new resource. */
export function newEventOf(environmentId: EnvironmentId, change: Partial<NewEvent> = {}): NewEvent {
  return {
    environmentId,
    type: 'payment.held',
    resourceId: newId(now),
    causeId: newId(now),
    sequence: 1,
    data: toJson({}),
    ...change,
  }
}

export function emit(db: Database, at: Date, newEvents: NewEvent[]): Promise<string[]> {
  return db.transaction(async (tx) => emitAll(tx, at, newEvents))
}

type Endpoint = { environmentId: EnvironmentId; id: string }

/** Claims all due deliveries of an endpoint, as a worker does. */
export function claimFor(db: Queryable, at: Date, endpoint: Endpoint): Promise<ClaimedDelivery[]> {
  const { environmentId, id: endpointId } = endpoint
  return claimDeliveries(db, at, [{ environmentId, endpointId, capacity: 1_000 }])
}

/** The verdict on an attempt; no status means no answer. */
export function endedOf(
  delivery: ClaimedDelivery,
  { at, status, chance = 0 }: { at: Date; status: number | null; chance?: number },
): FinishedAttempt {
  const error = status === null ? 'no response' : null
  const result = { status, error, response: `said ${status}`, durationMs: 12 }
  const verdict = judgeDeliveryAttempt(result, delivery, { now: at, chance })
  return { delivery, startedAt: at, result, verdict }
}

export function record(db: Database, at: Date, ended: FinishedAttempt[]) {
  return db.transaction((tx) => recordAttempts(tx, at, ended))
}

/** One delivery round for an endpoint whose receiver answers with this status. */
export async function answerAll(
  db: Database,
  at: Date,
  { endpoint, status }: { endpoint: Endpoint; status: number | null },
) {
  const claimed = await claimFor(db, at, endpoint)
  return record(
    db,
    at,
    claimed.map((delivery) => endedOf(delivery, { at, status })),
  )
}
