import {
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createNoopSigner,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget'
import { getAddMemoInstruction } from '@solana-program/memo'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'

export type TokenTransfer = {
  treasury: string
  source: string
  mint: string
  decimals: number
  wallet: string
  tokenAccount: string
  amount: bigint
  units: number
  microLamports: bigint
  memo: string
}

/** Where the instructions that can fail stand in a payout. */
export const instructionIndex = { createAccount: 2, transfer: 3 } as const

/**
 * What a payout asks of the chain. The account is always made if there is none: this also fails
 * when the account has changed its owner, where a bare transfer would pay a stranger. The memo
 * keeps two equal payouts from being one transaction, and names the payout to whoever looks.
 */
export function payoutInstructions(transfer: TokenTransfer): Instruction[] {
  const treasury = createNoopSigner(address(transfer.treasury))
  const mint = address(transfer.mint)
  const destination = address(transfer.tokenAccount)
  const { amount, decimals, units, microLamports, memo } = transfer
  return [
    getSetComputeUnitLimitInstruction({ units }),
    getSetComputeUnitPriceInstruction({ microLamports }),
    getCreateAssociatedTokenIdempotentInstruction({
      payer: treasury,
      ata: destination,
      owner: address(transfer.wallet),
      mint,
    }),
    getTransferCheckedInstruction({
      source: address(transfer.source),
      mint,
      destination,
      authority: treasury,
      amount,
      decimals,
    }),
    getAddMemoInstruction({ memo }),
  ]
}

/** The bytes that are signed, built by kit. */
export function compilePayout(transfer: TokenTransfer, blockhash: string): Buffer {
  const { treasury } = transfer
  return compile({ payer: treasury, blockhash, instructions: payoutInstructions(transfer) }).message
}

export type Draft = { payer: string; blockhash: string; instructions: Instruction[] }

/** The bytes, and whose signatures they need: the payer's first. */
export function compile({ payer, blockhash, instructions }: Draft) {
  const draft = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(address(payer), empty),
    (unsent) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        unsent,
      ),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  )
  const compiled = compileTransactionMessage(draft)
  const signers: string[] = compiled.staticAccounts.slice(0, compiled.header.numSignerAccounts)
  return { message: Buffer.from(getCompiledTransactionMessageEncoder().encode(compiled)), signers }
}
