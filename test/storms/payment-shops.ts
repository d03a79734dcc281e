import { strict as assert } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnvironmentId } from '../../src/base/environment.js'
import { createSeal } from '../../src/base/sealed.js'
import type { Secret } from '../../src/base/secret.js'
import { createMerchant } from '../../src/merchants/create-merchant.js'
import { issueKey } from '../../src/merchants/keys/issue-key.js'
import type { Database } from '../../src/postgres/database.js'
import type { Random } from '../support/seed.js'
import { type PlannedAccount, shops } from './payment-plan.js'
import { triesMax } from './progress.js'

const policies = [
  {},
  ...(['hold', 'accept'] as const).map((action) => ({
    underpayment: action,
    overpayment: action,
    latePayment: action,
    duplicatePayment: action,
  })),
]

// biome-ignore lint/suspicious/noExplicitAny: tests know the shape of the answer
type Data = any

export type Shop = {
  environmentId: EnvironmentId
  /** Header of its requests. */
  authorization: string
  get(path: string): Promise<Data>
  /** Retries under one key until answered. Undefined: refused. */
  change(method: string, path: string, body?: object): Promise<Data | undefined>
}

/**
 * Retries across processes, some of which may be down, until one answers. A request that another
 * process still works on, and one beyond a limit, is sent again under its key.
 */
export async function askUntilAnswered(
  urls: string[],
  path: string,
  request: RequestInit,
): Promise<{ status: number; text: string }> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    try {
      const response = await fetch(urls[tries % urls.length] + path, request)
      const text = await response.text()
      if (!isTemporary(response.status, text)) return { status: response.status, text }
    } catch {
      // the outcome is unknown
    }
    await sleep(20)
  }
  throw new Error(`${path} was never answered`)
}

function isTemporary(status: number, text: string): boolean {
  return status >= 500 || status === 429 || text.includes('"idempotency_in_progress"')
}

/** Merchants with different policies for mismatched payments. */
export async function openShops(
  { db, secret }: { db: Database; secret: Secret },
  urls: string[],
): Promise<Shop[]> {
  const opened: Shop[] = []
  for (let number = 0; number < shops; number += 1) {
    const shop = await addMerchant({ db, secret }, urls, `Shop ${number}`)
    await shop.change('PATCH', '/v1/settings', { policies: { bank: policies[number] } })
    opened.push(shop)
  }
  return opened
}

async function addMerchant(
  { db, secret }: { db: Database; secret: Secret },
  urls: string[],
  name: string,
): Promise<Shop> {
  const { environment, key } = await db.transaction(async (tx) => {
    const now = new Date()
    const { environments } = await createMerchant(tx, now, name)
    const order = { seal: createSeal(secret), kind: 'secret', name, expiresAt: null } as const
    const issued = { ...order, environment: environments.test, allowedAddresses: [] }
    return { environment: environments.test, key: (await issueKey(tx, now, issued)).key.reveal() }
  })
  const authorization = `Bearer ${key}`
  let asked = 0
  return {
    environmentId: environment.id,
    authorization,
    async get(path) {
      const { text } = await askUntilAnswered(urls, path, { headers: { authorization } })
      return JSON.parse(text).data
    },
    async change(method, path, body = {}) {
      asked += 1
      const headers = { authorization, 'content-type': 'application/json' }
      const { status, text } = await askUntilAnswered(urls, path, {
        method,
        headers: { ...headers, 'idempotency-key': `${name} ${asked}` },
        body: JSON.stringify(body),
      })
      return status < 300 ? JSON.parse(text).data : undefined
    },
  }
}

const collections = '/v1/collections'
const longestMs = 120_000

/** Of every dedicated account: providers demand it. */
const customer = {
  name: 'Chuka Okafor',
  email: 'chuka@example.com',
  phone: '+2348012345678',
  bvn: '22222222226',
}

export async function openAccount(shop: Shop, account: PlannedAccount): Promise<void> {
  const { name, amount, expiresInMs, isEnded } = account
  const isVirtual = account.kind === 'virtual'
  const path = `${collections}/${isVirtual ? 'virtual' : 'dedicated'}-accounts`
  const order = (expiresAt: Date) => {
    account.expiresAt = expiresAt
    const fields = { merchantReference: name, amount: Number(amount), expiresAt }
    return shop.change('POST', path, isVirtual ? fields : { externalReference: name, customer })
  }
  let opened = await order(new Date(Date.now() + expiresInMs))
  // A service killed meanwhile may read the request after its expiry.
  for (let ms = 2 * expiresInMs; !opened && ms < longestMs; ms *= 2)
    opened = await order(new Date(Date.now() + ms))
  assert(opened, `${name} is opened`)
  account.number = opened.accountNumber
  account.reference = opened.reference ?? opened.accountReference
  if (!isEnded) return
  const verb = isVirtual ? 'cancel' : 'deactivate'
  const ended = await shop.change('POST', `${path}/${account.reference}/${verb}`)
  assert(ended, `${name} is ended`)
}

/** Merchants resolve some held payments and refund some accepted ones, in steps of some kobo. */
export function decideMeanwhile(
  all: Shop[],
  random: Random,
  step = 1,
): { stop(): Promise<number> } {
  let isOver = false
  let decided = 0
  const path = `${collections}/payments`
  const some = async (shop: Shop, status: string) => {
    const { items } = await shop.get(`${path}?status=${status}&limit=50`)
    return random.shuffle(items as Data[]).slice(0, 5)
  }
  const work = async (shop: Shop) => {
    while (!isOver) {
      for (const { reference } of await some(shop, 'HELD')) {
        const action = random.pick(['accept', 'return', 'return'])
        const done = await shop.change('POST', `${path}/${reference}/resolve`, { action })
        if (done) decided += 1
      }
      for (const { reference, amountAccepted } of await some(shop, 'ACCEPTED')) {
        const amount = random.integer(1, amountAccepted / step) * step
        if (await shop.change('POST', `${path}/${reference}/refund`, { amount })) decided += 1
      }
      await sleep(random.integer(20, 100))
    }
  }
  const working = all.map(work)
  return {
    async stop() {
      isOver = true
      await Promise.all(working)
      return decided
    },
  }
}
