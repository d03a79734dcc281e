import type { Command } from 'commander'
import type { Manilla, Pages, Payment } from '../src/manilla.js'
import { type Answer, type Run, setTestAction } from './action.js'
import { type Failure, misused } from './failure.js'
import { formatNaira } from './show.js'
import type { World } from './world.js'

type Options = { asset?: string; from?: string }
type Coin = 'USDC' | 'USDT'

export function registerPay(program: Command, world: World): void {
  const pay = program
    .command('pay')
    .description('pay as a customer would, in test mode')
    .argument('<account>', 'an account number, a wallet address, or a reference, ours or yours')
    .argument('[amount]', 'in naira or coins, 5000 is ₦5,000.00; by default what is asked for')
    .option('--asset <coin>', 'USDC or USDT, for a wallet that takes both')
    .option('--from <number>', 'the account number that pays; magic ones make returns fail')
  setTestAction<Options>(pay, world, payOne)
}

/** What is to be paid, where, and how much is asked for. */
type Target =
  | { accountNumber: string; amount?: number }
  | { address: string; asset?: string; amount?: string }

async function payOne({ manilla, args, options }: Run<Options>): Promise<Answer> {
  const [account = '', amount] = args
  const target = await findTarget(manilla, account)
  return 'address' in target
    ? payCoins(manilla, target, { amount, asset: options.asset })
    : payNaira(manilla, target, { amount, ...options })
}

async function payNaira(
  manilla: Manilla,
  target: { accountNumber: string; amount?: number },
  given: Options & { amount: string | undefined },
): Promise<Answer> {
  if (given.asset !== undefined && given.asset !== 'NGN')
    throw misused('A bank account takes no coins.', 'Leave out --asset, or pay to a wallet.')
  const amount = given.amount === undefined ? target.amount : readKobo(given.amount)
  if (amount === undefined) throw noAmount()
  const { accountNumber } = target
  const sender = given.from === undefined ? {} : { sender: { accountNumber: given.from } }
  const data = await manilla.test.bankTransfers.create({ accountNumber, amount, ...sender })
  const paid = `${formatNaira(amount)} was paid to ${accountNumber}`
  return { data, text: `${paid}: ${describeFate(data)}.` }
}

/** What became of it: that is what one pays in test mode for. */
function describeFate({ status, variance }: Payment): string {
  const fates = { ACCEPTED: 'accepted', HELD: 'held', RETURNING: 'it goes back', RETURNED: 'back' }
  const why = variance === 'NONE' ? '' : `, because it is ${reasons[variance]}`
  return fates[status] + why
}

const reasons = {
  UNDERPAID: 'too little',
  OVERPAID: 'too much; only the excess',
  LATE: 'late',
  DUPLICATE: 'a second payment',
}

async function payCoins(
  manilla: Manilla,
  target: { address: string; asset?: string; amount?: string },
  given: { amount: string | undefined; asset: string | undefined },
): Promise<Answer> {
  const amount = given.amount ?? target.amount
  if (amount === undefined) throw noAmount()
  const { address } = target
  const asset = (given.asset ?? target.asset ?? 'USDC') as Coin
  const data = await manilla.test.cryptoDeposits.create({ address, asset, amount })
  const text = `${amount} ${asset} was sent to ${address}; it counts when it is final, in seconds.`
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
    `Nothing that can be paid is called ${account}.`,
    'Give what a create answered: accountNumber, address, reference, or the one you gave it.',
  )
}

/** Where you have used it more than once, the newest that waits to be paid. */
async function findByOwnReference(manilla: Manilla, own: string): Promise<Target | undefined> {
  const newest = async <Found>(list: Pages<Found>) => (await list.page()).items[0]
  const ordered = { merchantReference: own, limit: 1 }
  const permanent = { externalReference: own, limit: 1 }
  const session = await newest(manilla.checkout.sessions.list(ordered))
  if (session) return finders.cs_!(manilla, session.reference)
  return (
    (await newest(manilla.virtualAccounts.list({ ...ordered, status: 'ACTIVE' }))) ??
    (await newest(manilla.virtualAccounts.list(ordered))) ??
    (await newest(manilla.cryptoWallets.list(ordered))) ??
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
    const { virtualAccount } = await manilla.checkout.sessions.get(reference)
    return manilla.virtualAccounts.get(virtualAccount)
  },
  cw_: async (manilla, reference) => manilla.cryptoWallets.get(reference),
  dw_: async (manilla, reference) => {
    const { address } = await manilla.dedicatedCryptoWallets.get(reference)
    return { address }
  },
}

/** Only the newest hundred are looked through: for others, the amount has to be said. */
async function findByNumber(manilla: Manilla, accountNumber: string): Promise<Target> {
  const { items } = await manilla.virtualAccounts.list({ limit: 100 }).page()
  return items.find((one) => one.accountNumber === accountNumber) ?? { accountNumber }
}

async function findByAddress(manilla: Manilla, address: string): Promise<Target> {
  const { items } = await manilla.cryptoWallets.list({ limit: 100 }).page()
  return items.find((one) => one.address === address) ?? { address }
}

/** Naira as people write them: at most two digits after the point, nothing rounded. */
function readKobo(text: string): number {
  const [, whole, rest = ''] = /^(\d{1,13})(?:\.(\d{1,2}))?$/.exec(ungroup(text)) ?? []
  if (whole === undefined) throw misused(`${text} is no amount of naira.`, 'Write 5000 or 5000.50.')
  return Number(whole + rest.padEnd(2, '0'))
}

/** Commas may part groups of three; `1,5` may mean one and a half somewhere, and is refused. */
function ungroup(text: string): string {
  return /^\d{1,3}(,\d{3})+(\.|$)/.test(text) ? text.replaceAll(',', '') : text
}

function noAmount(): Failure {
  const message = 'Nothing says how much is to be paid.'
  return misused(message, 'Say it: manilla pay ACCOUNT 5000')
}
