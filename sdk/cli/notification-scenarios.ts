import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from '../src/manilla.js'
import { misused } from './failure.js'
import type { ScenarioContext } from './scenario-context.js'

/** The service checks balances every ten seconds; after this long it has seen the new threshold. */
const balanceCheckMs = 12_000

/** Raises the threshold above the balance, then restores the setting. */
export async function makeBalanceLow(context: ScenarioContext): Promise<WebhookEvent> {
  const { manilla } = context
  const { lowBalance } = await manilla.settings.get()
  const { available } = (await manilla.balances.list()).find(({ asset }) => asset === 'NGN')!
  try {
    // The event fires only when a balance falls below the threshold, so start above it.
    if (lowBalance.NGN !== null && Number(available) < Number(lowBalance.NGN)) {
      await manilla.settings.update({ lowBalance: { NGN: null } })
      await context.pause(balanceCheckMs)
    }
    // Far above, so that payments arriving meanwhile do not reach it.
    const threshold = Number(available) * 2 + 100_000_000
    return await context.waitForNext('balance.low', () =>
      manilla.settings.update({ lowBalance: { NGN: threshold } }),
    )
  } finally {
    await manilla.settings.update({ lowBalance: { NGN: lowBalance.NGN } })
  }
}

const wallets = [
  'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ',
  'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
]

/** Sends settlements to another wallet, then restores the setting. */
export async function changeDestination(context: ScenarioContext): Promise<WebhookEvent> {
  const { manilla } = context
  const { payTo, asset, walletAddress } = (await manilla.settings.get()).settlement
  const another = wallets.find((address) => address !== walletAddress)!
  try {
    return await context.waitForNext('settlement_destination.changed', () =>
      manilla.settings.update({ settlement: { payTo: 'wallet', walletAddress: another } }),
    )
  } finally {
    await manilla.settings.update({ settlement: { payTo, asset, walletAddress } })
  }
}

/** Opens a local endpoint that answers 410 Gone. */
export async function disableEndpoint(context: ScenarioContext): Promise<WebhookEvent> {
  if (!context.isLocal)
    throw misused(
      'This event needs a service that can reach this machine.',
      'Answer a webhook with 410 at one of your endpoints instead.',
    )
  return withEndpoint(context, 410, async (id) => {
    await context.manilla.webhookEndpoints.test(id)
    return context.waitFor('webhook_endpoint.disabled', id)
  })
}

/** Uses an enabled endpoint, such as that of `manilla listen`, or opens a temporary one. */
export async function testEndpoint(context: ScenarioContext): Promise<WebhookEvent> {
  const sendTest = async (id: string) => {
    const { eventId } = await context.manilla.webhookEndpoints.test(id)
    return context.manilla.events.get(eventId)
  }
  for await (const { id, enabled } of context.manilla.webhookEndpoints.list())
    if (enabled) return sendTest(id)
  return withEndpoint(context, 204, sendTest)
}

async function withEndpoint<Result>(
  { manilla }: ScenarioContext,
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
