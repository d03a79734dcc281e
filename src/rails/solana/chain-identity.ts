import { EndpointFailure } from './endpoint.js'
import { mainnetGenesis } from './programs.js'

/** The endpoint serves a chain that this rail must not use. */
export class WrongChain extends EndpointFailure {}

/** Live mode uses mainnet only; test mode never does. */
export type Network = 'mainnet' | 'not-mainnet'

/**
 * The chain that all endpoints must serve: mainnet in live mode; in test mode, the chain of the
 * first endpoint that responds.
 */
export class ChainIdentity {
  readonly #network: Network
  #genesisHash: string | undefined

  constructor(network: Network) {
    this.#network = network
    this.#genesisHash = network === 'mainnet' ? mainnetGenesis : undefined
  }

  /** In test mode, undefined until an endpoint has responded. */
  get genesisHash(): string | undefined {
    return this.#genesisHash
  }

  /** Throws when an endpoint with this genesis hash must not be used. */
  verify(hash: string): void {
    if (this.#network === 'mainnet' && hash !== mainnetGenesis)
      throw new WrongChain('the Solana endpoint is not on mainnet, which live mode requires')
    if (this.#network !== 'mainnet' && hash === mainnetGenesis)
      throw new WrongChain('the Solana endpoint is on mainnet, which test mode must not use')
    this.#genesisHash ??= hash
    if (hash !== this.#genesisHash)
      throw new WrongChain('the Solana endpoints are on different chains')
  }
}
