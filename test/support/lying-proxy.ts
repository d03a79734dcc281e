import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { base58 } from '@scure/base'
import { onTestFinished } from 'vitest'
import { programs } from '../../src/rails/solana/programs.js'
import { type Rpc, rpcAt, setFaults, type TestChain } from '../simulation/localnet/localnet.js'

type Call = { id: number; method: string; params: unknown[] }
type Reply = { id: number; result?: unknown; error?: unknown }

/** What the proxy answers instead of the node; undefined passes the honest result on. */
// biome-ignore lint/suspicious/noExplicitAny: tests know the shape of the result
export type Lie = (call: Call, result: any) => unknown

/**
 * A Solana endpoint that forwards calls to the embedded chain and, on demand, lies, answers 429,
 * stays silent or freezes at one slot. Ends with the test.
 */
export async function openLyingProxy(chain: TestChain) {
  const slotNow = () => chain.call<number>('getSlot', { commitment: 'processed' })
  let lie: Lie | undefined
  let state: 'up' | 'busy' | 'mute' = 'up'
  let frozenAt: number | undefined

  async function pass(calls: Call[]): Promise<Reply[]> {
    const node = frozenAt === undefined ? chain : await openLateNode(chain)
    if (frozenAt !== undefined) {
      const slots = (await slotNow()) - frozenAt
      await setFaults(node, { match: { any: true }, fault: 'lag', slots })
    }
    const replies = (await (await node.post(calls)).json()) as Reply[]
    return replies.map((reply, index) => {
      const result = lie?.(calls[index]!, reply.result)
      return result === undefined ? reply : { id: reply.id, result }
    })
  }

  async function answer(body: string, response: ServerResponse): Promise<void> {
    if (state === 'mute') return
    if (state === 'busy') {
      response.writeHead(429).end('Too many requests')
      return
    }
    const asked = JSON.parse(body) as Call | Call[]
    const replies = await pass([asked].flat())
    const shown = replies.map((reply) => ({ jsonrpc: '2.0', ...reply }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? shown : shown[0]))
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    await answer(Buffer.concat(chunks).toString(), response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    lie(next: Lie) {
      lie = next
    },
    be(next: 'busy' | 'mute') {
      state = next
    },
    async freeze() {
      frozenAt = await slotNow()
    },
    /** Becomes honest and current again. */
    heal() {
      lie = undefined
      state = 'up'
      frozenAt = undefined
    },
  }
}

const lateNodes = new WeakMap<TestChain, Promise<Rpc>>()

/** At most one proxy per chain is frozen. */
function openLateNode(chain: TestChain): Promise<Rpc> {
  const opened =
    lateNodes.get(chain) ??
    chain.call('localnet_openNode', { rules: [] }).then(({ url }) => rpcAt(url))
  lateNodes.set(chain, opened)
  return opened
}

export type LyingProxy = Awaited<ReturnType<typeof openLyingProxy>>

export function openLyingProxies(chain: TestChain, count: number): Promise<LyingProxy[]> {
  return Promise.all(Array.from({ length: count }, () => openLyingProxy(chain)))
}

type Invented = {
  signature: string
  slot: number
  wallet: string
  tokenAccount: string
  mint: string
  amount: bigint
}

/** Claims a deposit that never happened: the balance, the line in the history, the transaction. */
export function inventDeposit(invented: Invented): Lie {
  const { signature, slot, wallet, tokenAccount, mint, amount } = invented
  const blockTime = Math.floor(Date.now() / 1_000)
  const data = Buffer.alloc(165)
  data.set(base58.decode(mint), 0)
  data.set(base58.decode(wallet), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  const account = {
    lamports: 2_039_280,
    owner: programs.token,
    executable: false,
    space: 165,
    data: [data.toString('base64'), 'base64'],
  }
  const balance = { accountIndex: 0, mint, owner: wallet, uiTokenAmount: { amount: `${amount}` } }
  const transaction = {
    slot,
    blockTime,
    meta: { err: null, preTokenBalances: [], postTokenBalances: [balance] },
    transaction: { message: { accountKeys: [tokenAccount] } },
  }
  return ({ method, params }, result) => {
    if (method === 'getMultipleAccounts') {
      const at = (params[0] as string[]).indexOf(tokenAccount)
      return {
        ...result,
        value: result.value.toSpliced(at, at === -1 ? 0 : 1, ...(at === -1 ? [] : [account])),
      }
    }
    if (method === 'getSignaturesForAddress' && params[0] === tokenAccount)
      return [{ signature, slot, err: null, memo: null, blockTime }, ...result]
    if (method === 'getSignatureStatuses') {
      const final = { slot, err: null, confirmationStatus: 'finalized' }
      const asked = params[0] as string[]
      const value = result.value.map((status: unknown, index: number) =>
        asked[index] === signature ? final : status,
      )
      return { ...result, value }
    }
    return method === 'getTransaction' && params[0] === signature ? transaction : undefined
  }
}
