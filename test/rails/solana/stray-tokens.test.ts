import { type Address, address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { expect, test } from 'vitest'
import { shareChain } from '../../simulation/localnet/localnet.js'
import { newPayer, usdc } from '../../simulation/localnet/transfers.js'
import { land, openFaucet } from './rail.js'
import { deposit, openWallets } from './wallets.js'

const shared = shareChain()
const token2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const bytes = { mint: 82, account: 165 }

async function makeAccount(payer: KeyPairSigner, programAddress: Address, space: number) {
  const newAccount = await generateKeyPairSigner()
  const lamports: number = await shared().call('getMinimumBalanceForRentExemption', space)
  const instruction = getCreateAccountInstruction({
    payer,
    newAccount,
    lamports,
    space,
    programAddress,
  })
  return { address: newAccount.address, instruction }
}

/** Creates a new token and mints some to a wallet. Returns the token account. */
async function giveToken(tokenProgram: Address, to: string, amount: bigint) {
  const payer = await newPayer(shared())
  const { address: mint, instruction } = await makeAccount(payer, tokenProgram, bytes.mint)
  const owner = address(to)
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  const program = { programAddress: tokenProgram }
  const minting = { mint, token: account, mintAuthority: payer, amount }
  await land(shared(), payer, [
    instruction,
    getInitializeMint2Instruction({ mint, decimals: 2, mintAuthority: payer.address }, program),
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: account,
      owner,
      mint,
      tokenProgram,
    }),
    ...(amount > 0n ? [getMintToInstruction(minting, program)] : []),
  ])
  return { address: account as string, asset: mint as string }
}

/** Mints USDC into a token account that is not the wallet's associated one. */
async function giveElsewhere(to: string) {
  const faucet = await openFaucet(shared())
  const made = await makeAccount(faucet, TOKEN_PROGRAM_ADDRESS, bytes.account)
  const account = made.address
  await land(shared(), faucet, [
    made.instruction,
    getInitializeAccount3Instruction({ account, mint: usdc, owner: address(to) }),
    getMintToInstruction({ mint: usdc, token: account, mintAuthority: faucet, amount: 9n }),
  ])
  return { address: account as string, asset: usdc as string }
}

test('stray tokens are found under both token programs', async () => {
  const chain = shared()
  const wallets = await openWallets(chain)
  const derived = await wallets.deriveWallets(Array.from({ length: 30 }, (_, number) => number))
  const [plain, victim, other] = derived
  await deposit(chain, plain!)
  await deposit(chain, victim!, { asset: 'USDT' })
  const strays = [
    { wallet: victim!.address, ...(await giveToken(TOKEN_PROGRAM_ADDRESS, victim!.address, 1n)) },
    { wallet: victim!.address, ...(await giveToken(token2022, victim!.address, 2n)) },
    { wallet: other!.address, ...(await giveElsewhere(other!.address)) },
  ]
  await giveToken(TOKEN_PROGRAM_ADDRESS, plain!.address, 0n)
  await chain.advance(32)
  const found = await wallets.findStrayTokens(derived.map((wallet) => wallet.address))
  const inOrder = (list: { address: string }[]) =>
    [...list].sort((one, two) => (one.address < two.address ? -1 : 1))
  expect(inOrder(found)).toEqual(inOrder(strays))
  expect(await wallets.findStrayTokens([plain!.address])).toEqual([])
})
