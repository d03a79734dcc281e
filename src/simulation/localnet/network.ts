import type { Logger } from '../../base/log.js'
import type { Chain } from './chain.js'
import type { Rule } from './faults.js'
import { type Listener, listen } from './listener.js'
import { Node } from './node.js'

/** The nodes of a chain: one that the service talks to, and others that tests open beside it. */
export class Network {
  private listeners = new Map<number, Listener>()

  constructor(
    readonly chain: Chain,
    private lasting: Rule[],
    readonly logger: Logger,
  ) {}

  get size(): number {
    return this.listeners.size
  }

  async open(port: number): Promise<Listener> {
    const listener = await listen(this, new Node(this.chain, this.lasting), port)
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
