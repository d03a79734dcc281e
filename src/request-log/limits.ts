import { second } from '../base/clock.js'

export const requestLogLimits = {
  entriesDeletedPerBatchMax: 2_000,
  /** Characters kept of each body. */
  bodyLengthMax: 4_096,
  /** How long a finished request waits to be written with others. */
  flushDelayMs: second / 4,
  /** Small, because masking a batch blocks the event loop for milliseconds. */
  entriesPerBatchMax: 256,
  /** Entries in memory, and characters of their bodies; beyond either, entries are dropped. */
  entriesWaitingMax: 10_000,
  waitingLengthMax: 16 * 1024 * 1024,
  /** Entries a page scans for a filter; the cursor continues after them. */
  entriesScannedPerPageMax: 10_000,
  /** The same among the requests that name a resource, each of which is read by its own key. */
  namesScannedPerPageMax: 2_000,
  /** Resources by which one entry can be found. */
  resourcesPerEntryMax: 10,
} as const
