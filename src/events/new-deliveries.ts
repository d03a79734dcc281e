import type { EnvironmentId, Mode } from '../base/environment.js'
import type { JsonText } from '../base/json-text.js'
import type { Tx } from '../postgres/transactions/tx.js'
import type { EventType } from './catalogue.js'

/** A delivery that this process owns until its lease ends, with everything an attempt needs. */
export type ClaimedDelivery = {
  environmentId: EnvironmentId
  eventId: string
  endpointId: string
  /** Counts every attempt of the delivery (column `attempts`); identifies this one in records. */
  attemptNumber: number
  /** Attempts of the current retry schedule (column `tries`); a redelivery starts a new one. */
  attemptsInSchedule: number
  mode: Mode
  type: EventType
  sequence: number
  data: JsonText
  eventCreatedAt: Date
  url: string
  isEnabled: boolean
  sealedSecret: string
  sealedPreviousSecrets: string
  sealedSigningKey: string
}

/** The worker of this process, which sends what the process has just committed from memory. */
export type Courier = {
  /** Undefined: the worker takes none now. */
  lease(): DeliveryLease | undefined
  /** Called after the commit. */
  send(deliveries: ClaimedDelivery[], lease: DeliveryLease): void
}

/** `fullEndpoints`: those that have no free capacity; their deliveries are not leased. */
export type DeliveryLease = { until: Date; fullEndpoints: string[] }

const couriers = new Map<string, Courier>()

/** Has the transactions of this process on a database lease their deliveries to the courier. */
export function setCourier(databaseName: string, courier: Courier): () => void {
  couriers.set(databaseName, courier)
  return () => {
    if (couriers.get(databaseName) === courier) couriers.delete(databaseName)
  }
}

export function findCourier(tx: Tx): Courier | undefined {
  return couriers.size > 0 ? couriers.get(tx.databaseName) : undefined
}

const listeners = new Set<() => void>()

/** Calls back after commits of this process that made deliveries due. Returns `unsubscribe`. */
export function onNewDeliveries(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/**
 * Wakes the workers once this transaction has committed. A wake-up is a hint that saves the wait
 * for the next poll; the table decides. So it may also reach workers of another database.
 */
export function wakeAfterCommit(tx: Tx): void {
  tx.afterCommit(wakeListeners)
}

function wakeListeners(): void {
  for (const listener of listeners) listener()
}
