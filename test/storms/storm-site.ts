import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { urlOf } from '../../src/postgres/embedded/address.js'
import { type Rpc, rpcAt } from '../simulation/localnet/localnet.js'
import { type Demo, type Program, readDemo } from '../support/program.js'

/** Where the processes of a storm are found, and how the service and the chain are spoken to. */

export type Answer = { status: number; text: string; isReplayed: boolean }

export type Api = {
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asks for
  get<T = any>(path: string): Promise<T>
  /** Undefined: the connection was lost, and nobody knows. */
  post(path: string, key: string, body: object): Promise<Answer | undefined>
}

export type Site = { baseUrl: string; api: Api; chain: Rpc }

/** As they are now: addresses change with every start. */
export function openSite(home: string): Site {
  const demo = readDemo(home) as Demo & { solanaRpcUrl: string }
  const { baseUrl, test } = demo
  return { baseUrl, api: apiOf(baseUrl, test.secretKey), chain: rpcAt(demo.solanaRpcUrl) }
}

/** What a merchant can ask. */
export function apiOf(baseUrl: string, secretKey: string): Api {
  const authorization = `Bearer ${secretKey}`
  return {
    async get(where) {
      const response = await fetch(baseUrl + where, { headers: { authorization } })
      const { data } = (await response.json()) as { data: never }
      return data
    },
    async post(where, key, body) {
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': key }
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      try {
        const response = await fetch(baseUrl + where, sent)
        const isReplayed = response.headers.get('idempotent-replayed') === 'true'
        return { status: response.status, text: await response.text(), isReplayed }
      } catch {
        return undefined
      }
    },
  }
}

/** A signature dies with blocks, not with time: while only that is waited for, they come faster. */
export async function hurry(chain: Rpc): Promise<void> {
  await chain.call('localnet_advance', { blocks: 1 })
}

/** All items of a list, however many pages it has. */
export async function readAll<Item>({ get }: Api, list: string): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor && `&cursor=${encodeURIComponent(cursor)}`
    type Page = { items: Item[]; nextCursor: string | null }
    const page: Page = await get<Page>(`${list}limit=100${from}`)
    items.push(...page.items)
    cursor = page.nextCursor
  }
  return items
}

/** The process of the chain: a child of the service, by what it was started with. */
export function chainOf({ pid }: Program): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((each) => parentOf(each) === pid && read(each, 'cmdline').includes('localnet/process.js'))
}

function parentOf(pid: number): number {
  return Number(/^\d+ \(.*\) \S (\d+)/s.exec(read(pid, 'stat'))?.[1])
}

/** Processes come and go while they are looked at. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Where the database of a running service listens, as PostgreSQL itself notes it down. */
export function databaseUrlOf(home: string): string {
  const file = path.join(realpathSync(path.join(home, 'data')), 'postmaster.pid')
  const [, , , , socketDirectory] = readFileSync(file, 'utf8').split('\n')
  return urlOf(socketDirectory!)
}
