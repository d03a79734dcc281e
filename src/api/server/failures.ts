import type { FastifyError } from 'fastify'
import { outcomeUnknown, Refusal } from '../../base/refusal.js'
import type { Reason } from '../../base/refusals.js'
import {
  ConnectionLost,
  isLockTimeout,
  isServerTrouble,
  OutcomeUnknown,
} from '../../postgres/wire/failures.js'
import { toValidationRefusal } from '../parse/validation.js'
import type { Route } from './route.js'

const requestFailures: Record<string, { reason?: Reason; message: string }> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    message: 'The length of the body does not match Content-Length. Send the exact length.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    reason: 'payload_too_large',
    message: 'The body is over 64 kB. Send a smaller one.',
  },
  ECONNRESET: {
    message: 'The connection was closed before the whole body arrived. Send it again.',
  },
  FST_ERR_BAD_URL: { message: 'The path is not a valid URL. Encode its special characters.' },
  FST_ERR_MAX_PARAM_LENGTH: {
    message: 'A part of the path is too long. Check the reference in it.',
  },
}

const socketFailures: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are over 16 kB. Send fewer or shorter ones.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time. Send it again.',
}

/** What to send instead of a body of another type. */
export function wrongType(route: Pick<Route, 'readCsv'> | undefined): string {
  return route?.readCsv
    ? 'The body must be JSON or CSV. Send `Content-Type: application/json` or `Content-Type: text/csv`.'
    : 'The body must be JSON. Send `Content-Type: application/json`.'
}

/** The refusal of bytes that are not an HTTP request. */
export function toSocketRefusal({ code = '' }: NodeJS.ErrnoException): Refusal {
  const message = socketFailures[code] ?? 'This is not a valid HTTP request. Send HTTP/1.1.'
  return new Refusal('validation_failed', { message })
}

type RefusingRoute = Pick<Route, 'readCsv' | 'fileBytesMax' | 'bodyBytesMax'>

const rightsOfApprovers = new Set([
  'approver_is_a_member_who_may',
  'batch_approver_is_a_member_who_may',
  'approving_session_is_open',
])

/** The refusal for anything that was thrown; undefined for a bug, which reveals nothing. */
export function toRefusal(error: unknown, route?: RefusingRoute): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof OutcomeUnknown)
    return outcomeUnknown(
      'The outcome of this request is unknown. Retry with the same Idempotency-Key.',
    )
  if (error instanceof ConnectionLost)
    return new Refusal('internal_error', {
      reason: 'unavailable',
      message: 'The database cannot be reached right now. Nothing was done; retry in a moment.',
    })

  if (isLockTimeout(error))
    return new Refusal('internal_error', {
      reason: 'unavailable',
      message:
        'Another operation locked the same records for too long. Nothing was done; retry in a moment.',
    })

  if ((error as { constraint?: string }).constraint === 'rail_account_is_one_account')
    return new Refusal('validation_failed', {
      reason: 'idempotency_key_reused',
      message: 'This Idempotency-Key was already used for an account. Use a new key.',
    })

  // A process knows a session for a second; the database knows that it has ended.
  if (rightsOfApprovers.has((error as { constraint?: string }).constraint ?? ''))
    return new Refusal('authentication_failed', {
      reason: 'session_expired',
      message: 'Your session ended, or you may no longer approve here. Sign in again.',
    })

  if (isServerTrouble(error))
    return new Refusal('internal_error', {
      reason: 'unavailable',
      message: 'The database cannot process this right now. Nothing was done; retry in a moment.',
    })

  const { code, statusCode, validation, validationContext } = error as FastifyError
  if (validation) return toValidationRefusal(validation, validationContext)
  // Without a status, the same code may come from elsewhere, such as a database connection.
  if (statusCode === undefined) return undefined
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal('validation_failed', {
      reason: 'unsupported_media_type',
      message: wrongType(route),
    })
  const known = requestFailures[code]
  const bytesMax = route?.fileBytesMax || route?.bodyBytesMax || 0
  if (known?.reason === 'payload_too_large' && bytesMax > 0)
    return new Refusal('validation_failed', {
      reason: 'payload_too_large',
      message: `The body is over ${describeSize(bytesMax)}. Send a smaller one.`,
    })
  return known && new Refusal('validation_failed', known)
}

function describeSize(bytes: number): string {
  const kilobytes = bytes / 1_024
  return kilobytes < 1_024 ? `${kilobytes} kB` : `${kilobytes / 1_024} MB`
}

export function bug(): Refusal {
  return new Refusal('internal_error', {
    message: 'Something went wrong on our side. It was logged; quote the requestId to report it.',
  })
}
