import { strict as assert } from 'node:assert'
import { day, hour, minute, second } from '../base/clock.js'

export const mailLimits = {
  /** Mails claimed by one run of the job. */
  perBatchMax: 20,
  /** Mails that a worker sends at a time, each over a connection of its own. */
  parallelMax: 4,
  connectMs: 10 * second,
  /** Between two answers of the relay. */
  answerMs: 20 * second,
  /** From the connection to the last answer. */
  sendMs: minute,
  /** Delays after the first, second, … attempt; then the mail has failed. */
  retryDelaysMs: [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, day],
  /** Mails of an environment in a day (UTC). Mails beyond it wait for the next day. */
  perDayMax: 5_000,
  /** Old mails and the counts of old days are deleted after this. */
  retentionMs: 90 * day,
  deletedPerBatchMax: 500,
  errorLengthMax: 300,
  subjectLengthMax: 150,
  addressLengthMax: 254,
  bouncesPerCallMax: 100,
  /** How far the time of a signed notice may be from ours. */
  bounceAgeMaxMs: 5 * minute,
  resealedPerBatchMax: 200,
  listedMax: 100,
} as const

assert(mailLimits.connectMs < mailLimits.sendMs && mailLimits.answerMs < mailLimits.sendMs)
