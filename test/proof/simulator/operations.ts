import {
  cancelClaim,
  claimMoney,
  creditInvoice,
  invoiceCustomer,
  payCustomer,
  setMoneyAside,
  voidInvoice,
} from './billing-operations.js'
import { addressOf } from './chain.js'
import type { Draws } from './draws.js'
import { writeSplit } from './expected-splits.js'
import { bankRecipient } from './expected-transfers.js'
import { type Coin, coins, showUnits, toUnits } from './money.js'
import type { ToldAccount } from './oracle.js'
import { drawBankAccount, type Performance, payInto, post } from './performance.js'

const minute = 60_000

type Operation = {
  /** How often it is drawn, compared with the others. */
  share: number
  perform(performance: Performance): Promise<void>
}

export const operations = {
  'fund naira': { share: 6, perform: (performance) => fund(performance, 'NGN') },
  'fund coins': {
    share: 4,
    perform: (performance) => fund(performance, performance.draws.pick(coins)),
  },
  'bank payout': { share: 20, perform: payToBank },
  'bank payout from a sub-account': { share: 5, perform: payFromSeller },
  'move money to a sub-account': { share: 2, perform: moveToSeller },
  'crypto payout': { share: 14, perform: payToWallet },
  'bank payout paid with coins': {
    share: 3,
    perform: (performance) => payToBank(performance, performance.draws.pick(coins)),
  },
  'crypto payout paid with naira': {
    share: 3,
    perform: (performance) => payToWallet(performance, 'NGN'),
  },
  'open virtual account': { share: 6, perform: openVirtualAccount },
  'open dedicated account': { share: 1, perform: openDedicatedAccount },
  'open crypto wallet': { share: 4, perform: openCryptoWallet },
  'open dedicated wallet': { share: 1, perform: openDedicatedWallet },
  'create checkout session': { share: 3, perform: createSession },
  'pay by bank': { share: 12, perform: payByBank },
  'pay by coins': { share: 7, perform: payByCoins },
  'cancel account': { share: 2, perform: cancelAccount },
  'resolve payment': { share: 3, perform: resolvePayment },
  'refund payment': { share: 3, perform: refundPayment },
  convert: { share: 3, perform: convert },
  'create batch': { share: 2, perform: createBatch },
  'change batch': { share: 3, perform: changeBatch },
  settle: { share: 1, perform: settle },
  'bank payout with a key whose payouts wait': { share: 2, perform: payAndWait },
  'decide pending payout': { share: 6, perform: decidePending },
  'invoice a customer': { share: 4, perform: invoiceCustomer },
  'customer pays': { share: 4, perform: payCustomer },
  'credit an invoice': { share: 1, perform: creditInvoice },
  'void an invoice': { share: 1, perform: voidInvoice },
  'set money aside': { share: 3, perform: setMoneyAside },
  'claim money': { share: 4, perform: claimMoney },
  'cancel a claim': { share: 1, perform: cancelClaim },
} as const satisfies Record<string, Operation>

export type OperationKind = keyof typeof operations

const kinds = Object.keys(operations) as OperationKind[]
const sharesTotal = kinds.reduce((sum, kind) => sum + operations[kind].share, 0)

export function drawKind(draws: Draws): OperationKind {
  let ticket = draws.integer(1, sharesTotal)
  for (const kind of kinds) {
    ticket -= operations[kind].share
    if (ticket <= 0) return kind
  }
  throw new Error('the shares do not add up')
}

async function fund(performance: Performance, asset: string): Promise<void> {
  const { draws, merchant, oracle } = performance
  const units = BigInt(draws.integer(1_000_000, 500_000_000))
  const body = { asset, amount: asset === 'NGN' ? Number(units) : showUnits(units) }
  const { status, json } = await post(performance, '/v1/test/balances/fund', body)
  if (status === 201)
    oracle.noteFunding({ merchant, reference: json.data.reference, asset, amount: units })
}

async function payToBank(performance: Performance, source?: Coin): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const amount = draws.integer(100, 6_000_000)
  const account = { bankCode: '058', accountNumber: drawBankAccount(draws) }
  const { status, json } = await post(performance, '/v1/disbursements/bank-transfer', {
    amount,
    ...account,
    merchantReference: name,
    ...(source && { fundFrom: { asset: source, maxRate: '1' } }),
  })
  const asked = {
    merchant,
    kind: 'bank_transfer',
    asset: 'NGN',
    amount: BigInt(amount),
    recipient: bankRecipient(account),
    paidWith: source,
  } as const
  if (status === 201) oracle.notePayout(asked, json.data)
}

async function payAndWait(performance: Performance): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const amount = draws.integer(100, 3_000_000)
  const account = { bankCode: '058', accountNumber: drawBankAccount(draws) }
  const body = { amount, ...account, merchantReference: name }
  const path = '/v1/disbursements/bank-transfer'
  const { status, json } = await post(performance, path, body, merchant.waitingKey)
  const asked = {
    merchant,
    kind: 'bank_transfer',
    asset: 'NGN',
    amount: BigInt(amount),
    recipient: bankRecipient(account),
    paidWith: undefined,
    waits: true,
  } as const
  if (status === 201) oracle.notePayout(asked, json.data)
}

async function payFromSeller(performance: Performance): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const amount = draws.integer(100, 3_000_000)
  const account = { bankCode: '058', accountNumber: drawBankAccount(draws) }
  const from = draws.pick(merchant.sellers)
  const { status, json } = await post(performance, '/v1/disbursements/bank-transfer', {
    amount,
    ...account,
    merchantReference: name,
    from,
  })
  const asked = {
    merchant,
    kind: 'bank_transfer',
    asset: 'NGN',
    amount: BigInt(amount),
    recipient: bankRecipient(account),
    paidWith: undefined,
    from,
  } as const
  if (status === 201) oracle.notePayout(asked, json.data)
}

async function moveToSeller(performance: Performance): Promise<void> {
  const { draws, merchant, oracle } = performance
  const amount = draws.integer(100, 3_000_000)
  const seller = draws.pick(merchant.sellers)
  const isBack = draws.chance(0.3)
  const { status } = await post(performance, `/v1/subaccounts/${seller}/transfers`, {
    ...(isBack ? { to: 'merchant' } : { from: 'merchant' }),
    asset: 'NGN',
    amount,
  })
  if (status === 201)
    oracle.noteMove({ merchant, seller, amount: BigInt(isBack ? -amount : amount) })
}

async function payToWallet(performance: Performance, source?: 'NGN'): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const amount = BigInt(draws.integer(10_000, 50_000_000))
  const asset = draws.pick(coins)
  const recipient = drawAddress(draws)
  const { status, json } = await post(performance, '/v1/disbursements/crypto', {
    amount: showUnits(amount),
    asset,
    network: 'SOLANA',
    destinationAddress: recipient,
    merchantReference: name,
    ...(source && { fundFrom: { asset: source, maxRate: '9999' } }),
  })
  const kind = 'crypto_transfer'
  const asked = { merchant, kind, asset, amount, recipient, paidWith: source } as const
  if (status === 201) oracle.notePayout(asked, json.data)
}

function drawAddress(draws: Draws): string {
  return addressOf(`recipient ${draws.integer(1, 50)}`)
}

async function openVirtualAccount(performance: Performance): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const isSplit = draws.chance(0.5)
  const split = isSplit
    ? { seller: draws.pick(merchant.sellers), kind: draws.pick(['all', 'all', 'part'] as const) }
    : undefined
  const { status, json } = await post(performance, '/v1/collections/virtual-accounts', {
    merchantReference: name,
    amount: draws.integer(1_000, 5_000_000),
    expiresAt: drawExpiry(performance),
    ...(split && { splits: writeSplit(split) }),
  })
  if (status !== 201) return
  const { reference, accountNumber, amount, expiresAt } = json.data
  oracle.noteAccount({
    merchant,
    kind: 'virtual_account',
    reference,
    number: accountNumber,
    asset: 'NGN',
    amount: BigInt(amount),
    expiresAt: new Date(expiresAt),
    ...(split && { split }),
  })
}

function drawExpiry({ draws, time }: Performance): string {
  return new Date(time.nowMs + draws.integer(5, 600) * minute).toISOString()
}

async function openDedicatedAccount(performance: Performance): Promise<void> {
  const { name, merchant, oracle } = performance
  const { status, json } = await post(performance, '/v1/collections/dedicated-accounts', {
    externalReference: name,
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
  })
  if (status !== 201) return
  const { accountReference: reference, accountNumber: number } = json.data
  const kind = 'dedicated_account'
  const openEnded = { asset: 'NGN', amount: null, expiresAt: null }
  oracle.noteAccount({ merchant, kind, reference, number, ...openEnded })
}

async function openCryptoWallet(performance: Performance): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const { status, json } = await post(performance, '/v1/collections/crypto-wallets', {
    merchantReference: name,
    asset: draws.pick(coins),
    network: 'SOLANA',
    amount: showUnits(BigInt(draws.integer(100_000, 90_000_000))),
    expiresAt: drawExpiry(performance),
  })
  if (status !== 201) return
  const { reference, address, asset, amount, expiresAt } = json.data
  oracle.noteAccount({
    merchant,
    kind: 'crypto_wallet',
    reference,
    number: address,
    asset,
    amount: toUnits(amount),
    expiresAt: new Date(expiresAt),
  })
}

async function openDedicatedWallet(performance: Performance): Promise<void> {
  const { name, merchant, oracle } = performance
  const { status, json } = await post(performance, '/v1/collections/dedicated-crypto-wallets', {
    externalReference: name,
    network: 'SOLANA',
  })
  if (status !== 201) return
  const { reference, address: number } = json.data
  const kind = 'dedicated_crypto_wallet'
  const openEnded = { asset: null, amount: null, expiresAt: null }
  oracle.noteAccount({ merchant, kind, reference, number, ...openEnded })
}

async function createSession(performance: Performance): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const hasCoins = draws.chance(0.5)
  const { status, json } = await post(performance, '/v1/checkout/sessions', {
    amount: draws.integer(100_000, 5_000_000),
    description: 'An order',
    customer: { name: 'Ada Obi', email: 'ada@example.com' },
    merchantReference: name,
    expiresAt: drawExpiry(performance),
    ...(hasCoins && { crypto: { asset: draws.pick(coins), network: 'SOLANA' } }),
  })
  if (status !== 201) return
  const { reference: session, amount, virtualAccount, bankTransfer } = json.data
  const { cryptoWallet, crypto } = json.data
  const expiresAt = new Date(json.data.expiresAt)
  oracle.noteSession(merchant, session)
  if (virtualAccount)
    oracle.noteAccount({
      merchant,
      kind: 'virtual_account',
      reference: virtualAccount,
      number: bankTransfer.accountNumber,
      asset: 'NGN',
      amount: BigInt(amount),
      expiresAt,
      session,
    })
  if (cryptoWallet)
    oracle.noteAccount({
      merchant,
      kind: 'crypto_wallet',
      reference: cryptoWallet,
      number: crypto.address,
      asset: crypto.asset,
      amount: toUnits(crypto.amount),
      expiresAt,
      session,
    })
}

/** Mostly what is expected, sometimes less, more, again or too late. */
function drawPayment({ draws }: Performance, { amount }: ToldAccount): bigint {
  if (amount === null) return BigInt(draws.integer(50_000, 8_000_000))
  const ticket = draws.integer(1, 10)
  if (ticket === 1) return (amount + 1n) / 2n
  return ticket === 2 ? amount + BigInt(draws.integer(1, 1_000_000)) : amount
}

async function payByBank(performance: Performance): Promise<void> {
  const { draws, oracle } = performance
  const account = oracle.pickAccount(draws, ['virtual_account', 'dedicated_account'])
  if (!account) return
  payInto(performance, account.number, drawPayment(performance, account))
}

async function payByCoins(performance: Performance): Promise<void> {
  const { draws, oracle, chain } = performance
  const account = oracle.pickAccount(draws, ['crypto_wallet', 'dedicated_crypto_wallet'])
  if (!account) return
  const asset = (account.asset ?? draws.pick(coins)) as Coin
  performance.noteAccepted()
  chain.deposit(account.number, asset, drawPayment(performance, account))
}

async function cancelAccount(performance: Performance): Promise<void> {
  const { draws, oracle, merchant, time } = performance
  const account = oracle.pickAccount(
    draws,
    ['virtual_account', 'crypto_wallet', 'dedicated_account'],
    merchant,
  )
  // Customers keep theirs.
  if (!account || account.isCustomers) return
  const { kind, reference, session } = account
  // An account of a session is cancelled with it.
  const path = session
    ? `/v1/checkout/sessions/${session}/cancel`
    : {
        virtual_account: `/v1/collections/virtual-accounts/${reference}/cancel`,
        crypto_wallet: `/v1/collections/crypto-wallets/${reference}/cancel`,
        dedicated_account: `/v1/collections/dedicated-accounts/${reference}/deactivate`,
        dedicated_crypto_wallet: '',
      }[kind]
  // Most dedicated accounts stay, to be paid into.
  if (kind === 'dedicated_account' && draws.chance(0.8)) return
  const { status } = await post(performance, path, {})
  if (status === 200) oracle.noteEnd(account, new Date(time.nowMs))
}

async function pickPayment(
  performance: Performance,
  status: 'HELD' | 'ACCEPTED',
): Promise<ReturnType<typeof JSON.parse>> {
  const { client, merchant, draws } = performance
  const path = `/v1/collections/payments?status=${status}&limit=20`
  const { json } = await client.get(merchant, path, performance)
  return json.data.items.length > 0 ? draws.pick(json.data.items) : undefined
}

async function resolvePayment(performance: Performance): Promise<void> {
  const { draws, oracle } = performance
  const payment = await pickPayment(performance, 'HELD')
  if (!payment) return
  const { reference, currency } = payment
  const action = draws.pick(['accept', 'return'] as const)
  const address = action === 'return' && currency !== 'NGN' ? drawAddress(draws) : undefined
  const path = `/v1/collections/payments/${reference}/resolve`
  const { status } = await post(performance, path, {
    action,
    ...(address && { destination: { address } }),
  })
  if (status === 200) oracle.noteResolution(reference, { action, address })
}

async function refundPayment(performance: Performance): Promise<void> {
  const { draws, oracle } = performance
  const payment = await pickPayment(performance, 'ACCEPTED')
  if (!payment) return
  const { reference, currency, accountReference, variance } = payment
  if (oracle.isOrderly(accountReference)) return
  // Roundings of shares depend on the order of refunds, unless one share has all of the payment.
  const split = oracle.accounts.get(accountReference)?.split
  if (split && (split.kind === 'part' || variance !== 'NONE')) return
  const isWhole = draws.chance(0.5)
  const part = BigInt(draws.integer(1, 1_000))
  // The sender may be an exchange, so coins go where the merchant says.
  const address = currency === 'NGN' ? undefined : drawAddress(draws)
  const path = `/v1/collections/payments/${reference}/refund`
  const { status, json } = await post(performance, path, {
    ...(!isWhole && { amount: currency === 'NGN' ? Number(part) : showUnits(part) }),
    ...(address && { destination: { address } }),
  })
  const asked = { amount: isWhole ? undefined : part, address }
  if (status === 201) oracle.noteRefund(reference, asked, json.data.refund)
}

async function convert(performance: Performance): Promise<void> {
  const { draws, merchant, client, oracle } = performance
  const coin = draws.pick(coins)
  const isFromNaira = draws.chance(0.5)
  const units = BigInt(draws.integer(10_000, 50_000_000))
  const body = isFromNaira
    ? { from: 'NGN', to: coin, amount: Number(units) }
    : { from: coin, to: 'NGN', amount: showUnits(units) }
  const unkeyed = { name: undefined, body, caller: performance }
  const { status: quoted, json: quote } = await client.post(
    merchant,
    '/v1/conversions/quotes',
    unkeyed,
  )
  if (quoted !== 201) return
  const { reference } = quote.data
  const { status, json } = await post(performance, '/v1/conversions', { quote: reference })
  const asked = {
    merchant,
    source: body.from,
    target: body.to,
    sourceAmount: units,
    quotedAt: new Date(quote.data.createdAt),
  }
  if (status === 201) oracle.noteConversion(asked, json.data)
}

async function createBatch(performance: Performance): Promise<void> {
  const { name, draws, merchant, oracle } = performance
  const numbers = Array.from({ length: draws.integer(1, 30) }, (_, index) => index)
  const isBank = draws.chance(0.6)
  const items = numbers.map((number) => {
    const merchantReference = `${name}-${number}`
    if (!isBank) {
      const amount = BigInt(draws.integer(10_000, 5_000_000))
      const recipient = drawAddress(draws)
      const sent = { merchantReference, amount: showUnits(amount), destinationAddress: recipient }
      return { sent, asked: { merchantReference, amount, recipient } }
    }
    const amount = draws.integer(100, 500_000)
    const account = { bankCode: '058', accountNumber: drawBankAccount(draws) }
    return {
      sent: { merchantReference, amount, ...account },
      asked: { merchantReference, amount: BigInt(amount), recipient: bankRecipient(account) },
    }
  })
  const kind = isBank ? 'bank_transfer' : 'crypto_transfer'
  const asset = isBank ? 'NGN' : draws.pick(coins)
  const { status, json } = await post(performance, '/v1/disbursements/batches', {
    kind,
    ...(!isBank && { asset }),
    name,
    items: items.map(({ sent }) => sent),
  })
  if (status === 201)
    oracle.noteBatch({
      merchant,
      reference: json.data.reference,
      kind,
      asset,
      retryOf: null,
      items: items.map(({ asked }) => asked),
    })
}

async function changeBatch(performance: Performance): Promise<void> {
  const { draws, merchant, oracle } = performance
  const batch = oracle.pickBatch(draws, merchant)
  if (!batch) return
  const action = draws.pick(['submit', 'submit', 'submit', 'cancel', 'retry'] as const)
  const body = action === 'submit' ? { skipInvalid: true } : {}
  const path = `/v1/disbursements/batches/${batch.reference}/${action}`
  const { status, json } = await post(performance, path, body)
  if (status === 200 && action !== 'retry') oracle.noteBatchChange(batch.reference, action)
  if (status === 201)
    oracle.noteBatch({ ...batch, reference: json.data.reference, retryOf: batch.reference })
}

async function settle(performance: Performance): Promise<void> {
  const { draws, merchant, oracle } = performance
  const amount = draws.integer(100, 10_000) * 100
  const { status, json } = await post(performance, '/v1/settlements', { amount })
  if (status === 201) oracle.noteSettlement({ merchant, amount: BigInt(amount) }, json.data)
}

async function decidePending(performance: Performance): Promise<void> {
  const { draws, merchant, oracle } = performance
  const reference = oracle.pickPending(draws, merchant)
  if (!reference) return
  const decision = draws.pick(['approve', 'approve', 'reject'] as const)
  const path = `/v1/test/disbursements/${reference}/decide`
  const { status, json } = await post(performance, path, { decision })
  // Some payouts need two approvals.
  if (status === 200 && json.data.status !== 'PENDING') oracle.noteDecision(reference, decision)
}
