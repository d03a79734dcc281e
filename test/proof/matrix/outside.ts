import { createSecretKey, randomUUID } from 'node:crypto'
import type { Emulator, Provider } from '../../../emulators/emulator.js'
import { openEmulator, variablesFor } from '../../../emulators/open-emulator.js'
import { readConfig } from '../../../src/base/config.js'
import { createLogger } from '../../../src/base/log.js'
import { deriveNoticeKey } from '../../../src/base/sealed.js'
import type { Secret } from '../../../src/base/secret.js'
import type { BankRail } from '../../../src/collections/ports.js'
import { Rails } from '../../../src/collections/rails.js'
import type { Coin } from '../../../src/money/assets.js'
import type { SimulatedRail } from '../../../src/payouts/ports.js'
import { createOpenPayoutTotals } from '../../../src/payouts/reconciliation/treasury-books.js'
import type { Database } from '../../../src/postgres/database.js'
import { openProviders } from '../../../src/processes/open-banks.js'
import type { OpenRails } from '../../../src/processes/open-rails.js'
import { createSeedSigner, makeMnemonic } from '../../../src/rails/solana/keys/seed.js'
import { createKeySigner } from '../../../src/rails/solana/keys/signer.js'
import { createSolanaRail } from '../../../src/rails/solana/rail.js'
import {
  createCoinMint,
  createLocalnetPayers,
  giveLamports,
} from '../../../src/simulation/embedded-chain.js'
import { createEmulatedPayers } from '../../../src/simulation/emulated-payers.js'
import { sandboxBankItself } from '../../../src/simulation/sandbox-bank/magic-accounts.js'
import { writeNotice } from '../../../src/simulation/sandbox-bank/notice.js'
import { createSandboxBank } from '../../../src/simulation/sandbox-bank/sandbox-bank.js'
import { createSimulatedBank } from '../../../src/simulation/sandbox-bank/simulated-bank.js'
import { SimulatedChain } from '../../../src/simulation/simulated-chain.js'
import { findOurAddresses } from '../../../src/wallets/store-wallets.js'
import { newSecret } from '../../rails/solana/rail.js'
import type { TestChain } from '../../simulation/localnet/localnet.js'
import type { manualClock } from '../../support/clock.js'
import { type GatedCall, type HttpGate, openHttpGate } from '../gates/http-gate.js'
import type { Keeper } from '../gates/passage.js'

export type VirtualClock = ReturnType<typeof manualClock>

/** The bank and, if a path needs it, the chain. Both survive every instance. */
export type OutsideSettings = {
  bank: 'sandbox' | Provider
  chain?: TestChain | undefined
}

/** A transfer into an account at the bank. */
export type PaymentIn = {
  accountNumber: string
  /** In kobo. */
  amount: number
  /** How often the bank sends its notice. 0: never, so the payment is only found by polling. */
  copies?: number
  senderAccountNumber?: string
}

const settings = { DATABASE_URL: 'postgres://nobody', MANILLA_SECRET: 's'.repeat(32) }
const logger = createLogger('silent')

/** Read in the background by real time, and without any effect. */
const unguardedCalls = new Set(['getLatestBlockhash', 'getGenesisHash', 'getVersion', 'getHealth'])

/** Opens what a world has outside of its instances, and the rails by which they reach it. */
export async function openOutside(
  { bank, chain }: OutsideSettings,
  { db: ownDb, clock, secret }: { db: Database; clock: VirtualClock; secret: Secret },
) {
  const emulator = bank === 'sandbox' ? undefined : await openEmulator(bank, { clock, speed: 1e4 })
  const signer = createKeySigner(newSecret())
  const mnemonic = makeMnemonic()
  if (chain) await giveLamports(chain.url, signer.address)
  const noticeKey = deriveNoticeKey(secret)
  const sandboxPayers = createSandboxBank({ db: ownDb, clock, logger, noticeKey })
  const chainPayers = chain && createLocalnetPayers(chain.url, { waitsForBlock: false })
  let payments = 0

  async function openRails(
    { db }: { db: Database },
    keeper: Keeper,
    onGate: (gate: HttpGate) => void,
  ): Promise<OpenRails> {
    const gated = async (url: string, nameOf: (call: GatedCall) => string | undefined) => {
      const gate = await openHttpGate(url, keeper, nameOf)
      onGate(gate)
      return gate.url
    }
    const sandbox = emulator ? undefined : createSandboxBank({ db, clock, logger, noticeKey })
    const provider = emulator && (await openProvider(emulator, { db, clock }, gated))
    const bankRail: BankRail = (sandbox ?? provider)!
    const chainUrl = chain && (await gated(chain.url, nameRpcCall))
    const mint = chainUrl
      ? createCoinMint(chainUrl, { treasuryAddress: signer.address })
      : undefined
    const solana = chainUrl
      ? await createSolanaRail({
          nodeUrls: [chainUrl],
          signer,
          walletSigner: createSeedSigner(mnemonic),
          clock,
          logger,
          isEmbedded: true,
          network: 'not-mainnet',
          findOurAddresses: (rail, addresses) => findOurAddresses(db, rail, addresses),
          openPayouts: createOpenPayoutTotals(db, 'test'),
        })
      : undefined
    const simulatedRails: SimulatedRail[] = [
      ...(sandbox ? [createSimulatedBank(sandbox)] : []),
      ...(solana ? [new SimulatedChain(chain!.url, solana)] : []),
    ]
    return {
      rails: new Rails({
        test: {
          payoutBank: bankRail,
          collectBank: bankRail,
          banks: [bankRail],
          chain: solana,
          wallets: solana?.wallets,
        },
      }),
      localnetPayers: chainPayers,
      simulatedRails,
      mint,
      sandboxBank: sandbox,
      testPayers: emulator ? createEmulatedPayers(emulator) : sandbox,
      emulator: undefined,
      localnet: undefined,
      solana: { test: solana, live: undefined },
      treasuries: [],
      floats: [],
      async close() {
        await Promise.all([sandbox?.stop(), provider?.stop(), solana?.stop()])
      },
    }
  }

  /** Sends a notice that the bank does not repeat if it is not answered. */
  async function payIntoSandbox(noticesUrl: string, payment: PaymentIn): Promise<void> {
    const { accountNumber, amount, copies = 1, senderAccountNumber } = payment
    payments += 1
    const received = await sandboxPayers.receivePayment({
      id: `sbp_proof${payments}`,
      accountNumber,
      amount: BigInt(amount),
      sender: senderAccountNumber
        ? { accountNumber: senderAccountNumber, bankCode: sandboxBankItself.code }
        : {},
      paidAt: clock.now(),
      copies: 1,
      isSilent: true,
    })
    const notice = writeNotice(createSecretKey(noticeKey), received!)
    for (let sent = 0; sent < copies; sent += 1)
      await fetch(noticesUrl, { method: 'POST', ...notice }).catch(() => undefined)
  }

  async function payIntoEmulator(to: Emulator, payment: PaymentIn): Promise<void> {
    const { accountNumber, amount, copies = 1, senderAccountNumber } = payment
    await to.pay({
      accountNumber,
      amount: BigInt(amount),
      isSilent: copies === 0,
      copies: Math.max(1, copies),
      ...(senderAccountNumber && { senderAccountNumber }),
    })
    await to.drainNotices()
  }

  return {
    emulator,
    chain,
    treasuryAddress: signer.address,
    openRails,
    /** A payer pays once. */
    pay: (noticesUrl: string, payment: PaymentIn) =>
      emulator ? payIntoEmulator(emulator, payment) : payIntoSandbox(noticesUrl, payment),
    /** A payer sends coins once, which are in the next block. */
    async deposit(deposit: { address: string; asset: Coin; amount: bigint }): Promise<void> {
      await chainPayers!.deposit({ ...deposit, key: randomUUID() })
    },
    async close() {
      await emulator?.close()
    },
  }
}

/** As a service in test mode with this provider opens its rail, but through a gate. */
async function openProvider(
  emulator: Emulator,
  { db, clock }: { db: Database; clock: VirtualClock },
  gated: (url: string, nameOf: (call: GatedCall) => string) => Promise<string>,
): Promise<BankRail> {
  const { provider } = emulator
  const url = await gated(emulator.url, (call) => `${provider} ${nameHttpCall(call)}`)
  const variables = { ...emulator.variables, [`${provider.toUpperCase()}_URL`]: url }
  const config = readConfig({ ...settings, ...variablesFor({ variables }, 'TEST') })
  const banks = openProviders({ config, db, clock, logger }, 'test')
  return banks.find((bank) => bank.provider === provider)!
}

/** Without queries, and without the parts of the path that name one resource. */
function nameHttpCall({ method, path }: GatedCall): string {
  const parts = path.split('?')[0]!.split('/')
  const isName = (part: string) => !/\d/.test(part) || /^v\d$/.test(part)
  return `${method} ${parts.map((part) => (isName(part) ? part : ':id')).join('/')}`
}

/** Undefined for calls that only read what a clock would tell. */
function nameRpcCall({ body }: GatedCall): string | undefined {
  const calls = [JSON.parse(body.toString())].flat() as { method: string }[]
  const names = [...new Set(calls.map(({ method }) => method))].filter(
    (name) => !unguardedCalls.has(name),
  )
  return names.length === 0 ? undefined : `solana ${names.join(' ')}`
}
