import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll } from 'vitest'
import type {
  FaultRule,
  Localnet,
  LocalnetOptions,
} from '../../../src/simulation/localnet/start.js'
import { afterFile } from '../../support/after-file.js'

/** The localnet as the service runs it: the built program in a separate process. */

const root = path.resolve(import.meta.dirname, '../../..')

export type Answer<T> = {
  result: T
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export type Rpc = {
  url: string
  /** Returns the result; throws an error response. */
  // biome-ignore lint/suspicious/noExplicitAny: tests know the result's type
  call<T = any>(method: string, ...params: unknown[]): Promise<T>
  // biome-ignore lint/suspicious/noExplicitAny: tests know the result's type
  request<T = any>(method: string, ...params: unknown[]): Promise<Answer<T>>
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
}

export function rpcAt(url: string): Rpc {
  const post = (body: unknown, headers = { 'content-type': 'application/json' }) =>
    fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const ask = async (method: string, ...params: unknown[]) => {
    const response = await post({ jsonrpc: '2.0', id: 1, method, params })
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`)
    return (await response.json()) as Answer<never>
  }
  return {
    url,
    post,
    request: ask,
    async call(method, ...params) {
      const { result, error } = await ask(method, ...params)
      if (error) throw Object.assign(new Error(error.message), error)
      return result
    },
  }
}

export type TestChain = Localnet & Rpc & { folder: string; advance(blocks?: number): Promise<void> }

const running = new Set<Localnet>()
const folders = new Set<string>()

afterEach(async () => {
  for (const chain of running) await chain.kill()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  running.clear()
  folders.clear()
})

export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'localnet-'))
  folders.add(folder)
  return folder
}

/** Vitest cannot fork TypeScript. The run has built dist/. */
export function loadBuilt(file: string) {
  return import(pathToFileURL(path.join(root, file)).href)
}

/** Makes blocks only through `advance` by default. Ends with the test. */
export async function startChain(options: Partial<LocalnetOptions> = {}): Promise<TestChain> {
  const { startLocalnet } = await loadBuilt('dist/simulation/localnet/start.js')
  const start = startLocalnet as (options: LocalnetOptions) => Promise<Localnet>
  const folder = options.folder ?? newFolder()
  const chain = await start({ slotMs: 0, ...options, folder })
  running.add(chain)
  const rpc = rpcAt(chain.url)
  const advance = async (blocks = 1) => {
    await rpc.call('localnet_advance', { blocks })
  }
  return { ...chain, ...rpc, folder, advance }
}

/** One chain for all tests of a file that are independent of each other. */
export function shareChain(): () => TestChain {
  let chain: TestChain
  beforeAll(async () => {
    chain = await startChain()
    running.clear()
    folders.clear()
  })
  afterFile(async () => {
    await chain.kill()
    rmSync(chain.folder, { recursive: true, force: true })
  })
  return () => chain
}

/** Like `shareChain`, but available before the first test. */
export async function openChain(options: Partial<LocalnetOptions> = {}): Promise<TestChain> {
  const chain = await startChain(options)
  running.clear()
  folders.clear()
  afterFile(async () => {
    await chain.kill()
    rmSync(chain.folder, { recursive: true, force: true })
  })
  return chain
}

export async function setFaults(rpc: Rpc, ...rules: FaultRule[]): Promise<void> {
  await rpc.call('localnet_setFaults', rules)
}
