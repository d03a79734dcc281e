/** A message that a wallet is to sign: which key of the seed it is, and whose it must be. */
export type WalletOrder = { number: number; wallet: string; message: Uint8Array }

/** Holds the seed of the deposit wallets. May be another process, or another machine. */
export type WalletSigner = {
  /** In the order of the numbers; a number is one address for ever. */
  deriveAddresses(numbers: number[]): Promise<string[]>
  /**
   * One signature per order, in their order. Throws when it cannot sign all of them, and always
   * when the seed derives another address than the wallet that is asked for.
   */
  sign(orders: WalletOrder[]): Promise<Uint8Array[]>
  stop?(): Promise<void>
}
