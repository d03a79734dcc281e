import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { afterAll, expect, test } from 'vitest'
import { Manilla } from '../../sdk/src/manilla.js'
import { rpcAt } from '../simulation/localnet/localnet.js'
import { newWallet, signTransfer, unchecked } from '../simulation/localnet/transfers.js'
import {
  createHome,
  isRunning,
  type Program,
  readDemo,
  removeHome,
  runCommand,
  startProgram,
} from '../support/program.js'
import { until } from '../support/sessions.js'

const home = createHome()
let running: Program
afterAll(async () => {
  if (isRunning(running.pid)) running.signal('SIGKILL')
  await running.ended
  await removeHome(home)
})

async function payCoins(manilla: Manilla, destinationAddress: string) {
  const { reference } = await manilla.cryptoTransfers.create({
    amount: '25',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress,
  })
  await until(async () => (await manilla.cryptoTransfers.get(reference)).status === 'CONFIRMED')
}

async function payNaira(manilla: Manilla, accountNumber: string) {
  const order = { amount: 5_000, bankCode: '058', accountNumber }
  const { reference } = await manilla.bankTransfers.create(order)
  await until(async () => (await manilla.bankTransfers.get(reference)).status === 'COMPLETED')
}

const agreed = {
  code: 0,
  out: expect.stringMatching(/\n\nBooks, chain and bank agree\.\n$/),
  err: '',
}

// Each command is a new process, which takes a while on a busy machine.
const timeout = 180_000

test('manilla reconcile agrees beside a running service, and without one', {
  timeout,
}, async () => {
  running = await startProgram(home)
  const { baseUrl, test: keys } = readDemo(home)
  const manilla = new Manilla(keys.secretKey, { baseUrl })
  await payCoins(manilla, await newWallet())
  await payNaira(manilla, '0123456789')
  expect(await runCommand(home, 'reconcile')).toEqual(agreed)
  expect(await runCommand(home, 'reconcile', '--since-slot', '1')).toEqual(agreed)
  running.signal('SIGINT')
  await running.ended
  expect(await runCommand(home, 'reconcile')).toEqual(agreed)
})

test('and reports payments of the treasury outside of the service, with exit code 1', {
  timeout,
}, async () => {
  running = await startProgram(home)
  const { solanaRpcUrl } = readDemo(home) as { solanaRpcUrl?: string }
  const chain = rpcAt(solanaRpcUrl!)
  const bytes = JSON.parse(readFileSync(path.join(home, 'test-treasury.json'), 'utf8'))
  const payer = await createKeyPairSignerFromBytes(Uint8Array.from(bytes))
  const transfer = { payer, to: await newWallet(), amount: 1_000_000n, memo: 'a secret errand' }
  const { signature, wire } = await signTransfer(chain, transfer)
  await chain.call('sendTransaction', wire, unchecked)
  await until(async () => {
    const { value } = await chain.call('getSignatureStatuses', [signature])
    return value[0]?.confirmationStatus === 'finalized'
  })
  const said = await runCommand(home, 'reconcile')
  expect(said.code).toBe(1)
  expect(said.out).toContain(`not in books: ${signature} (solana:`)
  expect(said.out).toContain('at the rail:  1 USDC completed, with the memo a secret errand')
  expect(said.out).toMatch(
    /treasury differs: USDC .*\n {6}in the books: 9,975 USDC\n.* 9,974 USDC\n/,
  )
  const data = JSON.parse((await runCommand(home, 'reconcile', '--json')).out)
  expect(data.isClean).toBe(false)
})
