import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { Manilla } from '../../sdk/src/manilla.js'
import { afterFile } from '../support/after-file.js'
import {
  createHome,
  isRunning,
  type Program,
  readDemo,
  removeHome,
  spawnStore,
  startProgram,
} from '../support/program.js'

type Made = { reference: string; url: string }
export type Order = { id: string; status: string; session?: Made; invoice?: Made }

/** Runs a service and the shop of examples/store as real processes with temporary folders. */
export async function openStore() {
  const home = createHome()
  const data = mkdtempSync(path.join(tmpdir(), 'manilla-store-'))
  const running: Program[] = []
  afterFile(async () => {
    for (const program of running.toReversed()) {
      if (isRunning(program.pid)) program.signal('SIGTERM')
      await program.ended
    }
    await removeHome(home)
    rmSync(data, { recursive: true, force: true })
  })
  const service = await startProgram(home)
  running.push(service)
  const { baseUrl, test } = readDemo(home)
  const manilla = new Manilla(test.secretKey, { baseUrl })
  const readFile = (name: string) => JSON.parse(readFileSync(path.join(data, name), 'utf8'))

  /** Resolves once the shop is listening. */
  async function startShop(more: Record<string, string> = {}) {
    const program = spawnStore(home, { STORE_DATA: data, ...more })
    running.push(program)
    await program.untilPrinted('is open at')
    const [, url] = /is open at (\S+)/.exec(program.text()) ?? []
    if (url === undefined) throw new Error(`The shop did not open:\n${program.text()}`)
    return { program, url }
  }

  return {
    home,
    data,
    service,
    manilla,
    startShop,
    orders: (): Order[] => Object.values(readFile('orders.json')),
    /** Signs any body with the shop's secret, as Manilla would. */
    sign(body: string, secret: string = readFile('endpoint.json').secret) {
      const now = new Date()
      return {
        'webhook-id': 'evt_1',
        'webhook-timestamp': `${Math.floor(now.getTime() / 1_000)}`,
        'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
      }
    },
  }
}

/** The form that a browser would submit. */
export async function fillIn(url: string, more: Record<string, string> = {}) {
  const page = await (await fetch(url)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)![1]!
  return { token, good: 'bread', name: 'Ada Obi', email: 'ada@example.com', ...more }
}

/** Returns the redirect URL. */
export async function submit(url: string, form: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(form)
  const answer = await fetch(`${url}/orders`, { method: 'POST', body, redirect: 'manual' })
  if (answer.status !== 303) throw new Error(`${answer.status}: ${await answer.text()}`)
  return answer.headers.get('location')!
}
