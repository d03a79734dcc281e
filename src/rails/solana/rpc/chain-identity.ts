import { mainnetGenesis } from '../programs.js'
import { NodeFailure, WrongChain } from './node.js'

/** Live mode uses mainnet only; test mode never does. */
export type Network = 'mainnet' | 'not-mainnet'

/** Remembers the chain that a mode uses first: a restart must not change it. */
export interface PinnedChain {
  find(): Promise<string | undefined>
  /** Stores the genesis hash unless there is one, and returns the stored one. */
  pin(genesisHash: string): Promise<string>
}

/** For the localnet, which a developer may delete and create again. */
export const unpinned: PinnedChain = { find: async () => undefined, pin: async (hash) => hash }

/**
 * The chain that all RPC nodes must serve: mainnet in live mode; in test mode, the chain that a
 * majority of the nodes served first. Once known, it never changes.
 */
export class ChainIdentity {
  readonly #network: Network
  readonly #pinned: PinnedChain
  #genesisHash: string | undefined

  constructor(network: Network, pinned: PinnedChain = unpinned) {
    this.#network = network
    this.#pinned = pinned
    this.#genesisHash = network === 'mainnet' ? mainnetGenesis : undefined
  }

  /** In test mode, undefined until the chain is identified. */
  get genesisHash(): string | undefined {
    return this.#genesisHash
  }

  /** Takes the chain of an earlier start, if there is one. */
  async recall(): Promise<void> {
    if (this.#genesisHash !== undefined) return
    const pinned = await this.#pinned.find()
    this.#genesisHash ??= pinned
  }

  /** Takes the chain that a majority of the nodes serves. Throws when another one is pinned. */
  async adopt(hash: string): Promise<void> {
    const node = 'the Solana RPC nodes'
    this.#verifyNetwork(hash, node)
    const pinned = await this.#pinned.pin(hash)
    this.#genesisHash ??= pinned
    this.verify(hash, node)
  }

  /** Throws when an answer of a node with this genesis hash must not be used. */
  verify(hash: string, node: string): void {
    this.#verifyNetwork(hash, node)
    if (this.#genesisHash === undefined)
      throw new NodeFailure('the chain is not identified: too few RPC nodes respond')
    if (hash === this.#genesisHash) return
    throw new WrongChain(
      `${node}: on chain ${hash}, but this installation uses ${this.#genesisHash}`,
    )
  }

  #verifyNetwork(hash: string, node: string): void {
    if (this.#network === 'mainnet' && hash !== mainnetGenesis)
      throw new WrongChain(
        `${node}: not on mainnet, which live mode requires, but on chain ${hash}`,
      )
    if (this.#network !== 'mainnet' && hash === mainnetGenesis)
      throw new WrongChain(`${node}: on mainnet, which test mode must not use`)
  }
}
