import { strict as assert } from 'node:assert'
import { smtpError } from '../../../support/smtp-server.js'
import { definePath, type Path } from '../run-path.js'
import type { World } from '../world.js'
import { merchantOf } from './merchant.js'

const settings = { bank: 'sandbox', sendsMails: true } as const
const recipient = 'ada@example.com'

type Prepared = Awaited<ReturnType<typeof prepare>>

async function prepare(world: World) {
  const merchant = merchantOf(world)
  await merchant.patch('/v1/settings', { mails: { receipts: true, testAddresses: [recipient] } })
  const session = await merchant.post('/v1/checkout/sessions', {
    amount: 1_250_000,
    description: 'Two loaves of bread',
    customer: { name: 'Ada Obi', email: recipient },
  })
  const { bankTransfer } = await merchant.get(`/public/checkout/${session.reference}`)
  return { merchant, accountNumber: bankTransfer.accountNumber as string }
}

async function pay(world: World, { accountNumber }: Prepared): Promise<void> {
  await world.pay({ accountNumber, amount: 1_250_000 })
}

/** A payment whose notice was lost is found hours later. */
function untilMailed(world: World, { merchant }: Prepared): Promise<void> {
  return world.untilQuiet(async () => (await merchant.get('/v1/mails')).items.length > 0)
}

/**
 * At least once, and at most once more: if the instance was killed, or lost the answer, after the
 * relay took the mail. Every copy is the same mail.
 */
async function checkSent(world: World, { merchant }: Prepared): Promise<void> {
  const { items } = await merchant.get('/v1/mails')
  assert.deepEqual(
    items.map(({ kind, status }: { kind: string; status: string }) => [kind, status]),
    [['receipt', 'SENT']],
  )
  const ids = world.mails!.received.map(({ headers }) => headers.get('message-id'))
  assert(ids.length >= 1, 'the mail was not sent')
  assert(ids.length <= 2, `the mail was sent ${ids.length} times`)
  assert.deepEqual([...new Set(ids)], [`<${items[0].reference}@pay.example>`])
}

const isSent = definePath({
  name: 'receipt of a paid session is sent',
  settings,
  prepare,
  async run(world, prepared) {
    await pay(world, prepared)
    await untilMailed(world, prepared)
  },
  check: checkSent,
})

const isRetried = definePath({
  name: 'receipt is retried until the relay takes it',
  settings,
  prepare,
  async run(world, prepared) {
    world.mails!.behave({
      onMessage: () => {
        throw smtpError(451, 'Try again later')
      },
    })
    await pay(world, prepared)
    await world.work()
    await world.work()
    world.mails!.behave({})
    await untilMailed(world, prepared)
  },
  check: checkSent,
})

const isSuppressed = definePath({
  name: 'receipt to a mailbox that does not exist suppresses its address',
  settings,
  prepare,
  async run(world, prepared) {
    world.mails!.behave({
      onRecipient: () => {
        throw smtpError(550, '5.1.1 No such user')
      },
    })
    await pay(world, prepared)
    await untilMailed(world, prepared)
  },
  async check(world, { merchant }) {
    const [mail, ...more] = (await merchant.get('/v1/mails')).items
    assert.deepEqual([mail.status, more], ['FAILED', []])
    const { items } = await merchant.get('/v1/mail-suppressions')
    assert.deepEqual(
      items.map(({ address }: { address: string }) => address),
      ['a**@example.com'],
    )
    assert.deepEqual(world.mails!.received, [])
  },
})

export const mails: Path[] = [isSent, isRetried, isSuppressed]
