type Refused = { status: number; reason?: string | undefined }

/**
 * Whether a refusal ends the request: the next one gets a new idempotency key. After an unknown
 * outcome, while the first request runs, or before a step-up, the same request is sent again.
 */
export function isFinal({ status, reason }: Refused): boolean {
  const isRepeated = reason === 'idempotency_in_progress' || reason === 'step_up_required'
  return status >= 400 && status < 500 && !isRepeated
}
