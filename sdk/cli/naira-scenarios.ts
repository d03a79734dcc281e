import type { Scenario, Stage } from './stage.js'

const amount = 500_000

async function openVirtual({ manilla, name }: Stage, more: { expiresAt?: string } = {}) {
  return manilla.virtualAccounts.create({ merchantReference: name, amount, ...more })
}

async function openDedicated({ manilla, name }: Stage) {
  return manilla.dedicatedAccounts.create({ externalReference: name })
}

async function openSession({ manilla, name }: Stage, more: { expiresAt?: string } = {}) {
  const customer = { name: 'Ada Obi', email: 'ada@example.com' }
  const order = { amount, description: `Two loaves (${name})`, customer, ...more }
  return manilla.checkout.sessions.create(order)
}

function pay({ manilla }: Stage, { accountNumber }: { accountNumber: string }, paid = amount) {
  return manilla.test.bankTransfers.create({ accountNumber, amount: paid })
}

/** Opens an account and has customers pay these amounts, one after the other. */
function virtualPaid(...amounts: number[]): Scenario {
  return async (stage) => {
    const account = await openVirtual(stage)
    for (const paid of amounts) await pay(stage, account, paid)
    return account.reference
  }
}

/** What comes to a dedicated account that is no more waits for a decision, whatever the policy. */
async function holdPayment(stage: Stage): Promise<string> {
  const account = await openDedicated(stage)
  await stage.manilla.dedicatedAccounts.deactivate(account.accountReference)
  const { reference } = await pay(stage, account)
  return reference
}

const returnPayment: Scenario = async (stage) => {
  const reference = await holdPayment(stage)
  await stage.manilla.payments.resolve(reference, { action: 'return' })
  return reference
}

function refund(destination?: { bankCode: string; accountNumber: string }): Scenario {
  return async (stage) => {
    const { reference } = await pay(stage, await openDedicated(stage))
    await stage.manilla.payments.refund(reference, { destination })
    return reference
  }
}

function send(bankCode: string, accountNumber: string): Scenario {
  return async (stage) => {
    const order = { amount, bankCode, accountNumber, narration: stage.name }
    const { reference } = await stage.afford('NGN', () => stage.manilla.bankTransfers.create(order))
    return reference
  }
}

const ordinary = send('058', '0123456789')

/** How to make everything happen that is about naira. */
export const nairaScenarios = {
  'virtual_account.paid': virtualPaid(amount),
  'virtual_account.underpaid': virtualPaid(amount - 100),
  'virtual_account.overpaid': virtualPaid(amount + 100),
  'virtual_account.duplicate_payment': virtualPaid(amount, amount),
  'virtual_account.late_payment': async (stage) => {
    const account = await openVirtual(stage)
    await stage.manilla.virtualAccounts.cancel(account.reference)
    await pay(stage, account)
    return account.reference
  },
  'virtual_account.expired': async (stage) => {
    const made = await stage.shortLived((expiresAt) => openVirtual(stage, { expiresAt }))
    return made.reference
  },
  'virtual_account.cancelled': async (stage) => {
    const { reference } = await openVirtual(stage)
    await stage.manilla.virtualAccounts.cancel(reference)
    return reference
  },
  'dedicated_account.created': async (stage) => (await openDedicated(stage)).accountReference,
  'dedicated_account.credited': async (stage) => {
    const account = await openDedicated(stage)
    await pay(stage, account)
    return account.accountReference
  },
  'dedicated_account.deactivated': async (stage) => {
    const { accountReference } = await openDedicated(stage)
    await stage.manilla.dedicatedAccounts.deactivate(accountReference)
    return accountReference
  },
  'checkout.session.paid': async (stage) => {
    const { reference } = await openSession(stage)
    await stage.manilla.checkout.simulate(reference)
    return reference
  },
  'checkout.session.expired': async (stage) => {
    const made = await stage.shortLived((expiresAt) => openSession(stage, { expiresAt }))
    return made.reference
  },
  'checkout.session.cancelled': async (stage) => {
    const { reference } = await openSession(stage)
    await stage.manilla.checkout.sessions.cancel(reference)
    return reference
  },
  'payment.held': holdPayment,
  'payment.returning': returnPayment,
  'payment.returned': returnPayment,
  'payment.refunded': refund(),
  // An account of test mode that was closed: docs/reference/test-mode.md.
  'payment.refund_failed': refund({ bankCode: '999', accountNumber: '9900000027' }),
  'bank_transfer.submitted': ordinary,
  'bank_transfer.completed': ordinary,
  'bank_transfer.failed': send('999', '9900000027'),
  'bank_transfer.reversed': send('999', '9900000034'),
} satisfies Record<string, Scenario>
