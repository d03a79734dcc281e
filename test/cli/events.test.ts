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

/** A service as people start it, and somebody at a terminal beside it. */
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
  test('knows every event of the catalogue, and no other', () => {
    expect(Object.keys(triggers).sort()).toEqual([...eventTypes].sort())
  })

  async function expectTrigger(type: string): Promise<void> {
    const event = await terminal.ask('trigger', type)
    expect(event).toMatchObject({ type, mode: 'test' })
    expect(await client().events.get(event.id)).toEqual(event)
  }
  // Of endpoints each takes one that is there: one must not meet that of another.
  const aboutEndpoints = eventTypes.filter((type) => type.startsWith('webhook_endpoint.'))
  const others = eventTypes.filter((type) => !aboutEndpoints.includes(type))
  test.concurrent.each(others)('%s happens in earnest', expectTrigger)
  test.each(aboutEndpoints)('%s happens in earnest', expectTrigger)

  test('leaves settings and endpoints as they were', async () => {
    expect((await client().settings.get()).lowBalance).toEqual({
      NGN: null,
      USDC: null,
      USDT: null,
    })
    expect(await listEndpoints()).toEqual([])
  })

  // It is low already, so the scenario first makes it enough, and waits for that to be seen.
  test('puts back what it changed when somebody stops it', async () => {
    const lowBalance = { NGN: 900_000_000_000 }
    await client().settings.update({ lowBalance })
    const triggering = terminal.start('trigger', 'balance.low', '--json')
    await until(async () => (await client().settings.get()).lowBalance.NGN === null)
    const said = await triggering.stop()
    expect(said.code).toBe(130)
    expect((await client().settings.get()).lowBalance).toMatchObject(lowBalance)
    await client().settings.update({ lowBalance: { NGN: null } })
  })

  test('works after the clock of test mode was moved, too', async () => {
    await client().test.clock.advance({ seconds: 3_600 })
    const event = await terminal.ask('trigger', 'checkout.session.expired')
    expect(event.data.status).toBe('expired')
  })

  test('finds money where there is none', async () => {
    const [naira] = await client().balances.list()
    const amount = (naira!.available as number) - 100_000
    const to = { bankCode: '058', accountNumber: '0123456789' }
    await client().test.fund({ asset: 'NGN', amount: 10_000_000 })
    for (let left = amount; left > 0; left -= 900_000_000)
      await client().bankTransfers.create({ ...to, amount: Math.min(left, 900_000_000) })
    expect((await terminal.ask('trigger', 'bank_transfer.submitted')).data.amount).toBe(500_000)
  })

  test('an event that does not exist is answered with those that may be meant', async () => {
    const said = await terminal.run('trigger', 'virtual_account.payed')
    expect(said.code).toBe(2)
    expect(said.err).toContain('virtual_account.paid')
  })
})

describe('listen', () => {
  test('hands webhooks on byte for byte, and your answer is the answer', async () => {
    const receiver = await openReceiver((response) => response.writeHead(202).end())
    const listening = terminal.start('listen', '--forward-to', `${receiver.url}/hooks`, '--json')
    await until(() => listening.said.out.includes('whsec_'))
    const { secret } = JSON.parse(listening.said.out)
    const event = await terminal.ask('trigger', 'virtual_account.paid')
    await until(() => listening.said.out.includes(event.id))

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

  test('has the same secret the next time, for its owner alone to read', async () => {
    const [first, second] = [await listenOnce(), await listenOnce()]
    expect(first).toMatch(/^whsec_/)
    expect(second).toBe(first)
    const file = path.join(terminal.configFolder, 'listen.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await listEndpoints()).toHaveLength(1)
  })

  async function listenOnce(): Promise<string> {
    const listening = terminal.start('listen', '--json')
    await until(() => listening.said.out.includes('whsec_'))
    await listening.stop()
    return JSON.parse(listening.said.out.split('\n')[0]!).secret
  }

  test('says what is wrong when nobody takes them, and the service tries again', async () => {
    const listening = terminal.start('listen', '--forward-to', 'http://127.0.0.1:9/')
    await until(() => listening.said.out.includes('whsec_'))
    const event = await terminal.ask('trigger', 'virtual_account.cancelled')
    await until(() => listening.said.out.includes(event.id))
    expect(listening.said.out).toContain('no answer from http://127.0.0.1:9/')
    await until(async () => (await readDelivery(event.id)).attempts.length > 0)
    const delivery = await readDelivery(event.id)
    expect(delivery).toMatchObject({ status: 'PENDING', attempts: [{ status: 502 }] })
    await listening.stop()
  })

  test('hears only what it is asked to, and resends what is asked for', async () => {
    const listening = terminal.start('listen', '--events', 'dedicated_account.*')
    await until(() => listening.said.out.includes('whsec_'))
    await terminal.ask('trigger', 'virtual_account.cancelled')
    const { id } = await terminal.ask('trigger', 'dedicated_account.created')
    await until(() => listening.said.out.includes(id))
    expect(listening.said.out).not.toContain('virtual_account')
    expect((await terminal.run('events', 'resend', id)).out).toContain('one endpoint')
    await until(() => listening.said.out.split(id).length === 3)
    await listening.stop()
  })

  test('believes nobody but the service', async () => {
    const receiver = await openReceiver()
    const listening = terminal.start('listen', '--forward-to', receiver.url)
    await until(() => listening.said.out.includes('whsec_'))
    const endpoint = (await listEndpoints()).find(({ enabled }) => enabled)!
    const forged = await fetch(endpoint.url, { method: 'POST', body: '{"type":"payment.held"}' })
    expect(forged.status).toBe(400)
    expect(receiver.received).toEqual([])
    await listening.stop()
  })

  test('refuses what could never reach this machine', async () => {
    const elsewhere = openTerminal({
      MANILLA_KEY: readDemo(home).test.secretKey,
      MANILLA_URL: 'https://pay.example.com',
    })
    const said = await elsewhere.run('listen')
    expect(said).toMatchObject({ code: 2 })
    expect(said.err).toContain('--through')
    elsewhere.close()
  })
})

describe('logs tail', () => {
  test('shows requests as they come, without its own', async () => {
    const tailing = terminal.start('logs', 'tail', '--path', '/v1/banks')
    await until(() => tailing.said.err.includes('Waiting'))
    await client().banks.list()
    await client().balances.list()
    await until(() => tailing.said.out.includes('/v1/banks'))
    expect(tailing.said.out).not.toContain('request-logs')
    expect(tailing.said.out).not.toContain('/v1/balances')
    expect((await tailing.stop()).code).toBe(0)
  })
})

// Ctrl-C in both terminals, and the service is the faster one.
test('a service that goes first does not keep the listener from ending well', async () => {
  const listening = terminal.start('listen')
  await until(() => listening.said.out.includes('whsec_'))
  program.signal('SIGKILL')
  await program.ended
  const said = await listening.stop()
  expect([said.code, said.err]).toEqual([0, expect.stringContaining('could not be switched off')])
  const kept = readFileSync(path.join(terminal.configFolder, 'listen.json'), 'utf8')
  expect(kept).toContain('"pid": 0')
})
