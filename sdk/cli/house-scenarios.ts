import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebhookEvent } from '../src/manilla.js'
import { exitCodes, Failure } from './failure.js'
import type { Stage } from './stage.js'

/** The service looks at balances every ten seconds; after this it has seen that none is low. */
const seenMs = 12_000

/** Raises the threshold above what is there for a moment; the settings are afterwards as before. */
export async function makeBalanceLow(stage: Stage): Promise<WebhookEvent> {
  const { manilla } = stage
  const { lowBalance } = await manilla.settings.get()
  const { available } = (await manilla.balances.list()).find(({ asset }) => asset === 'NGN')!
  try {
    // Only what was enough can become too little.
    if (lowBalance.NGN !== null && Number(available) < Number(lowBalance.NGN)) {
      await manilla.settings.update({ lowBalance: { NGN: null } })
      await sleep(seenMs)
    }
    // So far above that what comes in meanwhile does not reach it.
    const threshold = Number(available) * 2 + 100_000_000
    return await stage.untilNext('balance.low', () =>
      manilla.settings.update({ lowBalance: { NGN: threshold } }),
    )
  } finally {
    await manilla.settings.update({ lowBalance: { NGN: lowBalance.NGN } })
  }
}

/** An endpoint of this machine that says that it is gone for good. */
export async function disableEndpoint(stage: Stage): Promise<WebhookEvent> {
  if (!stage.isLocal)
    throw new Failure(
      'This needs a service that can reach this machine.',
      'Answer a webhook with 410 at an endpoint of yours instead.',
      exitCodes.misused,
    )
  return withEndpoint(stage, 410, async (id) => {
    await stage.manilla.webhookEndpoints.test(id)
    return stage.until('webhook_endpoint.disabled', id)
  })
}

/** At an endpoint that is there, such as that of `manilla listen`; else at one for the moment. */
export async function testEndpoint(stage: Stage): Promise<WebhookEvent> {
  const ask = async (id: string) => {
    const { eventId } = await stage.manilla.webhookEndpoints.test(id)
    return stage.manilla.events.get(eventId)
  }
  for await (const { id, enabled } of stage.manilla.webhookEndpoints.list())
    if (enabled) return ask(id)
  return withEndpoint(stage, 204, ask)
}

async function withEndpoint<Result>(
  { manilla }: Stage,
  status: number,
  work: (id: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/`
  try {
    const { id } = await manilla.webhookEndpoints.create({ url, description: 'manilla trigger' })
    try {
      return await work(id)
    } finally {
      await manilla.webhookEndpoints.delete(id)
    }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
