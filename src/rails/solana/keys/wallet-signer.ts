/** A message that the wallet with this number must sign. */
type WalletSigningRequest = { number: number; wallet: string; message: Uint8Array }

/** Holds the seed of the deposit wallets, in this process, another one or on another machine. */
export type WalletSigner = {
  /** In the order of the numbers. The address of a number never changes. */
  deriveAddresses(numbers: number[]): Promise<string[]>
  /**
   * Signatures in the order of the requests. Throws when it cannot sign all of them, and when the
   * seed derives another address than the requested wallet's.
   */
  sign(requests: WalletSigningRequest[]): Promise<Uint8Array[]>
  stop?(): Promise<void>
}
