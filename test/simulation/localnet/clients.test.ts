import {
  address,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getSignatureFromTransaction,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { expect, onTestFinished, test } from 'vitest'
import { startChain } from './localnet.js'
import { newPayer, newWallet, tokenAccountOf, usdc } from './transfers.js'

/** The two common clients, unmodified, over HTTP and WebSocket. */

/** Its socket would reconnect for the rest of the run; the package has no public way to close it. */
function openConnection(url: string): Connection {
  const connection = new Connection(url, 'confirmed')
  const { _rpcWebSocket: socket } = connection as unknown as { _rpcWebSocket: { close(): void } }
  onTestFinished(() => socket.close())
  return connection
}

test('@solana/kit pays USDC to a fresh wallet, confirms it and reads it back', async () => {
  const chain = await startChain({ slotMs: 20 })
  const payer = await newPayer(chain)
  const to = await newWallet()
  const rpc = createSolanaRpc(chain.url)
  const rpcSubscriptions = createSolanaRpcSubscriptions(chain.wsUrl)
  const destination = await tokenAccountOf(to)
  const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
  const instructions = [
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: destination,
      owner: to,
      mint: usdc,
    }),
    getTransferCheckedInstruction({
      source: await tokenAccountOf(payer.address),
      mint: usdc,
      destination,
      authority: payer,
      amount: 1_500_000n,
      decimals: 6,
    }),
  ]
  const transaction = await pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
    (message) => signTransactionMessageWithSigners(message),
  )
  assertIsTransactionWithBlockhashLifetime(transaction)
  const send = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })
  await send(transaction, { commitment: 'confirmed' })

  const balance = await rpc.getTokenAccountBalance(destination, { commitment: 'confirmed' }).send()
  expect(balance.value).toMatchObject({ amount: '1500000', decimals: 6, uiAmountString: '1.5' })
  const signature = getSignatureFromTransaction(transaction)
  const options = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const
  const read = await rpc.getTransaction(signature, { ...options, encoding: 'jsonParsed' }).send()
  expect(read?.meta).toMatchObject({ err: null, fee: 5_000n })
  expect(read?.meta?.postTokenBalances).toContainEqual(
    expect.objectContaining({ owner: to, mint: usdc }),
  )
  expect(read?.transaction.message.instructions[1]).toMatchObject({
    program: 'spl-token',
    parsed: { type: 'transferChecked', info: { tokenAmount: { amount: '1500000' } } },
  })
  const account = await rpc
    .getAccountInfo(destination, { encoding: 'jsonParsed', commitment: 'confirmed' })
    .send()
  expect(account.value?.data).toMatchObject({ parsed: { info: { owner: to } } })
  const lines = await rpc.getSignaturesForAddress(destination, { commitment: 'confirmed' }).send()
  expect(lines.map((line) => line.signature)).toEqual([signature])
})

test('@solana/web3.js pays USDC to a fresh wallet, confirms it and reads it back', async () => {
  const chain = await startChain({ slotMs: 20 })
  const connection = openConnection(chain.url)
  const payer = Keypair.generate()
  const to = Keypair.generate().publicKey
  const airdrop = await connection.requestAirdrop(payer.publicKey, 1_000_000_000)
  const latest = await connection.getLatestBlockhash()
  await connection.confirmTransaction({ signature: airdrop, ...latest })
  const owner = payer.publicKey.toBase58()
  await chain.call('localnet_mint', { owner, mint: usdc, amount: '5000000', key: 'w' })

  const destination = new PublicKey(await tokenAccountOf(to.toBase58()))
  const source = new PublicKey(await tokenAccountOf(payer.publicKey.toBase58()))
  const transaction = new Transaction().add(
    createAccount(payer.publicKey, destination, to),
    transferChecked({ source, destination, authority: payer.publicKey, amount: 2_250_000n }),
  )
  const signature = await sendAndConfirmTransaction(connection, transaction, [payer])

  const { value } = await connection.getTokenAccountBalance(destination)
  expect(value).toMatchObject({ amount: '2250000', uiAmount: 2.25 })
  const options = { maxSupportedTransactionVersion: 0 } as const
  const read = await connection.getParsedTransaction(signature, options)
  expect(read?.meta?.err).toBeNull()
  expect(read?.meta?.postTokenBalances).toHaveLength(2)
  expect((await connection.getTransaction(signature, options))?.slot).toBe(read?.slot)
  const owned = await connection.getParsedTokenAccountsByOwner(to, { mint: new PublicKey(usdc) })
  expect(owned.value[0]?.account.data.parsed.info.tokenAmount.amount).toBe('2250000')
  expect(await connection.getBalance(payer.publicKey)).toBe(1_000_000_000 - 5_000 - 2_039_280)
  expect(await connection.getSignaturesForAddress(destination)).toHaveLength(1)
})

test('both clients parse a refusal', async () => {
  const chain = await startChain({ slotMs: 20 })
  const connection = openConnection(chain.url)
  const [poor, to] = [Keypair.generate(), Keypair.generate().publicKey]
  const transfer = SystemProgram.transfer({ fromPubkey: poor.publicKey, toPubkey: to, lamports: 1 })
  await expect(
    sendAndConfirmTransaction(connection, new Transaction().add(transfer), [poor]),
  ).rejects.toThrow('Attempt to debit an account but found no record of a prior credit')
  const rpc = createSolanaRpc(chain.url)
  const missing = address(to.toBase58())
  await expect(rpc.getTokenAccountBalance(missing).send()).rejects.toMatchObject({
    context: { __code: -32602, __serverMessage: 'Invalid param: could not find account' },
  })
})

/** Built by hand, to avoid a dependency on the token package for web3.js. */
function createAccount(payer: PublicKey, account: PublicKey, owner: PublicKey) {
  const [tokens, associated] = [
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  ].map((text) => new PublicKey(text))
  const readonly = (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable: false })
  return new TransactionInstruction({
    programId: associated!,
    keys: [
      { pubkey: payer, isSigner: true, isWritable: true },
      { pubkey: account, isSigner: false, isWritable: true },
      readonly(owner),
      readonly(new PublicKey(usdc)),
      readonly(SystemProgram.programId),
      readonly(tokens!),
    ],
    data: Buffer.from([1]),
  })
}

function transferChecked(transfer: {
  source: PublicKey
  destination: PublicKey
  authority: PublicKey
  amount: bigint
}) {
  const data = Buffer.alloc(10)
  data[0] = 12
  data.writeBigUInt64LE(transfer.amount, 1)
  data[9] = 6
  return new TransactionInstruction({
    programId: new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
    keys: [
      { pubkey: transfer.source, isSigner: false, isWritable: true },
      { pubkey: new PublicKey(usdc), isSigner: false, isWritable: false },
      { pubkey: transfer.destination, isSigner: false, isWritable: true },
      { pubkey: transfer.authority, isSigner: true, isWritable: false },
    ],
    data,
  })
}
