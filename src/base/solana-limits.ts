import { strict as assert } from 'node:assert'
import { second } from './clock.js'

/** Limits of the Solana rail. */
export const solanaLimits = {
  // Rules of every cluster and of Agave's JSON-RPC.
  /** Blocks for which a blockhash is valid. */
  blockhashAge: 150,
  /** Confirmations after which a block is final. */
  finalizedAfter: 32,
  transactionBytes: 1_232,
  accountsPerCall: 100,
  statusesPerCall: 256,
  signaturesPerCall: 1_000,

  /**
   * Agave reads at most 50 KiB per request; a payout takes about 900 bytes of it. With the check of
   * the chain, a request has one call more.
   */
  callsPerRequestMax: 49,
  /** A transaction is sent only to a node whose chain was checked this recently. */
  chainCheckMs: 2 * second,
  requestsInFlightMax: 4,
  /** Calls whose responses may be long: a page of a history, or all tokens of a wallet. */
  longAnswersPerRequestMax: 20,
  connectionsMax: 16,
  callTimeoutMs: 5 * second,
  /** Attempts per node before the rail counts as unavailable. */
  attemptsPerNodeMax: 2,
  responseBytesMax: 16 * 1024 * 1024,
  nodesMax: 5,
  memoBytesMax: 128,
  /** How long a blockhash is reused. It is valid for about a minute. */
  blockhashCacheMs: 2 * second,
  /** On the embedded chain a blockhash is valid for some seconds only. */
  embeddedBlockhashCacheMs: second / 5,
  /** A transfer that no node knows by then was dropped and is sent again. */
  checkAfterMs: second,
  /** How long a transfer takes on the embedded chain until its block is finalized. */
  embeddedFinalityMs: 3.4 * second,
  /** How long the first blockhash waits for a fresher one from another node. */
  blockhashWaitMs: second / 4,
  /** How long treasury balances are cached. */
  balanceCacheMs: second,
  /** How long a recipient that passed its checks is not checked again. */
  recipientCacheMs: 10 * second,
  checkedRecipientsCachedMax: 50_000,
  /** Cached token account addresses of recipients. */
  recipientsCachedMax: 50_000,
  /** Cached transaction templates. */
  templatesCachedMax: 1_000,
  /** An attempt that expired this long ago is searched for by memo: a backup may be older. */
  longOutageBlocks: 2_000,
  /** Even on the worst days at most every second slot was skipped. */
  slotsPerBlock: 2,
  /**
   * About an hour of blocks, more than ever waited for finality. An attempt that existed when a
   * majority had finalized a block cannot land this many blocks after it.
   */
  unfinalizedBlocksMax: 10_000,
  /** About half a minute: a node that is further behind another is not trusted alone. */
  slotLagMax: 64,
  /** A node that failed is queried last for this long. */
  failedNodeAvoidMs: 10 * second,
  historyPagesMax: 100,
  signerTimeoutMs: 5 * second,
  signerQueueMax: 10_000,
  signerLineLengthMax: 200,
} as const

assert(solanaLimits.embeddedBlockhashCacheMs < solanaLimits.blockhashCacheMs)
assert(solanaLimits.blockhashWaitMs < solanaLimits.callTimeoutMs)
assert((solanaLimits.callsPerRequestMax + 1) * 900 < 50 * 1024)
