import { second } from './clock.js'

/** Limits of the Solana rail. */
export const solanaLimits = {
  /** Rules of every cluster and of Agave's JSON-RPC. */
  blockhashAge: 150,
  finalizedAfter: 32,
  transactionBytes: 1_232,
  accountsPerCall: 100,
  statusesPerCall: 256,
  signaturesPerCall: 1_000,
  /** Agave reads at most 50 KiB a request; a payout takes about 900 bytes of it. */
  callsPerRequest: 50,
  requestsUnderWay: 4,
  /** Each answer may be long: a page of a history, or all tokens of a wallet. */
  longAnswersPerRequest: 20,
  connections: 16,
  callMs: 5 * second,
  /** How often each endpoint is tried before the rail counts as unavailable. */
  rounds: 2,
  responseBytes: 16 * 1024 * 1024,
  endpoints: 5,
  memoBytes: 128,
  /** A blockhash lives for about a minute, on the embedded chain for some seconds. */
  blockhashMs: 2 * second,
  embeddedBlockhashMs: second / 5,
  /** How long the first blockhash waits for a fresher one from another endpoint. */
  patienceMs: second / 4,
  balancesMs: second,
  soundMs: 10 * second,
  soundRecipients: 50_000,
  recipients: 50_000,
  templates: 1_000,
  /** Beyond so many blocks, another memory than this one may have paid meanwhile. */
  longOutageBlocks: 2_000,
  /** More than every second slot was never skipped, not even on the worst days. */
  slotsPerBlock: 2,
  /**
   * More blocks, about an hour of them, were never waiting to be finalized. An attempt that
   * existed when a majority had finalized a block cannot land so many blocks after it.
   */
  unfinalizedBlocks: 10_000,
  /** About half a minute: an endpoint that is further behind another is not believed alone. */
  staleSlots: 64,
  /** An endpoint that failed is asked last for this long. */
  awayMs: 10 * second,
  historyPages: 100,
  signerMs: 5 * second,
  signerWaiting: 10_000,
  signerLineLength: 200,
} as const
