import type { Command } from 'commander'
import type { Manilla, Pages, Payment } from '../src/manilla.js'
import { type Output, type Run, setTestAction } from './action.js'
import { type Failure, misused } from './failure.js'
import { formatMoney, formatNaira, isTooMuch, nairaMax, parseMoney, toKobo } from './money.js'
import type { Terminal } from './terminal.js'

type PayOptions = { asset?: string; from?: string }
type Coin = 'USDC' | 'USDT'

export function registerPay(program: Command, terminal: Terminal): void {
  const pay = program
    .command('pay')
    .description('pay as a customer would, in test mode')
    .argument('<account>', 'account number, wallet address, or a reference (ours or yours)')
    .argument('[amount]', 'in naira or coins (5000 is ₦5,000.00); defaults to the expected amount')
    .option('--asset <coin>', 'USDC or USDT, for a wallet that accepts both')
    .option('--from <number>', "the payer's account number; magic numbers make returns fail")
  setTestAction<PayOptions>(pay, terminal, payOne)
}

/** Where to pay, and the expected amount if there is one. */
type Target =
  | { accountNumber: string; amount?: number }
  | { address: string; asset?: string; amount?: string }

async function payOne({ manilla, args, options }: Run<PayOptions>): Promise<Output> {
  const [account = '', amount] = args
  const target = await findTarget(manilla, account)
  return 'address' in target
    ? payCoins(manilla, target, { amount, asset: options.asset })
    : payNaira(manilla, target, { amount, ...options })
}

async function payNaira(
  manilla: Manilla,
  target: { accountNumber: string; amount?: number },
  given: PayOptions & { amount: string | undefined },
): Promise<Output> {
  if (given.asset !== undefined && given.asset !== 'NGN')
    throw misused('A bank account accepts naira only.', 'Remove --asset, or pay to a wallet.')
  const amount = given.amount === undefined ? target.amount : readKobo(given.amount)
  if (amount === undefined) throw noAmount()
  const { accountNumber } = target
  const sender = given.from === undefined ? {} : { sender: { accountNumber: given.from } }
  const data = await manilla.test.bankTransfers.create({ accountNumber, amount, ...sender })
  const paid = `Paid ${formatNaira(amount)} to ${accountNumber}`
  return { data, text: `${paid}: ${describeResult(data)}.` }
}

function describeResult({ status, variance }: Payment): string {
  const reason = variance === 'NONE' ? '' : ` (${reasons[variance]})`
  return status.toLowerCase() + reason
}

const reasons = {
  UNDERPAID: 'underpaid',
  OVERPAID: 'overpaid; applies to the excess only',
  LATE: 'late',
  DUPLICATE: 'duplicate payment',
}

async function payCoins(
  manilla: Manilla,
  target: { address: string; asset?: string; amount?: string },
  given: { amount: string | undefined; asset: string | undefined },
): Promise<Output> {
  const written = given.amount ?? target.amount
  if (written === undefined) throw noAmount()
  const { address } = target
  const { amount, coin } = readCoins(written)
  const asset = (given.asset ?? coin ?? target.asset ?? 'USDC') as Coin
  const data = await manilla.test.cryptoDeposits.create({ address, asset, amount })
  const sent = formatMoney(amount, asset)
  const text = `Sent ${sent} to ${address}. It is credited when final, within seconds.`
  return { data, text }
}

async function findTarget(manilla: Manilla, account: string): Promise<Target> {
  if (/^\d{10}$/.test(account)) return findByNumber(manilla, account)
  const find = finders[account.slice(0, 3)]
  if (find) return find(manilla, account)
  if (/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(account)) return findByAddress(manilla, account)
  const own = await findByOwnReference(manilla, account)
  if (own) return own
  throw misused(
    `No account, wallet or session found for ${account}.`,
    'Use an accountNumber, an address, a reference, or your own merchantReference.',
  )
}

/** If the reference was used more than once: the newest one, unpaid accounts first. */
async function findByOwnReference(manilla: Manilla, own: string): Promise<Target | undefined> {
  const newest = async <Found>(list: Pages<Found>) => (await list.page()).items[0]
  const temporary = { merchantReference: own, limit: 1 }
  const permanent = { externalReference: own, limit: 1 }
  const session = await newest(manilla.checkout.sessions.list(temporary))
  if (session) return finders.cs_!(manilla, session.reference)
  return (
    (await newest(manilla.virtualAccounts.list({ ...temporary, status: 'ACTIVE' }))) ??
    (await newest(manilla.virtualAccounts.list(temporary))) ??
    (await newest(manilla.cryptoWallets.list(temporary))) ??
    (await newest(manilla.dedicatedAccounts.list(permanent))) ??
    (await newest(manilla.dedicatedCryptoWallets.list(permanent)))
  )
}

const finders: Record<string, (manilla: Manilla, reference: string) => Promise<Target>> = {
  va_: (manilla, reference) => manilla.virtualAccounts.get(reference),
  da_: async (manilla, reference) => {
    const { accountNumber } = await manilla.dedicatedAccounts.get(reference)
    return { accountNumber }
  },
  cs_: async (manilla, reference) => {
    const { virtualAccount, cryptoWallet } = await manilla.checkout.sessions.get(reference)
    if (virtualAccount) return manilla.virtualAccounts.get(virtualAccount)
    return manilla.cryptoWallets.get(cryptoWallet!)
  },
  cw_: async (manilla, reference) => manilla.cryptoWallets.get(reference),
  dw_: async (manilla, reference) => {
    const { address } = await manilla.dedicatedCryptoWallets.get(reference)
    return { address }
  },
}

/** Searches the newest hundred only; for older accounts the caller names the amount. */
async function findByNumber(manilla: Manilla, accountNumber: string): Promise<Target> {
  const { items } = await manilla.virtualAccounts.list({ limit: 100 }).page()
  return items.find((account) => account.accountNumber === accountNumber) ?? { accountNumber }
}

async function findByAddress(manilla: Manilla, address: string): Promise<Target> {
  const { items } = await manilla.cryptoWallets.list({ limit: 100 }).page()
  return items.find((wallet) => wallet.address === address) ?? { address }
}

/** Reads naira with at most two decimals; never rounds. */
function readKobo(text: string): number {
  const written = parseMoney(text)
  if (written?.asset !== undefined && written.asset !== 'NGN')
    throw misused('A bank account accepts naira only.', 'Write 5000 or ₦5,000.50.')
  const kobo = written && toKobo(written.decimal)
  if (kobo !== undefined) return kobo
  if (written && isTooMuch(written.decimal))
    throw misused(`An amount is at most ${nairaMax}, not ${text}.`, 'Write a smaller amount.')
  throw misused(`${text} is not a valid amount in naira.`, 'Write 5000 or ₦5,000.50.')
}

/** The amount as the API takes it, and the coin if the text names one. */
function readCoins(text: string): { amount: string; coin: Coin | undefined } {
  const written = parseMoney(text)
  if (!written || written.asset === 'NGN')
    throw misused(`${text} is not a valid amount of a coin.`, 'Write 25.5 or 25.5 USDC.')
  return { amount: written.decimal, coin: written.asset as Coin | undefined }
}

function noAmount(): Failure {
  const message = 'The expected amount of this account is not known.'
  return misused(message, 'Pass the amount: manilla pay ACCOUNT 5000')
}
