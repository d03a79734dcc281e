import type { FastifyError } from 'fastify'
import { ConnectionLost, isConnectionLost, OutcomeUnknown } from '../postgres/failures.js'
import { Refusal } from '../refusal.js'
import type { Reason } from '../refusals.js'
import { toValidationRefusal } from './validation.js'

const requestFailures: Record<string, { reason?: Reason; message: string }> = {
  FST_ERR_CTP_INVALID_JSON_BODY: {
    reason: 'invalid_json',
    message: 'The body is not valid JSON. Check quotes, commas and braces.',
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    reason: 'invalid_json',
    message: 'The body is empty. Send a JSON object.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    message: 'The body is not as long as Content-Length says.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    reason: 'payload_too_large',
    message: 'The body is over 64 kB. Send a smaller one.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    reason: 'unsupported_media_type',
    message: 'The body must be JSON. Send `Content-Type: application/json`.',
  },
  FST_ERR_BAD_URL: { message: 'The path is not a valid URL. Encode its special characters.' },
}

/** What the caller is told of anything that was thrown; undefined for a bug, which tells nothing. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof OutcomeUnknown)
    return new Refusal('internal_error', {
      reason: 'outcome_unknown',
      message: 'It is not known whether this was done. Retry with the same Idempotency-Key.',
    })
  if (error instanceof ConnectionLost || isConnectionLost(error))
    return new Refusal('internal_error', {
      reason: 'unavailable',
      message: 'The database cannot be reached right now. Nothing was done; retry in a moment.',
    })

  const { code, validation, validationContext, statusCode, name } = error as FastifyError
  if (validation) return toValidationRefusal(validation, validationContext)
  const known = requestFailures[code]
  if (known) return new Refusal('validation_failed', known)
  // The JSON reader refuses `__proto__` and `constructor.prototype` with a bare SyntaxError.
  if (statusCode === 400 && name === 'SyntaxError')
    return new Refusal('validation_failed', requestFailures.FST_ERR_CTP_INVALID_JSON_BODY!)
  return undefined
}

export function bug(): Refusal {
  return new Refusal('internal_error', {
    message: 'Something went wrong on our side. It was logged; quote the requestId to report it.',
  })
}
