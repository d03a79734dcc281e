import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConnectionError, ManillaError, NotFoundError } from 'manilla'
import { readJson, writeJson } from './orders.mjs'

const { MANILLA_KEY, MANILLA_URL, MANILLA_HOME, WEBHOOK_SECRET } = process.env
const hint = 'start it with `npm start` in another terminal, or set MANILLA_KEY and MANILLA_URL.'

/** Key and address of the environment, else of the demo merchant that `npm start` has made. */
export function findAccount() {
  if (MANILLA_KEY) return { key: MANILLA_KEY, baseUrl: MANILLA_URL || 'http://127.0.0.1:8080' }
  const home = MANILLA_HOME || fileURLToPath(new URL('../../.manilla', import.meta.url))
  const demo = readJson(join(home, 'demo.json'))
  if (!demo) throw new Error(`Manilla has not run here yet: ${hint}`)
  return { key: demo.test.secretKey, baseUrl: demo.baseUrl }
}

/**
 * The secret that proves webhooks: yours, or that of an endpoint which the first start registers
 * and every later one moves to where the shop is now.
 * @param {import('manilla').Manilla} manilla
 */
export async function findSecret({ webhookEndpoints }, { url, file }) {
  const kept = readJson(file)
  // Off while a secret of yours is used: webhooks come another way then, and need not come twice.
  const change = { url, enabled: !WEBHOOK_SECRET }
  const isThere = kept && (await webhookEndpoints.update(kept.id, change).catch(passOverAbsent))
  if (WEBHOOK_SECRET) return WEBHOOK_SECRET
  if (isThere) return kept.secret
  // A secret is shown once. An endpoint whose secret we have lost would only be in the way.
  for await (const one of webhookEndpoints.list())
    if (one.url === url) await webhookEndpoints.delete(one.id)
  const { id, secret } = await webhookEndpoints.create({ url, events: ['checkout.session.*'] })
  await writeJson(file, { id, secret })
  return secret
}

/** For what was deleted, or is of a Manilla that is gone. */
export function passOverAbsent(error) {
  if (!(error instanceof NotFoundError)) throw error
}

/** One line that helps, about what may well go wrong when a shop opens. */
export function explain(error) {
  if (error instanceof ConnectionError) return `${error.message} Manilla does not run: ${hint}`
  if (error instanceof ManillaError) return `${error.message} ${error.nextStep ?? ''}`
  return error.code === 'EADDRINUSE'
    ? 'The port is taken: name another in STORE_PORT.'
    : error.message
}
