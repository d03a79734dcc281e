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

type TokenTransfer = {
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

/** Positions of the instructions whose errors are explained, see `chain-errors.ts`. */
export const instructionIndex = { createAccount: 2, transfer: 3 } as const

/**
 * The account creation is idempotent and also fails when the token account has a new owner, where
 * a bare transfer would pay a stranger. The memo gives two equal payouts different signatures, and
 * lets reconciliation match the chain to the books.
 */
function payoutInstructions(transfer: TokenTransfer): Instruction[] {
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

export function compilePayout(transfer: TokenTransfer, blockhash: string): Buffer {
  const { treasury } = transfer
  return compile({ payer: treasury, blockhash, instructions: payoutInstructions(transfer) }).message
}

type TransactionDraft = { payer: string; blockhash: string; instructions: Instruction[] }

/** The message, and the addresses that must sign it, the payer's first. */
export function compile({ payer, blockhash, instructions }: TransactionDraft) {
  const draft = pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayer(address(payer), message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        message,
      ),
    (message) => appendTransactionMessageInstructions(instructions, message),
  )
  const compiled = compileTransactionMessage(draft)
  const signers: string[] = compiled.staticAccounts.slice(0, compiled.header.numSignerAccounts)
  return { message: Buffer.from(getCompiledTransactionMessageEncoder().encode(compiled)), signers }
}
