import { address, createNoopSigner, type Instruction } from '@solana/kit'
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget'
import { getAddMemoInstruction } from '@solana-program/memo'
import {
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import type { SweptPart } from '../../../collections/ports.js'
import type { TokenAddress } from '../addresses.js'
import { unitsFor } from '../payouts/template.js'

type SweepTransaction = {
  treasury: string
  /** The treasury's token account. */
  destination: TokenAddress
  mint: string
  decimals: number
  parts: SweptPart[]
  microLamports: bigint
  memo: string
}

/**
 * How many parts fit in the 1,232 bytes of a transaction, each with a signature, two addresses and
 * two instructions, next to a memo of `sweepMemoBytes`.
 */
export const partsPerSweep = 5
export const sweepMemoBytes = 64

/**
 * Transfer and close take 223 units together, and about 9,300 with the previous token program,
 * which some chains may still run.
 */
const unitsPerPart = 12_000

/** Position of the first part's transfer; the instructions before it concern the treasury. */
export const firstTransferIndex = 3

/**
 * Atomic: if one account has received more in the meantime, closing it fails and nothing is swept.
 * The idempotent creation of the treasury's token account also fails if its owner has changed.
 */
export function sweepInstructions(sweep: SweepTransaction): Instruction[] {
  const { decimals, microLamports, memo, parts } = sweep
  const treasury = createNoopSigner(address(sweep.treasury))
  const mint = address(sweep.mint)
  const destination = address(sweep.destination.address)
  const units = unitsFor(sweep.destination.bump) + unitsPerPart * parts.length
  return [
    getSetComputeUnitLimitInstruction({ units }),
    getSetComputeUnitPriceInstruction({ microLamports }),
    getCreateAssociatedTokenIdempotentInstruction({
      payer: treasury,
      ata: destination,
      owner: treasury.address,
      mint,
    }),
    ...parts.flatMap(({ wallet, tokenAccount, amount, isClosing }) => {
      const source = address(tokenAccount)
      const owner = createNoopSigner(address(wallet))
      const transfer = { source, mint, destination, authority: owner, amount, decimals }
      const close = { account: source, destination: treasury.address, owner }
      return [
        getTransferCheckedInstruction(transfer),
        ...(isClosing ? [getCloseAccountInstruction(close)] : []),
      ]
    }),
    getAddMemoInstruction({ memo }),
  ]
}
