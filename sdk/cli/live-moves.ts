import { ManillaError } from '../src/errors.js'
import type { CreateBankTransferInput, CreateCryptoTransferInput, Manilla } from '../src/manilla.js'
import type { Operation } from '../src/operations.js'
import type { Facts } from './confirm.js'
import { formatMoney } from './money.js'
import type { Input } from './read-flags.js'
import { formatFields } from './show.js'

/**
 * Writes that move no money. Every other one asks first in live mode, so that a new operation is
 * never forgotten.
 */
const harmless = [
  'virtualAccounts.create',
  'virtualAccounts.cancel',
  'virtualAccounts.requery',
  'dedicatedAccounts.create',
  'dedicatedAccounts.deactivate',
  'cryptoWallets.create',
  'cryptoWallets.cancel',
  'cryptoWallets.requery',
  'dedicatedCryptoWallets.create',
  'dedicatedCryptoWallets.requery',
  'splitRules.create',
  'splitRules.createVersion',
  'splits.preview',
  'checkout.sessions.create',
  'checkout.sessions.cancel',
  'checkout.simulate',
  'cryptoTransfers.quote',
  'bankTransfers.quote',
  'conversions.quote',
  'paymentLinks.create',
  'paymentLinks.update',
  'customers.create',
  'customers.update',
  'customers.erase',
  'customers.giveAccount',
  'payments.allocate',
  'invoices.create',
  'invoices.update',
  'invoices.delete',
  'invoices.finalize',
  'invoices.send',
  'invoices.void',
  'invoices.credit',
  'invoiceSchedules.create',
  'invoiceSchedules.update',
  'subaccounts.create',
  'batches.create',
  'batches.cancel',
  'batches.retry',
  'recipients.create',
  'recipients.update',
  'recipients.disable',
  'recipients.enable',
  'cases.create',
  'cases.update',
  'cases.addItems',
  'cases.removeItems',
  'cases.close',
  'cases.reopen',
  'claims.cancel',
  'claims.unlock',
  'settings.update',
  'mailSuppressions.delete',
  'webhookEndpoints.create',
  'webhookEndpoints.update',
  'webhookEndpoints.delete',
  'webhookEndpoints.rotateSecret',
  'webhookEndpoints.test',
  'webhookEndpoints.recover',
  'events.redeliver',
]

export function movesMoney(name: string, { method, path }: Operation): boolean {
  const isTestOnly = path.startsWith('/v1/test/')
  return method !== 'GET' && !isTestOnly && !harmless.includes(name)
}

type Move = { manilla: Manilla; args: string[]; input: Input; money: string[] }

/** What a call is about to do. */
export async function describeMove(name: string, move: Move): Promise<Facts> {
  const describe = describers[name] ?? describeInput
  const { merchant } = await move.manilla.profile.get()
  return [...(await describe(move, name)), ['Merchant', merchant.displayName]]
}

type Describe = (move: Move, name: string) => Promise<Facts>

const describers: Record<string, Describe> = {
  async 'bankTransfers.create'({ manilla, input }) {
    const { amount, accountName, recipient: reference } = input as CreateBankTransferInput
    const { bankCode = '', accountNumber = '' } = input as CreateBankTransferInput
    if (reference !== undefined) {
      const quote = manilla.bankTransfers.quote({ amount, recipient: reference })
      return describeSaved(manilla, { amount, asset: 'NGN', reference, quote })
    }
    const account = { bankCode, accountNumber }
    // What cannot be found out is left out of the question; the transfer itself is checked again.
    const [named, quote] = await Promise.all([
      manilla.banks.resolve(account).catch(() => undefined),
      manilla.bankTransfers.quote({ amount, ...account }).catch(() => undefined),
    ])
    const recipient = { ...account, accountName, ...named }
    return [...showDebit(amount, 'NGN', quote), ['Recipient', describeRecipient(recipient)]]
  },
  async 'cryptoTransfers.create'({ manilla, input }) {
    const { amount, asset, network, destinationAddress = '' } = input as CreateCryptoTransferInput
    const { recipient: reference } = input as CreateCryptoTransferInput
    if (reference !== undefined) {
      const quote = manilla.cryptoTransfers.quote({ amount, asset, network, recipient: reference })
      return describeSaved(manilla, { amount, asset, reference, quote })
    }
    const quoted = { amount, asset, network, destinationAddress }
    const quote = await manilla.cryptoTransfers.quote(quoted).catch(() => undefined)
    const recipient = describeRecipient({ address: destinationAddress })
    return [...showDebit(amount, asset, quote), ['Recipient', recipient]]
  },
  async 'settlements.create'({ input }) {
    const { amount } = input as { amount?: number }
    const settled = amount === undefined ? 'as much as possible' : formatMoney(amount, 'NGN')
    return [
      ['Settle', settled],
      ['Recipient', 'your primary bank account'],
    ]
  },
  async 'payments.refund'({ manilla, args: [reference = ''], input }) {
    const payment = await manilla.payments.get(reference)
    const amount = (input.amount ?? payment.amountAccepted) as number | string
    return [
      ['Refund', `${formatMoney(amount, payment.currency)} of ${reference}`],
      ['Recipient', describeRecipient(input.destination ?? payment.sender)],
    ]
  },
  async 'payments.resolve'({ manilla, args: [reference = ''], input }) {
    const payment = await manilla.payments.get(reference)
    const held = `${formatMoney(payment.amountHeld, payment.currency)} of ${reference}`
    if (input.action === 'accept') return [['Accept', `${held} into your balance`]]
    return [
      ['Return', held],
      ['Recipient', describeRecipient(input.destination ?? payment.sender)],
    ]
  },
}

type SavedMove = {
  amount: number | string
  asset: string
  reference: string
  quote: Promise<Debit>
}

async function describeSaved(
  manilla: Manilla,
  { amount, asset, reference, quote }: SavedMove,
): Promise<Facts> {
  const [quoted, saved] = await Promise.all([
    quote.catch(() => undefined),
    manilla.recipients.get(reference).catch(refuseUnlessHidden),
  ])
  const recipient = saved ? `${describeRecipient(saved)}, ${reference}` : reference
  return [...showDebit(amount, asset, quoted), ['Recipient', recipient]]
}

/** A key may pay recipients that it cannot see; a transfer to none is refused. */
function refuseUnlessHidden(error: unknown): undefined {
  if (error instanceof ManillaError && ['not_found', 'forbidden'].includes(error.code)) return
  throw error
}

type Debit = { fee: number | string; totalDebit: number | string }

function showDebit(
  amount: number | string,
  asset: string | undefined,
  quote: Debit | undefined,
): Facts {
  const sent: Facts = [['Send', formatMoney(amount, asset)]]
  if (!quote) return sent
  const total = `${formatMoney(quote.totalDebit, asset)}, with a fee of ${formatMoney(quote.fee, asset)}`
  return [...sent, ['From balance', total]]
}

function describeRecipient(party: unknown): string {
  const { address, accountNumber, bankCode, bankName, name, accountName } = party as Record<
    string,
    string | undefined
  >
  if (!accountNumber) return `${address ?? 'the sending wallet'} on Solana`
  const bank = bankName ?? `bank ${bankCode}`
  return [`${accountNumber} at ${bank}`, name ?? accountName].filter(Boolean).join(', ')
}

/** For operations without words of their own: the name, the arguments and the request. */
async function describeInput({ args, input, money }: Move, name: string): Promise<Facts> {
  const fields =
    Object.keys(input).length === 0 ? [] : formatFields(input, { fields: money }).split('\n')
  return [
    ['Command', [name.replaceAll('.', ' '), ...args].join(' ')],
    ...fields.map((line): [string, string] => ['', line]),
  ]
}
