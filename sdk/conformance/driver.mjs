import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import {
  Manilla,
  ManillaError,
  signWebhook,
  verifyWebhook,
  WebhookError,
} from '../../dist/sdk/src/manilla.js'
import { isOperation, operations, parametersOf } from '../../dist/sdk/src/operations.js'
import { waits } from '../../dist/sdk/src/retry.js'

/** The driver of test/sdks/conformance: one call for every line of the input. */

const firstWaitMs = waits.firstMs

async function answer(request) {
  const { kind, key, baseUrl } = request
  if (kind === 'webhook') return { event: await verify(request) }
  if (kind === 'sign') return { headers: await sign(request) }
  const manilla = new Manilla(key ?? undefined, { baseUrl: baseUrl ?? undefined })
  if (kind === 'client') return { value: 'created' }
  if (kind === 'print') return { printed: inspect(manilla, { depth: 5 }) }
  const { timeoutMs, maxRetries, idempotencyKey } = request.options ?? {}
  waits.firstMs = request.options?.firstWaitMs ?? firstWaitMs
  const { call, operation } = find(manilla, request)
  const parameters = parametersOf(operation.path).map((name) => request.path?.[name])
  const input = request.csv ?? (operation.takes === 'body' ? request.body : request.query)
  const inputs = operation.takes === 'nothing' ? [] : [input]
  const answered = call(...parameters, ...inputs, { timeoutMs, maxRetries, idempotencyKey })
  if (kind === 'page') return { page: await answered.page() }
  if (kind === 'list') return readItems(answered, request.limitItems)
  if (operation.gives === 'csv') return { value: await readText(answered) }
  if (operation.gives === 'pdf') return { value: Buffer.from(await answered).toString('base64') }
  return { value: (await answered) ?? null }
}

function find(manilla, request) {
  const names = [...request.resource.split('.'), request.operation]
  const operation = names.reduce((rows, name) => rows[name], operations)
  if (!isOperation(operation)) throw new Error(`There is no ${names.join('.')}.`)
  return { call: names.reduce((rows, name) => rows[name], manilla), operation }
}

async function readItems(pages, limitItems = Number.POSITIVE_INFINITY) {
  const items = []
  try {
    for await (const item of pages) {
      items.push(item)
      if (items.length >= limitItems) break
    }
  } catch (error) {
    return { items, error: toError(error) }
  }
  return { items }
}

async function readText(chunks) {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

function verify({ body, bodyBase64, parsed, headers, secret, nowMs, toleranceMs }) {
  const bytes = bodyBase64 === undefined ? undefined : Buffer.from(bodyBase64, 'base64')
  const options = { now: nowMs, toleranceMs }
  return verifyWebhook(parsed ?? bytes ?? body, headers, secret ?? undefined, options)
}

function sign({ body, webhookId, secret, nowMs }) {
  return signWebhook(body, secret, { id: webhookId, now: nowMs })
}

function toError(error) {
  const { message } = error
  if (error instanceof WebhookError)
    return { type: 'WebhookError', problem: error.problem, message }
  if (error instanceof ManillaError) return { ...error, type: error.name, message }
  if (error instanceof TypeError) return { type: 'InvalidArgument', message }
  throw error
}

async function work(request) {
  try {
    return await answer(request)
  } catch (error) {
    return { error: toError(error) }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answered = await work(request).catch((error) => ({ crash: inspect(error) }))
  process.stdout.write(`${JSON.stringify({ id: request.id, ...answered })}\n`)
}
