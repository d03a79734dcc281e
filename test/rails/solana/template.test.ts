import { randomBytes } from 'node:crypto'
import { base58 } from '@scure/base'
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getSignatureFromTransaction,
  getTransactionEncoder,
  isOffCurveAddress,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget'
import { getAddMemoInstruction } from '@solana-program/memo'
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../../../src/base/limits.js'
import type { Coin } from '../../../src/money/assets.js'
import { bytesOf, deriveTokenAccount } from '../../../src/rails/solana/addresses.js'
import { createKeySigner } from '../../../src/rails/solana/keys/signer.js'
import { isOnCurve } from '../../../src/rails/solana/on-curve.js'
import { Recipients } from '../../../src/rails/solana/payouts/recipients.js'
import { Templates } from '../../../src/rails/solana/payouts/template.js'
import { mainnetMints, programs } from '../../../src/rails/solana/programs.js'
import { blockhashOf, toWireTransaction } from '../../../src/rails/solana/rpc/wire.js'
import { shareChain } from '../../simulation/localnet/localnet.js'
import { balanceOf } from '../../simulation/localnet/transfers.js'
import { isLongRun } from '../../support/long-run.js'
import { newInstruction, newSecret, openRail, prepareOne, reasonOf } from './rail.js'

/** Payouts built from templates, compared with kit's. */

const microLamports = 10_000n
const secret = newSecret()
const signer = createKeySigner(secret)
const owner = bytesOf(signer.address)
const sources = {
  USDC: deriveTokenAccount(owner, bytesOf(mainnetMints.USDC)),
  USDT: deriveTokenAccount(owner, bytesOf(mainnetMints.USDT)),
}
const recipients = new Recipients(mainnetMints, sources)
const templates = new Templates({
  treasury: signer.address,
  sources,
  mints: mainnetMints,
  microLamports,
})

type Payout = { coin: Coin; wallet: string; amount: bigint; memo: string; blockhash: string }

/** As kit's documentation recommends. */
async function buildWithKit(treasury: KeyPairSigner, payout: Payout) {
  const { wallet, amount, memo, blockhash } = payout
  const mint = address(mainnetMints[payout.coin])
  const find = (of: Address) =>
    findAssociatedTokenPda({ owner: of, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS })
  const [source] = await find(treasury.address)
  const [destination, bump] = await find(address(wallet))
  const instructions = [
    getSetComputeUnitLimitInstruction({ units: 32_000 + 1_500 * (255 - bump) }),
    getSetComputeUnitPriceInstruction({ microLamports }),
    getCreateAssociatedTokenIdempotentInstruction({
      payer: treasury,
      ata: destination,
      owner: address(wallet),
      mint,
    }),
    getTransferCheckedInstruction({
      source,
      mint,
      destination,
      authority: treasury,
      amount,
      decimals: 6,
    }),
    getAddMemoInstruction({ memo }),
  ]
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n }
  const transaction = await pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(treasury, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    (message) => signTransactionMessageWithSigners(message),
  )
  const wire = Buffer.from(getTransactionEncoder().encode(transaction))
  return { wire, signature: getSignatureFromTransaction(transaction) }
}

async function buildFast({ coin, wallet, amount, memo, blockhash }: Payout) {
  const recipient = recipients.find(coin, wallet)!
  const hash = bytesOf(blockhash)
  const message = templates.write({ coin, recipient, amount, memo, blockhash: hash })
  const [signature] = await signer.sign([message])
  return { wire: toWireTransaction(message, signature!), signature: base58.encode(signature!) }
}

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes))
const payouts = fc.record({
  coin: fc.constantFrom<Coin>('USDC', 'USDT'),
  // Refused earlier: a payout to a program that it calls compiles differently.
  wallet: key.filter((text) => text !== programs.system),
  amount: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  memo: fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((text) => {
    return Buffer.byteLength(text) <= limits.solana.memoBytesMax
  }),
  blockhash: key,
})

test('a payout from a template equals that of kit byte for byte', async () => {
  const treasury = await createKeyPairSignerFromBytes(
    Uint8Array.from(JSON.parse(secret.reveal()) as number[]),
  )
  const check = async (payout: Payout) => {
    const fast = await buildFast(payout)
    expect(fast).toEqual(await buildWithKit(treasury, payout))
    expect(blockhashOf(fast.wire)).toBe(payout.blockhash)
  }
  await fc.assert(fc.asyncProperty(payouts, check), { numRuns: isLongRun ? 150 : 40 })
  // Messages sort addresses, so the wallet's position depends on its first letter.
  for (let first = 0; first < 256; first += 16) {
    const wallet = base58.encode(Buffer.concat([Buffer.from([first]), randomBytes(31)]))
    const memo = 'm'.repeat(1 + (first % limits.solana.memoBytesMax))
    await check({ coin: 'USDC', wallet, amount: 1n, memo, blockhash: wallet })
  }
  const wallet = findWallet((bump) => bump <= 246)
  await check({ coin: 'USDC', wallet, amount: 1n, memo: 'low', blockhash: wallet })
})

test('agrees with kit about points on the curve', () => {
  const agree = (text: string) => {
    expect([text, isOnCurve(bytesOf(text))]).toEqual([text, !isOffCurveAddress(address(text))])
  }
  fc.assert(fc.property(key, agree), { numRuns: isLongRun ? 300 : 100 })
  for (const special of [0, 1, 2, 236, 237, 238])
    for (const [rest, top] of [
      [0, 0],
      [0, 128],
      [255, 127],
      [255, 255],
    ] as const) {
      const bytes = Buffer.alloc(32, rest)
      bytes[0] = special
      bytes[31] = top
      agree(base58.encode(bytes))
    }
})

/** A random wallet whose token account has a wanted bump. */
function findWallet(isWanted: (bump: number) => boolean): string {
  const mint = bytesOf(mainnetMints.USDC)
  for (;;) {
    const bytes = randomBytes(32)
    if (isOnCurve(bytes) && isWanted(deriveTokenAccount(bytes, mint).bump))
      return base58.encode(bytes)
  }
}

const shared = shareChain()

test('a payout has enough compute units for every bump', async () => {
  const chain = shared()
  const rail = await openRail(chain)
  for (const wanted of [255, 252, 249, 246]) {
    const to = findWallet((bump) => (wanted === 246 ? bump <= wanted : bump === wanted))
    const reference = 'r'.repeat(limits.solana.memoBytesMax)
    const instruction = await newInstruction({ to, reference })
    expect(await reasonOf(rail, instruction)).toBeUndefined()
    const attempt = await prepareOne(rail, instruction)
    await rail.send([attempt])
    await chain.advance(32)
    expect(await rail.check([attempt])).toEqual([{ state: 'landed' }])
    expect(await balanceOf(chain, to)).toBe(1_500_000n)
  }
})
