import type { Scenario, ScenarioContext } from './scenario-context.js'

const asset = 'USDC'
const network = 'SOLANA'
const coin = { asset, network } as const

/** An ordinary wallet; its key was discarded. */
const anyWallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
/** Transfers to it land and fail: docs/reference/test-mode.md. */
const failingWallet = 'GKr1nro9PDbXy948bwH9FBDsZQHHN4j99ncuJixDGYG2'

async function openWallet({ manilla, name }: ScenarioContext, more: { expiresAt?: string } = {}) {
  return manilla.cryptoWallets.create({ merchantReference: name, ...coin, amount: '25', ...more })
}

function deposit({ manilla }: ScenarioContext, { address }: { address: string }, amount = '25') {
  return manilla.test.cryptoDeposits.create({ address, asset, amount })
}

function deposited(amount: string): Scenario {
  return async (context) => {
    const wallet = await openWallet(context)
    await deposit(context, wallet, amount)
    return wallet.reference
  }
}

function send(
  destinationAddress: string,
  findAmount = async (_: ScenarioContext) => '1',
): Scenario {
  return async (context) => {
    const amount = await findAmount(context)
    const transfer = await context.withFunds(asset, () =>
      context.manilla.cryptoTransfers.create({ amount, ...coin, destinationAddress }),
    )
    return transfer.reference
  }
}

/** More than the approval rule lets pass. */
async function findAmountOverRule(context: ScenarioContext): Promise<string> {
  const [whole] = String((await context.readRule(asset)).each).split('.')
  return (BigInt(whole!) + 1n).toString()
}

async function openDedicated({ manilla, name }: ScenarioContext) {
  return manilla.dedicatedCryptoWallets.create({ externalReference: name, network })
}

export const coinScenarios = {
  'crypto_wallet.paid': deposited('25'),
  'crypto_wallet.underpaid': deposited('24.5'),
  'crypto_wallet.overpaid': deposited('25.5'),
  'crypto_wallet.late_payment': async (context) => {
    const wallet = await openWallet(context)
    await context.manilla.cryptoWallets.cancel(wallet.reference)
    await deposit(context, wallet)
    return wallet.reference
  },
  'crypto_wallet.duplicate_payment': async (context) => {
    const wallet = await openWallet(context)
    await deposit(context, wallet)
    await context.waitFor('crypto_wallet.paid', wallet.reference)
    await deposit(context, wallet)
    return wallet.reference
  },
  'crypto_wallet.expired': async (context) => {
    const wallet = await context.createExpiring((expiresAt) => openWallet(context, { expiresAt }))
    return wallet.reference
  },
  'crypto_wallet.cancelled': async (context) => {
    const { reference } = await openWallet(context)
    await context.manilla.cryptoWallets.cancel(reference)
    return reference
  },
  'dedicated_crypto_wallet.created': async (context) => (await openDedicated(context)).reference,
  'dedicated_crypto_wallet.credited': async (context) => {
    const wallet = await openDedicated(context)
    await deposit(context, wallet)
    return wallet.reference
  },
  'crypto_transfer.pending': send(anyWallet, findAmountOverRule),
  'crypto_transfer.submitted': send(anyWallet),
  'crypto_transfer.confirmed': send(anyWallet),
  'crypto_transfer.failed': send(failingWallet),
} satisfies Record<string, Scenario>
