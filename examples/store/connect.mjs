import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConnectionError, ManillaError, NotFoundError } from 'manilla'
import { readJson, writeJson } from './orders.mjs'

const { MANILLA_KEY, MANILLA_URL, MANILLA_HOME, WEBHOOK_SECRET } = process.env

/** Key and address of the environment, else of the demo merchant that `npm start` has made. */
export function findAccount() {
  if (MANILLA_KEY) return { key: MANILLA_KEY, baseUrl: MANILLA_URL || 'http://127.0.0.1:8080' }
  const home = MANILLA_HOME || fileURLToPath(new URL('../../.manilla', import.meta.url))
  const demo = readJson(join(home, 'demo.json'))
  if (!demo) throw new ConnectionError({ code: 'no_answer', message: `${home} has no demo.json` })
  return { key: demo.test.secretKey, baseUrl: demo.baseUrl }
}

/**
 * The secret that proves webhooks: yours, or that of an endpoint which the first start registers
 * and every later one moves to where the shop is now.
 * @param {import('manilla').Manilla} manilla
 */
export async function findSecret({ webhookEndpoints }, { url, file }) {
  if (WEBHOOK_SECRET) return WEBHOOK_SECRET
  const kept = readJson(file)
  try {
    if (kept) await webhookEndpoints.update(kept.id, { url, enabled: true })
    if (kept) return kept.secret
  } catch (error) {
    // Deleted, or of a Manilla that is gone: then this is a first start.
    if (!(error instanceof NotFoundError)) throw error
  }
  // A secret is shown once. An endpoint whose secret we have lost would only be in the way.
  for await (const one of webhookEndpoints.list())
    if (one.url === url) await webhookEndpoints.delete(one.id)
  const { id, secret } = await webhookEndpoints.create({ url, events: ['checkout.session.*'] })
  await writeJson(file, { id, secret })
  return secret
}

/** One line that helps, about what may well go wrong when a shop opens. */
export function explain(error) {
  if (error instanceof ConnectionError)
    return 'Manilla does not run: start it with `npm start` in another terminal, or set MANILLA_KEY and MANILLA_URL.'
  if (error instanceof ManillaError) return `${error.message} ${error.nextStep ?? ''}`
  return error.code === 'EADDRINUSE' ? 'The port is taken: STORE_PORT says which to use.' : error
}
