import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConnectionError, ManillaError, NotFoundError } from 'manilla'
import { readJson, writeJson } from './orders.mjs'

const { MANILLA_KEY, MANILLA_URL, MANILLA_HOME, WEBHOOK_SECRET } = process.env
const hint = 'start it with `npm start` in another terminal, or set MANILLA_KEY and MANILLA_URL.'

/** @type {('checkout.session.*' | 'invoice.paid')[]} */
const events = ['checkout.session.*', 'invoice.paid']

/** Key and URL from the environment, else of the demo merchant that `npm start` created. */
export function findAccount() {
  if (MANILLA_KEY) return { key: MANILLA_KEY, baseUrl: MANILLA_URL || 'http://127.0.0.1:8080' }
  const home = MANILLA_HOME || fileURLToPath(new URL('../../.manilla', import.meta.url))
  const demo = readJson(join(home, 'demo.json'))
  if (!demo) throw new Error(`No Manilla service has been started here: ${hint}`)
  return { key: demo.test.secretKey, baseUrl: demo.baseUrl }
}

/**
 * The secret to verify webhooks with: yours, or that of an endpoint that the first start registers
 * and later starts update with the current URL.
 * @param {import('manilla').Manilla} manilla
 */
export async function findSecret({ webhookEndpoints }, { url, file }) {
  const kept = readJson(file)
  // Disabled while you bring your own secret, so that webhooks do not arrive twice.
  const change = { url, events, enabled: !WEBHOOK_SECRET }
  const isThere = kept && (await webhookEndpoints.update(kept.id, change).catch(passOverAbsent))
  if (WEBHOOK_SECRET) return WEBHOOK_SECRET
  if (isThere) return kept.secret
  // A secret is shown only once: replace an endpoint whose secret is lost.
  for await (const one of webhookEndpoints.list())
    if (one.url === url) await webhookEndpoints.delete(one.id)
  const { id, secret } = await webhookEndpoints.create({ url, events })
  await writeJson(file, { id, secret })
  return secret
}

/** Undefined if it was deleted or belongs to another service. */
export function passOverAbsent(error) {
  if (!(error instanceof NotFoundError)) throw error
}

/** Explains the usual problems at start in one line. */
export function explain(error) {
  if (error instanceof ConnectionError) return `${error.message} Manilla does not run: ${hint}`
  if (error instanceof ManillaError) return `${error.message} ${error.nextStep ?? ''}`
  return error.code === 'EADDRINUSE'
    ? 'The port is in use. Choose another with STORE_PORT.'
    : error.message
}
