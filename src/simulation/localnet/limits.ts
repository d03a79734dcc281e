import { minute, second } from '../../base/clock.js'

/** Limits of the localnet. */
export const localnetLimits = {
  /** Rules of every Solana cluster. */
  blockhashAge: 150,
  confirmedAfter: 1,
  finalizedAfter: 32,
  transactionBytes: 1_232,
  /** How long statuses are found without `searchTransactionHistory`. */
  recentStatusSlots: 300,
  healthySlots: 128,
  slotsPerEpoch: 432_000,
  /** Slots exceed heights, as after skipped slots, so that code confusing them fails here. */
  slotsAhead: 1_000,
  firstHeight: 256,
  /** Heights claimed in the journal at once, before use; a crash skips the unused ones. */
  heightsClaimed: 50,
  lagSlots: 150,
  blocksPerAdvanceMax: 10_000,
  bodyBytes: 4 * 1024 * 1024,
  callsPerRequestMax: 1_000,
  accounts: 100,
  statuses: 256,
  signatures: 1_000,
  prioritizationFees: 150,
  airdropLamports: 1_000_000_000_000,
  /** Airdrop to the treasury of test mode, and the balance below which it gets one. */
  treasuryLamports: 1_000_000_000_000,
  treasuryLamportsMin: 100_000_000_000,
  blockMs: 100,
  restartMs: second,
  confirmWithinMs: 10 * second,
  confirmEveryMs: 20,
  faucetRequestsMax: 1_000,
  requestKeyLengthMax: 200,
  rulesMax: 10_000,
  /** Transfers with an outcome set by a tester; the oldest are dropped first. */
  settledTransfersMax: 1_000,
  nodesMax: 16,
  subscriptionsPerClientMax: 10_000,
  messageBytes: 64 * 1024,
  namesCachedMax: 10_000,
  accountsCachedMax: 10_000,
  chunkBytes: 8 * 1024 * 1024,
  recordBytes: 64 * 1024 * 1024,
  statesPerBatchMax: 20_000,
  portAttemptsMax: 50,
  keepAliveMs: 72 * second,
  readyWithinMs: 2 * minute,
  stopWithinMs: 10 * second,
} as const
