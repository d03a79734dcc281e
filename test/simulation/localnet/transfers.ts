import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import type { Rpc } from './localnet.js'

/** Payers with balances, and signed transfers like a rail's. */

export const usdc = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
export const usdt = address('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB')

export type Signed = { signature: string; wire: string; blockhash: string }
export type Lifetime = { blockhash: Blockhash; lastValidBlockHeight: number }

export async function tokenAccountOf(owner: string, mint: string = usdc): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: address(mint),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  return account
}

export async function newWallet(): Promise<Address> {
  return (await generateKeyPairSigner()).address
}

/** A payer with 1 SOL for fees and 1,000 USDC. */
export async function newPayer(rpc: Rpc, key = crypto.randomUUID()): Promise<KeyPairSigner> {
  const payer = await generateKeyPairSigner()
  await rpc.call('requestAirdrop', payer.address, 1_000_000_000)
  await rpc.call('localnet_mint', { owner: payer.address, mint: usdc, amount: '1000000000', key })
  return payer
}

export async function lifetime(rpc: Rpc, commitment = 'processed'): Promise<Lifetime> {
  return (await rpc.call('getLatestBlockhash', { commitment })).value
}

export async function sign(
  payer: KeyPairSigner,
  { blockhash, lastValidBlockHeight }: Lifetime,
  instructions: Instruction[],
): Promise<Signed> {
  const transaction = await pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) },
        message,
      ),
    (message) => appendTransactionMessageInstructions(instructions, message),
    (message) => signTransactionMessageWithSigners(message),
  )
  return {
    signature: getSignatureFromTransaction(transaction),
    wire: getBase64EncodedWireTransaction(transaction),
    blockhash,
  }
}

export type Transfer = {
  payer: KeyPairSigner
  to: string
  amount?: bigint
  memo?: string
  at?: Lifetime
}

/** A USDC transfer to a wallet; creates its token account if needed. */
export async function signTransfer(rpc: Rpc, transfer: Transfer): Promise<Signed> {
  const { payer, to, amount = 1_000_000n, memo = crypto.randomUUID() } = transfer
  const instructions = [
    getAddMemoInstruction({ memo }),
    ...(await transferInstructions(payer, to, amount)),
  ]
  return sign(payer, transfer.at ?? (await lifetime(rpc)), instructions)
}

/** What a payer's wallet sends: creates the token account if needed, then transfers USDC. */
export async function transferInstructions(payer: KeyPairSigner, to: string, amount: bigint) {
  const destination = await tokenAccountOf(to)
  return [
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: destination,
      owner: address(to),
      mint: usdc,
    }),
    getTransferCheckedInstruction({
      source: await tokenAccountOf(payer.address),
      mint: usdc,
      destination,
      authority: payer,
      amount,
      decimals: 6,
    }),
  ]
}

export const unchecked = { encoding: 'base64', skipPreflight: true } as const
export const checked = { encoding: 'base64', preflightCommitment: 'processed' } as const

/** USDC balance of a wallet, in the smallest unit. */
export async function balanceOf(rpc: Rpc, owner: string, commitment = 'processed') {
  const account = await tokenAccountOf(owner)
  const { result } = await rpc.request('getTokenAccountBalance', account, { commitment })
  return BigInt(result?.value.amount ?? 0)
}

export async function statusOf(rpc: Rpc, signature: string, searchTransactionHistory = false) {
  const options = { searchTransactionHistory }
  const { value } = await rpc.call('getSignatureStatuses', [signature], options)
  return value[0]
}
