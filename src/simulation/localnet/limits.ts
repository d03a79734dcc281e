import { minute, second } from '../../base/clock.js'

/** Limits of the embedded chain. */
export const localnetLimits = {
  /** The rules of the chain itself, as every Solana cluster has them. */
  blockhashAge: 150,
  confirmedAfter: 1,
  finalizedAfter: 32,
  transactionBytes: 1_232,
  /** Without a search of the history, a status is known for so many slots. */
  recentStatusSlots: 300,
  healthySlots: 128,
  slotsPerEpoch: 432_000,
  /** As on every cluster that has skipped slots: who mixes up slot and height notices here. */
  slotsAhead: 1_000,
  firstHeight: 256,
  /** Heights are claimed in the journal before they are used; a crash skips what is left. */
  heightsClaimed: 50,
  lagSlots: 150,
  advance: 10_000,
  bodyBytes: 4 * 1024 * 1024,
  calls: 1_000,
  accounts: 100,
  statuses: 256,
  signatures: 1_000,
  prioritizationFees: 150,
  airdropLamports: 1_000_000_000_000,
  /** What the treasury of test mode is given, and when it is given more. */
  treasuryLamports: 1_000_000_000_000,
  lowLamports: 100_000_000_000,
  blockMs: 100,
  restartMs: second,
  confirmWithinMs: 10 * second,
  confirmEveryMs: 20,
  orders: 1_000,
  orderKeyLength: 200,
  rules: 10_000,
  /** Transfers that testers have decided; the oldest are forgotten first. */
  settled: 1_000,
  nodes: 16,
  subscriptions: 10_000,
  messageBytes: 64 * 1024,
  namesRemembered: 10_000,
  accountsRemembered: 10_000,
  chunkBytes: 8 * 1024 * 1024,
  recordBytes: 64 * 1024 * 1024,
  statesAtOnce: 20_000,
  portTries: 50,
  keepAliveMs: 72 * second,
  readyWithinMs: 2 * minute,
  stopWithinMs: 10 * second,
} as const
