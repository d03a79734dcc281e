import { second } from '../base/clock.js'

export const timelineLimits = {
  itemsMax: 200,
  /** Newest of each; each event has deliveries of its own. */
  eventsMax: 50,
  deliveriesPerEventMax: 20,
  returnsMax: 20,
  paymentsMax: 20,
  attemptsMax: 20,
  /** What changed the amounts of an invoice, or the invoices that a schedule made. */
  stepsMax: 50,
  decisionsMax: 20,
  /** Shares of payments, and what refunds took back of them. */
  sharesMax: 200,
} as const

/** Rows that one item of `GET /v1/attention` counts. */
export const attentionLimits = { rowsCountedMax: 10_000 } as const

/** Hints to open consoles. */
export const hintLimits = {
  /** At most two a second per stream. */
  pollIntervalMs: second / 2,
  /** Polls take at most this part of the time, unless one takes longer than a second. */
  pollShareMax: 1 / 5,
  /** After a poll that waited long for the database, the next one comes this soon. */
  pollIntervalMaxMs: 5 * second,
  environmentsPerReadMax: 200,
  eventsRead: 20,
  requestsRead: 50,
  casesRead: 20,
  notesRead: 20,
} as const
