import type { ToldCustomer } from './expected-billing.js'
import { bankRecipient } from './expected-transfers.js'
import { drawBankAccount, type Performance, payInto, post } from './performance.js'

const day = 86_400_000
const hour = 3_600_000

/** Below the limits of every approval rule: payouts of claims never wait for a member. */
const largestClaim = 3_000_000

function drawCustomer({ draws, merchant }: Performance): ToldCustomer {
  return draws.pick(merchant.customers)
}

/** A draft that is finalized at once: only then it is due. */
export async function invoiceCustomer(performance: Performance): Promise<void> {
  const { name, draws, merchant, client, oracle, time } = performance
  const customer = drawCustomer(performance)
  const [quantity, unitAmount] = [draws.integer(1, 5), draws.integer(100, 500_000)]
  const total = quantity * unitAmount
  const dueOn = (days: number) => new Date(time.nowMs + days * day).toISOString()
  const first = draws.integer(1, total)
  const dates =
    draws.chance(0.5) && first < total
      ? {
          instalments: [
            { amount: first, dueAt: dueOn(draws.integer(1, 5)) },
            { amount: total - first, dueAt: dueOn(draws.integer(6, 30)) },
          ],
        }
      : { dueAt: dueOn(draws.integer(1, 30)) }
  const { status, json } = await post(performance, '/v1/invoices', {
    customer: customer.reference,
    lines: [{ description: 'Ankara fabric', quantity: `${quantity}`, unitAmount }],
    ...dates,
  })
  if (status !== 201) return
  const { reference } = json.data
  oracle.noteInvoice({ customer, reference, total: BigInt(total) })
  const finalized = await client.post(merchant, `/v1/invoices/${reference}/finalize`, {
    name: `${name}-finalize`,
    body: {},
    caller: performance,
  })
  if (finalized.status === 200) oracle.noteInvoiceChange(reference, 'finalize')
}

export async function payCustomer(performance: Performance): Promise<void> {
  const { accountNumber } = drawCustomer(performance)
  payInto(performance, accountNumber, BigInt(performance.draws.integer(50_000, 2_000_000)))
}

/** Gives up a part; of what was paid already, it becomes credit of the customer. */
export async function creditInvoice(performance: Performance): Promise<void> {
  const { draws, oracle } = performance
  const invoice = oracle.pickInvoice(draws, performance.merchant)
  if (!invoice) return
  const amount = draws.integer(1, Number(invoice.total))
  const path = `/v1/invoices/${invoice.reference}/credit`
  const { status } = await post(performance, path, { amount })
  if (status === 200) oracle.noteCredit(invoice.reference, BigInt(amount))
}

export async function voidInvoice(performance: Performance): Promise<void> {
  const { draws, oracle } = performance
  const invoice = oracle.pickInvoice(draws, performance.merchant)
  if (!invoice) return
  const { status } = await post(performance, `/v1/invoices/${invoice.reference}/void`, {})
  if (status === 200) oracle.noteInvoiceChange(invoice.reference, 'void')
}

export async function setMoneyAside(performance: Performance): Promise<void> {
  const { draws, merchant, oracle, time } = performance
  const amount = draws.integer(10_000, largestClaim)
  const { status, json } = await post(performance, '/v1/claims', {
    amount,
    description: 'A prize',
    expiresAt: new Date(time.nowMs + draws.integer(2, 96) * hour).toISOString(),
  })
  if (status === 201) oracle.noteClaim({ merchant, amount: BigInt(amount) }, json.data)
}

/** As the recipient does on the page behind the link, for one account or another. */
export async function claimMoney(performance: Performance): Promise<void> {
  const { draws, merchant, oracle } = performance
  const claim = oracle.pickClaim(draws, merchant)
  if (!claim) return
  const account = { bankCode: '058', accountNumber: drawBankAccount(draws) }
  // Noted before: it may be paid although this answer is lost.
  claim.recipients.push(bankRecipient(account))
  await post(performance, `/v1/test/claims/${claim.reference}/claim`, account)
}

export async function cancelClaim(performance: Performance): Promise<void> {
  const { draws, merchant, oracle } = performance
  const claim = oracle.pickClaim(draws, merchant)
  if (!claim) return
  const { status } = await post(performance, `/v1/claims/${claim.reference}/cancel`, {})
  if (status === 200) claim.isCancelled = true
}
