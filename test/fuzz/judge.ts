import { Ajv2020 } from 'ajv/dist/2020.js'
import { createConformance, findOperation } from '../support/conformance.js'
import { createStrictness } from './allowed.js'
import { type Document, listOperations, listPatterns } from './operations.js'
import type { Answer, Sent } from './send.js'

export type Judge = (sent: Sent, answer: Answer) => void

/**
 * Throws if an answer violates the document: status, type, body and refusals of an operation, or
 * anything but a refusal elsewhere. No answer may be an internal error.
 */
export function createJudge(document: Document): Judge {
  const conform = createConformance(document)
  const checkStrictness = createStrictness(document)
  const patterns = listPatterns(listOperations(document))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'openapi')
  const isRefusal = ajv.getSchema('openapi#/components/schemas/Refusal')!

  return (sent, answer) => {
    const method = sent.method === 'HEAD' ? 'GET' : sent.method
    const found = findOperation(document, method, sent.path)
    checkHeaders(sent, answer)
    checkFailure(answer)
    if (sent.method === 'HEAD') {
      if (answer.text !== '') throw new Error('HEAD was answered with a body')
      return
    }
    if (found) {
      conform(method, sent.path, answer)
      checkStrictness(sent, answer)
    } else if (!isPreflight(sent, answer) && !isRefusal(answer.json))
      throw new Error(`${answer.status} for what is no operation is no refusal: ${answer.text}`)
    const shown = patterns.find((pattern) => answer.status >= 400 && answer.text.includes(pattern))
    if (shown) throw new Error(`the refusal shows the pattern ${shown}`)
  }
}

function checkHeaders({ headers }: Sent, { status, headers: answered }: Answer): void {
  const need = (name: string) => {
    const value = answered.get(name)
    if (!value) throw new Error(`${status} without ${name}`)
    return value
  }
  const id = need('x-request-id')
  const sentId = headers[headers.indexOf('X-Request-Id') + 1]
  const isMine = headers.includes('X-Request-Id') && /^[\w.:-]{1,100}$/.test(sentId!)
  if (isMine && id !== sentId) throw new Error(`X-Request-Id ${sentId} came back as ${id}`)
  if (need('cache-control') !== 'no-store') throw new Error('an answer that may be stored')
  if (status === 401) need('www-authenticate')
  if (status === 405) need('allow')
  if (status === 429 || status === 503) need('retry-after')
}

/** An unavailable bank or chain is reported as such; any other 5xx is a bug. */
function checkFailure({ status, json, text }: Answer): void {
  if (status < 500) return
  const { reason } = (json ?? {}) as { reason?: string }
  const isRail = status === 503 && (reason === 'rail_unavailable' || reason === 'treasury_short')
  if (!isRail) throw new Error(`${status}: ${text.slice(0, 500)}`)
}

/** CORS preflight requests. */
function isPreflight({ method, path }: Sent, { status }: Answer): boolean {
  return method === 'OPTIONS' && path.startsWith('/public/') && status === 204
}
