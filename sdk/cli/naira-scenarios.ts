import { ManillaError } from '../src/errors.js'
import { type Scenario, type ScenarioContext, tooLate } from './scenario-context.js'

const amount = 500_000
const pollIntervalMs = 250
const settlementTriesMax = 5

async function openVirtual({ manilla, name }: ScenarioContext, more: { expiresAt?: string } = {}) {
  return manilla.virtualAccounts.create({ merchantReference: name, amount, ...more })
}

async function openDedicated({ manilla, name }: ScenarioContext) {
  return manilla.dedicatedAccounts.create({ externalReference: name })
}

async function openSession({ manilla, name }: ScenarioContext, more: { expiresAt?: string } = {}) {
  const customer = { name: 'Ada Obi', email: 'ada@example.com' }
  const description = `Two loaves (${name})`
  return manilla.checkout.sessions.create({ amount, description, customer, ...more })
}

function pay(
  { manilla }: ScenarioContext,
  { accountNumber }: { accountNumber: string },
  paid = amount,
) {
  return manilla.test.bankTransfers.create({ accountNumber, amount: paid })
}

/** Opens an account that payers pay these amounts to, one after the other. */
function virtualPaid(...amounts: number[]): Scenario {
  return async (context) => {
    const account = await openVirtual(context)
    for (const paid of amounts) await pay(context, account, paid)
    return account.reference
  }
}

/** A payment to a deactivated dedicated account is held, whatever the policy. */
async function holdPayment(context: ScenarioContext): Promise<string> {
  const account = await openDedicated(context)
  await context.manilla.dedicatedAccounts.deactivate(account.accountReference)
  const { reference } = await pay(context, account)
  return reference
}

/** The sandbox bank sends the money back by itself, and the call reports it. */
async function payRejected(context: ScenarioContext, { accountNumber }: { accountNumber: string }) {
  try {
    await context.manilla.test.bankTransfers.create({ accountNumber, amount, sentBack: true })
  } catch (error) {
    if (!(error instanceof ManillaError && error.reason === 'invalid_state')) throw error
  }
}

const returnPayment: Scenario = async (context) => {
  const reference = await holdPayment(context)
  await context.manilla.payments.resolve(reference, { action: 'return' })
  return reference
}

function refund(destination?: { bankCode: string; accountNumber: string }): Scenario {
  return async (context) => {
    const { reference } = await pay(context, await openDedicated(context))
    await context.manilla.payments.refund(reference, { destination })
    return reference
  }
}

function send(bankCode: string, accountNumber: string): Scenario {
  return async (context) => {
    const transfer = await context.withFunds('NGN', () =>
      context.manilla.bankTransfers.create({
        amount,
        bankCode,
        accountNumber,
        narration: context.name,
      }),
    )
    return transfer.reference
  }
}

const ordinary = send('058', '0123456789')

/** Settles a part of the balance; without an outcome, the transfer arrives. */
type Settled = { reference: string; transferReference: string }
type Settle = (context: ScenarioContext) => Promise<Settled>

const settleOwn: Settle = ({ manilla, withFunds }) =>
  withFunds('NGN', () => manilla.settlements.create({ amount }))

const settleSeller: Settle = async ({ manilla, name, withFunds }) => {
  const { subaccounts } = manilla
  const bankAccount = { bankCode: '058', accountNumber: '0123456789' }
  const { reference } = await subaccounts.create({ name, bankAccount })
  // More than the settlement, which pays its fee.
  const given = { from: 'merchant', asset: 'NGN', amount: 2 * amount } as const
  await withFunds('NGN', () => subaccounts.transfer(reference, given))
  return subaccounts.settle(reference, { amount })
}

function settle(make: Settle, outcome?: 'fail' | 'reverse'): Scenario {
  return async (context) => {
    for (let tries = 1; ; tries += 1) {
      const { reference, transferReference } = await make(context)
      try {
        if (outcome) await context.manilla.test.settle(transferReference, { outcome })
        return reference
      } catch (error) {
        // A busy machine may pay before it is told not to. Then another one is sent.
        const isTooLate = error instanceof ManillaError && error.reason === 'invalid_state'
        if (!isTooLate || tries === settlementTriesMax) throw error
      }
    }
  }
}

function settleAfterCallback(make: Settle): Scenario {
  return async (context) => {
    await context.requireCallback()
    return settle(make)(context)
  }
}

const convert: Scenario = async (context) => {
  const { conversions } = context.manilla
  const { reference } = await context.withFunds('NGN', async () => {
    const quote = await conversions.quote({ from: 'NGN', to: 'USDC', amount })
    return conversions.create({ quote: quote.reference })
  })
  return reference
}

function addSeller({ manilla, name }: ScenarioContext) {
  return manilla.subaccounts.create({ name })
}

/** The number of a new account was not saved before. */
async function saveRecipient(context: ScenarioContext) {
  const { accountNumber } = await openVirtual(context)
  return context.manilla.recipients.create({ bankCode: '058', accountNumber, label: context.name })
}

function openCase({ manilla, name }: ScenarioContext, more: { deadline?: string } = {}) {
  return manilla.cases.create({ kind: 'COMPLAINT', title: `Not delivered (${name})`, ...more })
}

/** A case that was closed. */
async function decideCase(context: ScenarioContext) {
  const { reference } = await openCase(context)
  return context.manilla.cases.close(reference, { outcome: 'REJECTED' })
}

function openClaim(context: ScenarioContext, more: { expiresAt?: string } = {}) {
  const description = `Refund (${context.name})`
  return context.withFunds('NGN', () =>
    context.manilla.claims.create({ amount, description, ...more }),
  )
}

function claimTo(bankCode: string, accountNumber: string): Scenario {
  return async (context) => {
    const { reference } = await openClaim(context)
    await context.manilla.test.claim(reference, { bankCode, accountNumber })
    return reference
  }
}

/** A final invoice of a new customer. */
async function invoice(
  { manilla }: ScenarioContext,
  { unitAmount = amount, ...dates }: { unitAmount?: number; dueAt?: string } = {},
) {
  const person = { name: 'Ada Obi', email: 'ada@example.com' }
  const { reference: customer } = await manilla.customers.create(person)
  const lines = [{ description: 'Fabric', unitAmount }]
  const { reference } = await manilla.invoices.create({ customer, lines, ...dates })
  return manilla.invoices.finalize(reference)
}

/** Pays into a dedicated account of the customer. */
async function payAccountOf(context: ScenarioContext, customer: string) {
  const { dedicatedAccounts, customers } = context.manilla
  const account = await dedicatedAccounts.create({ externalReference: context.name })
  await customers.giveAccount(customer, { account: account.accountReference })
  return pay(context, account)
}

/** In test mode, the bank refuses transfers to some accounts: docs/reference/test-mode.md. */
async function refundInvoice(
  context: ScenarioContext,
  destination?: { bankCode: string; accountNumber: string },
) {
  const final = await invoice(context)
  const payment = await payAccountOf(context, final.customer)
  await context.withFunds('NGN', () =>
    context.manilla.payments.refund(payment.reference, destination ? { destination } : {}),
  )
  return final
}

/** A payment of which a seller gets a tenth. */
async function sellFor(context: ScenarioContext, release: { releaseAt?: string }) {
  const { virtualAccounts, payments } = context.manilla
  const seller = await addSeller(context)
  const lines = [{ subaccount: seller.reference, percent: '10', ...release }]
  const account = await virtualAccounts.create({
    merchantReference: context.name,
    amount,
    splits: { lines },
  })
  const { reference } = await pay(context, account)
  const payment = await payments.get(reference)
  return { seller, payment, share: payment.shares![0]!.reference }
}

/** A batch of one transfer, checked and submitted. */
const payBatch: Scenario = async (context) => {
  const { batches } = context.manilla
  const items = [{ amount, bankCode: '058', accountNumber: '0123456789' }]
  const { reference } = await batches.create({ kind: 'bank_transfer', name: context.name, items })
  while ((await batches.get(reference)).status === 'VALIDATING') await context.pause(pollIntervalMs)
  await context.withFunds('NGN', () => batches.submit(reference, {}))
  return reference
}

export const nairaScenarios = {
  'virtual_account.paid': virtualPaid(amount),
  'virtual_account.underpaid': virtualPaid(amount - 100),
  'virtual_account.overpaid': virtualPaid(amount + 100),
  'virtual_account.duplicate_payment': virtualPaid(amount, amount),
  'virtual_account.late_payment': async (context) => {
    const account = await openVirtual(context)
    await context.manilla.virtualAccounts.cancel(account.reference)
    await pay(context, account)
    return account.reference
  },
  'virtual_account.expired': async (context) => {
    const account = await context.createExpiring((expiresAt) => openVirtual(context, { expiresAt }))
    return account.reference
  },
  'virtual_account.cancelled': async (context) => {
    const { reference } = await openVirtual(context)
    await context.manilla.virtualAccounts.cancel(reference)
    return reference
  },
  'virtual_account.payment_rejected': async (context) => {
    const account = await openVirtual(context)
    await payRejected(context, account)
    return account.reference
  },
  'dedicated_account.payment_rejected': async (context) => {
    const account = await openDedicated(context)
    await payRejected(context, account)
    return account.accountReference
  },
  'dedicated_account.created': async (context) => (await openDedicated(context)).accountReference,
  'dedicated_account.credited': async (context) => {
    const account = await openDedicated(context)
    await pay(context, account)
    return account.accountReference
  },
  'dedicated_account.deactivated': async (context) => {
    const { accountReference } = await openDedicated(context)
    await context.manilla.dedicatedAccounts.deactivate(accountReference)
    return accountReference
  },
  'checkout.session.paid': async (context) => {
    const { reference } = await openSession(context)
    await context.manilla.checkout.simulate(reference)
    return reference
  },
  'checkout.session.expired': async (context) => {
    const session = await context.createExpiring((expiresAt) => openSession(context, { expiresAt }))
    return session.reference
  },
  'checkout.session.cancelled': async (context) => {
    const { reference } = await openSession(context)
    await context.manilla.checkout.sessions.cancel(reference)
    return reference
  },
  'payment.held': holdPayment,
  'payment.returning': returnPayment,
  'payment.returned': returnPayment,
  'payment.refunded': refund(),
  // A closed account in test mode: docs/reference/test-mode.md.
  'payment.refund_failed': refund({ bankCode: '999', accountNumber: '9900000027' }),
  'batch.completed': payBatch,
  'recipient.created': async (context) => (await saveRecipient(context)).reference,
  'recipient.disabled': async (context) => {
    const { reference } = await saveRecipient(context)
    await context.manilla.recipients.disable(reference)
    return reference
  },
  'recipient.enabled': async (context) => {
    const { reference } = await saveRecipient(context)
    await context.manilla.recipients.disable(reference)
    await context.manilla.recipients.enable(reference)
    return reference
  },
  'case.opened': async (context) => (await openCase(context)).reference,
  'case.overdue': async (context) => {
    const made = await context.createExpiring((deadline) => openCase(context, { deadline }))
    return made.reference
  },
  'case.closed': async (context) => (await decideCase(context)).reference,
  'case.reopened': async (context) => {
    const { reference } = await decideCase(context)
    await context.manilla.cases.reopen(reference)
    return reference
  },
  'claim.created': async (context) => (await openClaim(context)).reference,
  'claim.claimed': claimTo('058', '0123456789'),
  'claim.expired': async (context) => {
    const claim = await context.createExpiring((expiresAt) => openClaim(context, { expiresAt }))
    return claim.reference
  },
  'claim.cancelled': async (context) => {
    const { reference } = await openClaim(context)
    await context.manilla.claims.cancel(reference)
    return reference
  },
  'claim.reopened': claimTo('999', '9900000027'),
  'bank_transfer.pending': async (context) => {
    const rule = await context.readRule('NGN')
    const transfer = await context.withFunds('NGN', () =>
      context.manilla.bankTransfers.create({
        amount: (rule.each as number) + 1,
        bankCode: '058',
        accountNumber: '0123456789',
      }),
    )
    return transfer.reference
  },
  'bank_transfer.submitted': ordinary,
  'bank_transfer.completed': ordinary,
  'bank_transfer.failed': send('999', '9900000027'),
  'bank_transfer.reversed': send('999', '9900000034'),
  'conversion.completed': convert,
  'customer.created': async ({ manilla }) =>
    (await manilla.customers.create({ name: 'Ada Obi', email: 'ada@example.com' })).reference,
  'customer.credited': async (context) => {
    const { reference } = await context.manilla.customers.create({ name: 'Ada Obi' })
    await payAccountOf(context, reference)
    return reference
  },
  'invoice.finalized': async (context) => (await invoice(context)).reference,
  'invoice.sent': async (context) => {
    const { reference } = await invoice(context)
    await context.manilla.invoices.send(reference)
    return reference
  },
  'invoice.overdue': async (context) => (await invoice(context, { dueAt: '2020-01-01' })).reference,
  'invoice.credited': async (context) => {
    const { reference } = await invoice(context)
    await context.manilla.invoices.credit(reference, { amount: 100 })
    return reference
  },
  'invoice.partially_paid': async (context) => {
    const { reference, customer } = await invoice(context, { unitAmount: 2 * amount })
    await payAccountOf(context, customer)
    return reference
  },
  'invoice.paid': async (context) => {
    const { reference, customer } = await invoice(context)
    await payAccountOf(context, customer)
    return reference
  },
  'invoice.payment_moved': async (context) => {
    const { reference, customer } = await invoice(context)
    const payment = await payAccountOf(context, customer)
    await context.manilla.payments.allocate(payment.reference, { allocations: [] })
    return reference
  },
  'invoice.refunded': async (context) => (await refundInvoice(context)).reference,
  'invoice.refund_failed': async (context) =>
    (await refundInvoice(context, { bankCode: '999', accountNumber: '9900000027' })).reference,
  'invoice.voided': async (context) => {
    const { reference } = await invoice(context)
    await context.manilla.invoices.void(reference)
    return reference
  },
  'subaccount.created': async (context) => (await addSeller(context)).reference,
  'subaccount.receivable': async (context) => {
    const { seller, payment } = await sellFor(context, {})
    const { subaccounts, payments } = context.manilla
    const [share] = payment.shares!
    const spent = { to: 'merchant', asset: 'NGN', amount: share!.net } as const
    await subaccounts.transfer(seller.reference, spent)
    await context.withFunds('NGN', () => payments.refund(payment.reference, {}))
    return seller.reference
  },
  'split.posted': async (context) => (await sellFor(context, {})).share,
  'split.released': async (context) => {
    const { share } = await context.createExpiring(async (releaseAt) => {
      const sold = await sellFor(context, { releaseAt })
      // A share whose time has come before its payment is credited at once.
      return sold.payment.shares![0]!.status === 'PENDING' ? sold : tooLate
    })
    return share
  },
  'subaccount.closing_failed': async (context) => {
    const { subaccounts } = context.manilla
    // A closed account in test mode: docs/reference/test-mode.md.
    const bankAccount = { bankCode: '999', accountNumber: '9900000027' }
    const { reference } = await subaccounts.create({ name: context.name, bankAccount })
    await context.withFunds('NGN', () =>
      subaccounts.transfer(reference, { from: 'merchant', asset: 'NGN', amount }),
    )
    await subaccounts.close(reference, { balance: 'pay_out' })
    return reference
  },
  'subaccount.closed': async (context) => {
    const { reference } = await addSeller(context)
    await context.manilla.subaccounts.close(reference)
    return reference
  },
  'settlement.pending': settleAfterCallback(settleOwn),
  'settlement.created': settle(settleOwn),
  'settlement.paid': settle(settleOwn),
  'settlement.failed': settle(settleOwn, 'fail'),
  'settlement.reversed': settle(settleOwn, 'reverse'),
  'subaccount_settlement.pending': settleAfterCallback(settleSeller),
  'subaccount_settlement.created': settle(settleSeller),
  'subaccount_settlement.paid': settle(settleSeller),
  'subaccount_settlement.failed': settle(settleSeller, 'fail'),
  'subaccount_settlement.reversed': settle(settleSeller, 'reverse'),
} satisfies Record<string, Scenario>
