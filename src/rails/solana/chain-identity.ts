import { EndpointFailure } from './endpoint.js'
import { mainnetGenesis } from './programs.js'

/** An endpoint of a chain where this rail must not go: it is not talked to. */
export class WrongChain extends EndpointFailure {}

/** Test mode must never touch the real chain, and live mode never another one. */
export type Network = 'mainnet' | 'not-mainnet'

/**
 * Which chain the endpoints are of. Live mode knows; test mode learns it from the first endpoint
 * that answers, and all others must be of the same.
 */
export class ChainIdentity {
  readonly #network: Network
  #genesisHash: string | undefined

  constructor(network: Network) {
    this.#network = network
    this.#genesisHash = network === 'mainnet' ? mainnetGenesis : undefined
  }

  /** Nothing, while nobody has answered yet. */
  get genesisHash(): string | undefined {
    return this.#genesisHash
  }

  /** Throws when an endpoint that names this chain must not be talked to. */
  accept(hash: string): void {
    if (this.#network === 'mainnet' && hash !== mainnetGenesis)
      throw new WrongChain('the Solana endpoints are not of mainnet, where alone live mode may go')
    if (this.#network !== 'mainnet' && hash === mainnetGenesis)
      throw new WrongChain('the Solana endpoints are of mainnet, where test mode must not go')
    this.#genesisHash ??= hash
    if (hash !== this.#genesisHash)
      throw new WrongChain('the Solana endpoints are not of one chain')
  }
}
