import type { Logger } from '../../../base/log.js'
import type { LocalnetChain } from '../chain/chain.js'
import type { FaultRule } from '../faults.js'
import { type Listener, listenForRpc } from './listener.js'
import { Node } from './node.js'

/** The nodes of a chain: one for the service, and others that tests open. */
export class LocalnetNetwork {
  private listeners = new Map<number, Listener>()

  constructor(
    readonly chain: LocalnetChain,
    private permanentRules: FaultRule[],
    readonly logger: Logger,
  ) {}

  get size(): number {
    return this.listeners.size
  }

  async open(port: number): Promise<Listener> {
    const listener = await listenForRpc(this, new Node(this.chain, this.permanentRules), port)
    this.listeners.set(listener.port, listener)
    return listener
  }

  async close(port: number): Promise<boolean> {
    const listener = this.listeners.get(port)
    this.listeners.delete(port)
    await listener?.close()
    return listener !== undefined
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.listeners.keys()].map((port) => this.close(port)))
  }
}
