import { once } from 'node:events'
import { type WebSocket, WebSocketServer } from 'ws'
import type { BlockCommitment } from './blocks.js'
import type { Key } from './keys.js'
import { localnetLimits } from './limits.js'
import type { Node } from './node.js'
import { apiVersion } from './rpc/answer.js'
import { failed } from './rpc/dispatch.js'
import { invalid, RpcFailure, rpcErrorCodes } from './rpc/failure.js'
import { readCommitment, readRpcConfig, readSignature } from './rpc/params.js'

type Subscription = { signature: Key; commitment: BlockCommitment } | 'slot'
type Subscriptions = { close(): Promise<void> }

/** Tells clients when a transaction is as sure as they want it, and when a slot begins. */
export async function serveSubscriptions(
  node: Node,
  host: string,
  port: number,
): Promise<Subscriptions> {
  const { messageBytes } = localnetLimits
  const server = new WebSocketServer({ host, port, maxPayload: messageBytes })
  await once(server, 'listening')
  server.on('connection', (socket) => serveClient(node, socket))
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of server.clients) socket.terminate()
        server.close(() => resolve())
      }),
  }
}

function serveClient(node: Node, socket: WebSocket): void {
  const client = new Client(node, (message) => socket.send(JSON.stringify(message)))
  const stop = node.chain.watch(() => client.tell())
  socket.on('message', (data) => client.hear(data.toString()))
  socket.on('close', stop)
  // A connection that breaks is closed after this, which is all that matters.
  socket.on('error', () => undefined)
}

class Client {
  private subscriptions = new Map<number, Subscription>()
  private lastId = 0
  private lastSlot: number

  constructor(
    private node: Node,
    private send: (message: unknown) => void,
  ) {
    this.lastSlot = node.slotAt('processed')
  }

  hear(text: string): void {
    const { id, method, params = [] } = readMessage(text)
    // Clients send pings that expect no answer.
    if (id === undefined) return
    try {
      this.send({ jsonrpc: '2.0', id, result: this.answer(method, params) })
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      this.send(failed(id, error))
    }
    // What it asks about may have happened already, but is told only once it is written down.
    this.node.chain.settle()
  }

  /** Looks at every subscription; called after each block and each transaction. */
  tell(): void {
    const slot = this.node.slotAt('processed')
    for (const [id, subscription] of this.subscriptions) {
      if (subscription !== 'slot') this.tellSignature(id, subscription)
      else if (slot !== this.lastSlot) this.tellSlot(id, slot)
    }
    this.lastSlot = slot
  }

  private answer(method: unknown, params: unknown[]): number | boolean {
    if (method === 'slotSubscribe') return this.add('slot')
    if (method === 'signatureSubscribe') {
      const { commitment } = readRpcConfig(params[1])
      const signature = readSignature(params[0])
      return this.add({ signature, commitment: readCommitment(commitment) })
    }
    if (method === 'slotUnsubscribe' || method === 'signatureUnsubscribe')
      return this.subscriptions.delete(Number(params[0]))
    throw new RpcFailure(rpcErrorCodes.methodNotFound, 'Method not found')
  }

  private add(subscription: Subscription): number {
    if (this.subscriptions.size >= localnetLimits.subscriptions)
      throw invalid('Invalid params: too many subscriptions')
    this.lastId += 1
    this.subscriptions.set(this.lastId, subscription)
    return this.lastId
  }

  /** Once: then the subscription is over. */
  private tellSignature(id: number, subscription: Exclude<Subscription, 'slot'>): void {
    const { signature, commitment } = subscription
    const entry = this.node.find(signature, commitment)
    if (!entry) return
    this.subscriptions.delete(id)
    const err = entry.hasFailed ? this.node.read(entry).meta.err : null
    const context = { apiVersion, slot: this.node.slotAt(commitment) }
    this.notify('signatureNotification', id, { context, value: { err } })
  }

  private tellSlot(id: number, slot: number): void {
    const root = this.node.slotAt('finalized')
    this.notify('slotNotification', id, { slot, parent: slot - 1, root })
  }

  private notify(method: string, subscription: number, result: unknown): void {
    this.send({ jsonrpc: '2.0', method, params: { result, subscription } })
  }
}

function readMessage(text: string): { id?: unknown; method?: unknown; params?: unknown[] } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
