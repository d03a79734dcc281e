import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { urlOf } from '../../src/postgres/embedded/address.js'
import { type Rpc, rpcAt } from '../simulation/localnet/localnet.js'
import { type Demo, type Program, readDemo } from '../support/program.js'

/** Processes of a storm, and clients of its service and chain. */

export type Answer = { status: number; text: string; isReplayed: boolean }

export type Api = {
  // biome-ignore lint/suspicious/noExplicitAny: tests know the shape of the answer
  get<T = any>(path: string): Promise<T>
  /** Undefined: the connection was lost; the outcome is unknown. */
  post(path: string, key: string, body: object): Promise<Answer | undefined>
}

export type Site = { baseUrl: string; api: Api; chain: Rpc }

/** Current URLs: ports change with every start. */
export function openSite(home: string): Site {
  const demo = readDemo(home) as Demo & { solanaRpcUrl: string }
  const { baseUrl, test } = demo
  return { baseUrl, api: apiOf(baseUrl, test.secretKey), chain: rpcAt(demo.solanaRpcUrl) }
}

/** The merchant's API client. */
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

/** Blockhashes expire by blocks, not time: produce blocks faster while waiting for that. */
export async function hurry(chain: Rpc): Promise<void> {
  await chain.call('localnet_advance', { blocks: 1 })
}

/** All items of a list. */
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

/** The chain's process, found among the service's children by its command line. */
export function chainOf({ pid }: Program): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((each) => parentOf(each) === pid && read(each, 'cmdline').includes('localnet/process.js'))
}

function parentOf(pid: number): number {
  return Number(/^\d+ \(.*\) \S (\d+)/s.exec(read(pid, 'stat'))?.[1])
}

/** Processes may end while they are listed. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** The URL of a running service's database, from PostgreSQL's own lock file. */
export function databaseUrlOf(home: string): string {
  const file = path.join(realpathSync(path.join(home, 'data')), 'postmaster.pid')
  const [, , , , socketDirectory] = readFileSync(file, 'utf8').split('\n')
  return urlOf(socketDirectory!)
}
