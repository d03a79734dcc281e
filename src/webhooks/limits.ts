import { strict as assert } from 'node:assert'
import { day, minute, second } from '../base/clock.js'
import { laneLimits } from '../postgres/limits.js'

export const webhookLimits = {
  endpointsPerEnvironmentMax: 10,
  urlLengthMax: 2_048,
  eventTypesMax: 50,
  secretOverlapMs: day,
  /** Rotated secrets that still sign; one more rotation is refused. */
  previousSecretsMax: 5,
  attemptTimeoutMs: 15 * second,
  /** Longer than an attempt and its record: otherwise another worker would send the delivery. */
  leaseMs: 30 * second,
  /** How much of a response is stored. */
  responseBytesMax: 4_096,
  /** The longest Retry-After that is honoured. */
  retryAfterMaxMs: day,
  /** Unsealed signing keys cached in memory. */
  signingKeysCachedMax: 10_000,
  attemptsShownMax: 50,
  /** Undelivered events counted per endpoint and state. */
  undeliveredCountedMax: 10_000,
  /** Retries are delayed by up to this fraction more, at random. */
  retryJitterFraction: 0.1,
  /** An endpoint that has failed for this long is disabled. */
  disableAfterMs: 5 * day,
  /** Deliveries in flight per process. */
  inFlightMax: 1_024,
  /** Deliveries in flight to endpoints whose last attempt did not succeed. */
  inFlightUnprovenMax: 512,
  /** Fraction of the free capacity that one endpoint may take. */
  endpointShareMax: 1 / 8,
  /** Endpoints remembered as proven. */
  provenEndpointsMax: 100_000,
  endpointsPerPollMax: 500,
  /** Finds retries that fall due, and new deliveries whose wake-up was lost. */
  pollIntervalMs: second,
  /** Between log lines about one endpoint whose attempts fail. */
  failureLogIntervalMs: minute,
  failureLogEndpointsMax: 10_000,
  /** Between notifications of a process to workers of others. */
  notifyIntervalMs: 3,
  /** Between polls while there is more to send; long enough to collect a batch. */
  busyPollIntervalMs: 5,
  /** Between records of attempts that have ended: recording one costs about as much as fifty. */
  recordIntervalMs: 20,
  /** This many attempts are recorded without waiting for the end of the interval. */
  attemptsPerRecordMin: 32,
  /** On shutdown: attempts that are still running after this are cut off and handed back. */
  shutdownMs: 4 * second,
  /** Kept connections are closed when unused for this long. */
  idleConnectionMs: 10 * second,
  idleCheckIntervalMs: second,
  /** An older connection is not used again: its hostname may have moved to another address. */
  connectionAgeMaxMs: minute,
  /** TLS sessions kept to be resumed, per mode. */
  tlsSessionsMax: 1_000,
  /** Parsed URLs of endpoints cached in memory, per mode. */
  destinationsCachedMax: 10_000,
  /** Status line and headers of a response, trailers and interim responses included. */
  responseHeadBytesMax: 16_384,
  chunkLineBytesMax: 1_024,
  recoveriesPerCallMax: 10_000,
  /** Events a page of deliveries scans for a filter; the cursor continues after them. */
  eventsScannedPerPageMax: 1_000,
  /** Open deliveries of an endpoint among which its list finds those without an attempt. */
  dueDeliveriesScannedMax: 1_000,
  /** Between writes of the hourly counts of a process. */
  countsIntervalMs: 5 * second,
  /** Hours of counts in memory, all endpoints together; counts beyond it are dropped. */
  hoursCountedMax: 20_000,
  hoursKept: 48,
  hoursShown: 24,
} as const

/** The longest time from the start of an attempt until it is recorded. */
export const attemptAndRecordMs =
  webhookLimits.attemptTimeoutMs +
  webhookLimits.recordIntervalMs +
  laneLimits.callWaitMaxMs +
  laneLimits.deadlineMs

// A lease outlives the attempt it covers, or two workers would send the same delivery.
assert(webhookLimits.leaseMs > attemptAndRecordMs)
assert(webhookLimits.inFlightUnprovenMax < webhookLimits.inFlightMax)
