import { after, type RealTime } from '../base/clock.js'
import { mailLimits } from './limits.js'
import type { Mail, MailState } from './mail.js'
import type { RelayAnswer } from './ports.js'

/** What becomes of a mail. `isSuppressed`: its address gets no more mail. */
export type MailVerdict = Pick<Mail, 'dueAt' | 'lastError' | 'endedAt'> & {
  state: MailState
  suppresses: boolean
}

/** Decides what an answer of the relay means for a mail after this many attempts. */
export function judgeAttempt(now: RealTime, attempts: number, answer: RelayAnswer): MailVerdict {
  if (answer.isAccepted) return end(now, 'SENT')
  const lastError = answer.error.slice(0, mailLimits.errorLengthMax)
  const delayMs = mailLimits.retryDelaysMs[attempts - 1]
  if (answer.why === 'temporary' && delayMs !== undefined)
    return {
      state: 'WAITING',
      dueAt: after(now, delayMs),
      lastError,
      endedAt: null,
      suppresses: false,
    }
  return { ...end(now, 'FAILED'), lastError, suppresses: answer.why === 'no_mailbox' }
}

/** A mail that is not handed to the relay, or was. */
export function end(now: RealTime, state: Exclude<MailState, 'WAITING'>): MailVerdict {
  return { state, dueAt: now, lastError: null, endedAt: now, suppresses: false }
}
