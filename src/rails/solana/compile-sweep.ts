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
import type { SweptPart } from '../../collections/ports.js'
import type { TokenAddress } from './addresses.js'
import { unitsFor } from './template.js'

export type SweepTransaction = {
  treasury: string
  /** Where the treasury keeps the coin. */
  destination: TokenAddress
  mint: string
  decimals: number
  parts: SweptPart[]
  microLamports: bigint
  memo: string
}

/**
 * How many fit in the 1,232 bytes of a transaction, each with its signature, its two addresses and
 * both instructions, beside a memo of some length.
 */
export const partsPerSweep = 5
export const sweepMemoBytes = 64

/**
 * A transfer and giving the account up take 223 units together. With the token program that was
 * there before, which some chains may still have, they take some 9,300.
 */
const unitsPerPart = 12_000

/**
 * What a sweep asks of the chain. All of it happens or nothing does: an account that has received
 * more meanwhile is not given up. The treasury's own account is always made if there is none, which
 * also fails when it has changed its owner.
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
