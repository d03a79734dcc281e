import type { Scenario, Stage } from './stage.js'

const asset = 'USDC'
const network = 'SOLANA'
const coin = { asset, network } as const

/** A wallet of nobody: its key was thrown away. */
const anyWallet = 'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ'
/** What is sent there lands and fails: docs/reference/test-mode.md. */
const failingWallet = 'GKr1nro9PDbXy948bwH9FBDsZQHHN4j99ncuJixDGYG2'

async function openWallet({ manilla, name }: Stage, more: { expiresAt?: string } = {}) {
  const order = { merchantReference: name, ...coin, amount: '25', ...more }
  return manilla.cryptoWallets.create(order)
}

function deposit({ manilla }: Stage, { address }: { address: string }, amount = '25') {
  return manilla.test.cryptoDeposits.create({ address, asset, amount })
}

function deposited(amount: string): Scenario {
  return async (stage) => {
    const wallet = await openWallet(stage)
    await deposit(stage, wallet, amount)
    return wallet.reference
  }
}

function send(destinationAddress: string): Scenario {
  return async (stage) => {
    const order = { amount: '1', ...coin, destinationAddress }
    const make = () => stage.manilla.cryptoTransfers.create(order)
    return (await stage.afford(asset, make)).reference
  }
}

async function openDedicated({ manilla, name }: Stage) {
  return manilla.dedicatedCryptoWallets.create({ externalReference: name, network })
}

/** How to make everything happen that is about coins. */
export const coinScenarios = {
  'crypto_wallet.paid': deposited('25'),
  'crypto_wallet.underpaid': deposited('24.5'),
  'crypto_wallet.overpaid': deposited('25.5'),
  'crypto_wallet.late_payment': async (stage) => {
    const wallet = await openWallet(stage)
    await stage.manilla.cryptoWallets.cancel(wallet.reference)
    await deposit(stage, wallet)
    return wallet.reference
  },
  'crypto_wallet.duplicate_payment': async (stage) => {
    const wallet = await openWallet(stage)
    await deposit(stage, wallet)
    await stage.until('crypto_wallet.paid', wallet.reference)
    await deposit(stage, wallet)
    return wallet.reference
  },
  'crypto_wallet.expired': async (stage) => {
    const made = await stage.shortLived((expiresAt) => openWallet(stage, { expiresAt }))
    return made.reference
  },
  'crypto_wallet.cancelled': async (stage) => {
    const { reference } = await openWallet(stage)
    await stage.manilla.cryptoWallets.cancel(reference)
    return reference
  },
  'dedicated_crypto_wallet.created': async (stage) => (await openDedicated(stage)).reference,
  'dedicated_crypto_wallet.credited': async (stage) => {
    const wallet = await openDedicated(stage)
    await deposit(stage, wallet)
    return wallet.reference
  },
  'crypto_transfer.submitted': send(anyWallet),
  'crypto_transfer.confirmed': send(anyWallet),
  'crypto_transfer.failed': send(failingWallet),
} satisfies Record<string, Scenario>
