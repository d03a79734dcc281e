import { strict as assert } from 'node:assert'
import { definePath, type Path } from '../run-path.js'
import { merchantOf } from './merchant.js'

const funded = 10_000_000
const amount = 2_000_000

const completesOnSandbox = definePath({
  name: 'bank payout on the sandbox completes',
  settings: { bank: 'sandbox' },
  async prepare(world) {
    const merchant = merchantOf(world)
    await merchant.listen()
    await merchant.fund('NGN', funded)
    return { merchant, reference: '' }
  },
  async run(_world, prepared) {
    const payout = await prepared.merchant.post('/v1/disbursements/bank-transfer', {
      amount,
      bankCode: '058',
      accountNumber: '0123456789',
    })
    prepared.reference = payout.reference
  },
  async check(_world, { merchant, reference }) {
    const payout = await merchant.get(`/v1/disbursements/bank-transfer/${reference}`)
    assert.equal(payout.status, 'COMPLETED')
    assert.deepEqual(await merchant.balance(), {
      available: funded - amount - payout.fee,
      held: 0,
      pending: 0,
    })
  },
})

export const bankPayouts: Path[] = [completesOnSandbox]
