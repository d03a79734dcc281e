import { once } from 'node:events'
import { type WebSocket, WebSocketServer } from 'ws'
import type { BlockCommitment } from '../chain/blocks.js'
import type { Key } from '../chain/keys.js'
import { localnetLimits } from '../limits.js'
import { apiVersion } from '../rpc/answer.js'
import { failed } from '../rpc/dispatch.js'
import { invalid, RpcFailure, rpcErrorCodes } from '../rpc/failure.js'
import { readCommitment, readRpcConfig, readSignature } from '../rpc/params.js'
import type { Node } from './node.js'

type Subscription = { signature: Key; commitment: BlockCommitment } | 'slot'
type Subscriptions = { close(): Promise<void> }

/**
 * Serves `signatureSubscribe` and `slotSubscribe`. docs/guides/wallets.md promises that any Solana
 * client can pay on the localnet, and `sendAndConfirmTransaction` of web3.js and Kit waits for
 * them.
 */
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
  const stop = node.chain.onCommit(() => client.notifyAll())
  socket.on('message', (data) => client.receive(data.toString()))
  socket.on('close', stop)
  // A broken connection is closed next, which is handled above.
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

  receive(text: string): void {
    const { id, method, params = [] } = readMessage(text)
    // Pings have no id and expect no response.
    if (id === undefined) return
    try {
      this.send({ jsonrpc: '2.0', id, result: this.answer(method, params) })
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error
      this.send(failed(id, error))
    }
    // Notifies at once if the transaction has already landed.
    this.node.chain.commit()
  }

  /** Called after each commit. */
  notifyAll(): void {
    const slot = this.node.slotAt('processed')
    for (const [id, subscription] of this.subscriptions) {
      if (subscription !== 'slot') this.notifySignature(id, subscription)
      else if (slot !== this.lastSlot) this.notifySlot(id, slot)
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
    if (this.subscriptions.size >= localnetLimits.subscriptionsPerClientMax)
      throw invalid('Invalid params: too many subscriptions')
    this.lastId += 1
    this.subscriptions.set(this.lastId, subscription)
    return this.lastId
  }

  /** Ends the subscription. */
  private notifySignature(id: number, subscription: Exclude<Subscription, 'slot'>): void {
    const { signature, commitment } = subscription
    const entry = this.node.find(signature, commitment)
    if (!entry) return
    this.subscriptions.delete(id)
    const err = entry.hasFailed ? this.node.read(entry).meta.err : null
    const context = { apiVersion, slot: this.node.slotAt(commitment) }
    this.notify('signatureNotification', id, { context, value: { err } })
  }

  private notifySlot(id: number, slot: number): void {
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
