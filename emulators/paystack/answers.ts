import { json, type ProviderAnswer } from '../http-server.js'

export function succeed(message: string, data?: unknown, meta?: unknown): ProviderAnswer {
  return json(200, { status: true, message, data, meta })
}

export function created(message: string, data: unknown): ProviderAnswer {
  return json(201, { status: true, message, data })
}

export function refuse(
  status: number,
  message: string,
  details: { code?: string; type?: string; nextStep?: string } = {},
): ProviderAnswer {
  const { code, type = 'validation_error', nextStep } = details
  const meta = nextStep === undefined ? undefined : { nextStep }
  return json(status, { status: false, message, meta, type, code })
}

/** An answer of the gateway before the API, which is not JSON. */
export const gatewayError: ProviderAnswer = {
  status: 502,
  body: '<html><head><title>502 Bad Gateway</title></head></html>',
}

export const invalidKey = refuse(401, 'Invalid key', {
  code: 'invalid_Key',
  nextStep: 'Ensure that you provide the correct authorization key for the request',
})

export const missingKey = refuse(401, 'No Authorization Header was found', {
  code: 'invalid_Key',
  nextStep: 'Ensure that you provide an authorization header with your request',
})

export const unknownPath = json(404, {
  status: false,
  message: 'Cannot find the requested route',
})
