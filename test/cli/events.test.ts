import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { triggers } from '../../sdk/cli/trigger.js'
import { Manilla, verifyWebhook } from '../../sdk/src/manilla.js'
import { eventTypes } from '../../src/events/catalogue.js'
import { createHome, type Program, readDemo, removeHome, startProgram } from '../support/program.js'
import { openReceiver } from '../support/receiver.js'
import { until } from '../support/sessions.js'
import { openTerminal } from './terminal.js'

/** A service started with `npm start` and a terminal beside it. */
const home = createHome()
const terminal = openTerminal({}, { homes: [home] })
let program: Program
beforeAll(async () => {
  program = await startProgram(home)
})
afterAll(async () => {
  program.signal('SIGKILL')
  await program.ended
  await removeHome(home)
  terminal.close()
})

function client(): Manilla {
  const { baseUrl, test: keys } = readDemo(home)
  return new Manilla(keys.secretKey, { baseUrl })
}

async function listEndpoints() {
  return (await client().webhookEndpoints.list().page()).items
}

async function readDelivery(id: string) {
  const { items } = await client().events.deliveries(id).page()
  return items[0]!
}

describe('trigger', () => {
  test('knows exactly the events of the catalogue', () => {
    expect(Object.keys(triggers).sort()).toEqual([...eventTypes].sort())
  })

  async function expectTrigger(type: string): Promise<void> {
    const event = await terminal.ask('trigger', type)
    expect(event).toMatchObject({ type, mode: 'test' })
    expect(await client().events.get(event.id)).toEqual(event)
  }
  // Not concurrently: each uses an existing endpoint and must not pick that of another.
  const aboutEndpoints = eventTypes.filter((type) => type.startsWith('webhook_endpoint.'))
  // They need an approval rule, which only people can set: test/payouts/approvals.test.ts.
  const aboutApprovals = eventTypes.filter((type) => type.endsWith('.pending'))
  // A settlement is refused if its destination changes while it is prepared.
  const alone = [...aboutEndpoints, 'settlement_destination.changed']
  const others = eventTypes.filter(
    (type) => !alone.includes(type) && !aboutApprovals.includes(type),
  )
  test.concurrent.each(others)('%s triggers a real event', expectTrigger)
  test.each(alone)('%s triggers a real event', expectTrigger)

  test('restores settings and endpoints', async () => {
    expect((await client().settings.get()).lowBalance).toEqual({
      NGN: null,
      USDC: null,
      USDT: null,
    })
    expect(await listEndpoints()).toEqual([])
  })

  // The balance is low already, so the scenario first lifts the threshold and waits.
  test('restores what it changed when the user stops it', async () => {
    const lowBalance = { NGN: 900_000_000_000 }
    await client().settings.update({ lowBalance })
    const triggering = terminal.start('trigger', 'balance.low', '--json')
    await until(async () => (await client().settings.get()).lowBalance.NGN === null)
    const result = await triggering.stop()
    expect(result.code).toBe(130)
    expect((await client().settings.get()).lowBalance).toMatchObject(lowBalance)
    await client().settings.update({ lowBalance: { NGN: null } })
  })

  test('works after the test clock was advanced', async () => {
    await client().test.clock.advance({ seconds: 3_600 })
    const event = await terminal.ask('trigger', 'checkout.session.expired')
    expect(event.data.status).toBe('expired')
  })

  test('funds an empty balance', async () => {
    const [naira] = await client().balances.list()
    const amount = (naira!.available as number) - 100_000
    const to = { bankCode: '058', accountNumber: '0123456789' }
    await client().test.fund({ asset: 'NGN', amount: 10_000_000 })
    for (let left = amount; left > 0; left -= 900_000_000)
      await client().bankTransfers.create({ ...to, amount: Math.min(left, 900_000_000) })
    expect((await terminal.ask('trigger', 'bank_transfer.submitted')).data.amount).toBe(500_000)
  })

  test('suggests similar names for an unknown event', async () => {
    const result = await terminal.run('trigger', 'virtual_account.payed')
    expect(result.code).toBe(2)
    expect(result.err).toContain('virtual_account.paid')
  })
})

describe('listen', () => {
  test('forwards webhooks byte for byte and returns the answer of the server', async () => {
    const receiver = await openReceiver((response) => response.writeHead(202).end())
    const listening = terminal.start('listen', '--forward-to', `${receiver.url}/hooks`, '--json')
    await until(() => listening.result.out.includes('whsec_'))
    const { secret } = JSON.parse(listening.result.out)
    const event = await terminal.ask('trigger', 'virtual_account.paid')
    await until(() => listening.result.out.includes(event.id))

    const taken = receiver.received.find(({ headers }) => headers['webhook-id'] === event.id)!
    expect(taken.path).toBe('/hooks')
    expect(await verifyWebhook(taken.body, taken.headers, secret)).toEqual(event)
    await until(async () => (await readDelivery(event.id)).status === 'DELIVERED')
    expect((await readDelivery(event.id)).attempts).toMatchObject([{ status: 202 }])
    expect((await listening.stop()).code).toBe(0)
    expect(await listEndpoints()).toMatchObject([
      { enabled: false, description: expect.stringMatching(/^manilla listen on /) },
    ])
  })

  test('keeps its secret between runs, readable by its owner only', async () => {
    const [first, second] = [await listenOnce(), await listenOnce()]
    expect(first).toMatch(/^whsec_/)
    expect(second).toBe(first)
    const file = path.join(terminal.configFolder, 'listen.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await listEndpoints()).toHaveLength(1)
  })

  async function listenOnce(): Promise<string> {
    const listening = terminal.start('listen', '--json')
    await until(() => listening.result.out.includes('whsec_'))
    await listening.stop()
    return JSON.parse(listening.result.out.split('\n')[0]!).secret
  }

  test('prints the problem when the server is down, and the service retries', async () => {
    const listening = terminal.start('listen', '--forward-to', 'http://127.0.0.1:9/')
    await until(() => listening.result.out.includes('whsec_'))
    const event = await terminal.ask('trigger', 'virtual_account.cancelled')
    await until(() => listening.result.out.includes(event.id))
    expect(listening.result.out).toContain('no answer from http://127.0.0.1:9/')
    await until(async () => (await readDelivery(event.id)).attempts.length > 0)
    const delivery = await readDelivery(event.id)
    expect(delivery).toMatchObject({ status: 'PENDING', attempts: [{ status: 502 }] })
    await listening.stop()
  })

  test('filters by event type and resends events', async () => {
    const listening = terminal.start('listen', '--events', 'dedicated_account.*')
    await until(() => listening.result.out.includes('whsec_'))
    await terminal.ask('trigger', 'virtual_account.cancelled')
    const { id } = await terminal.ask('trigger', 'dedicated_account.created')
    await until(() => listening.result.out.includes(id))
    expect(listening.result.out).not.toContain('virtual_account')
    expect((await terminal.run('events', 'resend', id)).out).toContain('one endpoint')
    await until(() => listening.result.out.split(id).length === 3)
    await listening.stop()
  })

  test('rejects requests that the service did not sign', async () => {
    const receiver = await openReceiver()
    const listening = terminal.start('listen', '--forward-to', receiver.url)
    await until(() => listening.result.out.includes('whsec_'))
    const endpoint = (await listEndpoints()).find(({ enabled }) => enabled)!
    const forged = await fetch(endpoint.url, { method: 'POST', body: '{"type":"payment.held"}' })
    expect(forged.status).toBe(400)
    expect(receiver.received).toEqual([])
    await listening.stop()
  })

  test('refuses a service that cannot reach this machine', async () => {
    const elsewhere = openTerminal({
      MANILLA_KEY: readDemo(home).test.secretKey,
      MANILLA_URL: 'https://pay.example.com',
    })
    const result = await elsewhere.run('listen')
    expect(result).toMatchObject({ code: 2 })
    expect(result.err).toContain('--through')
    elsewhere.close()
  })
})

describe('logs tail', () => {
  test('prints requests as they happen, without its own', async () => {
    const tailing = terminal.start('logs', 'tail', '--path', '/v1/banks')
    await until(() => tailing.result.err.includes('Waiting'))
    await client().banks.list()
    await client().balances.list()
    await until(() => tailing.result.out.includes('/v1/banks'))
    expect(tailing.result.out).not.toContain('request-logs')
    expect(tailing.result.out).not.toContain('/v1/balances')
    await expect(client().banks.resolve({ bankCode: '058', accountNumber: '1' })).rejects.toThrow()
    await until(() => tailing.result.out.includes('validation_failed'))
    expect(tailing.result.out).toMatch(
      /400 {2}GET +\/v1\/banks\/resolve\S* {2}validation_failed {2}/,
    )
    expect((await tailing.stop()).code).toBe(0)
  })
})

// Ctrl-C in both terminals; the service ends first.
test('the listener exits cleanly after the service has stopped', async () => {
  const listening = terminal.start('listen')
  await until(() => listening.result.out.includes('whsec_'))
  program.signal('SIGKILL')
  await program.ended
  const result = await listening.stop()
  expect([result.code, result.err]).toEqual([0, expect.stringContaining('Could not disable')])
  const kept = readFileSync(path.join(terminal.configFolder, 'listen.json'), 'utf8')
  expect(kept).toContain('"pid": 0')
})
