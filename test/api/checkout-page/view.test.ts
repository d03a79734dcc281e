import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrast, dark, inColour, light } from '../../../src/api/checkout-page/brand.js'
import { renderSheet } from '../../../src/api/checkout-page/page.js'
import { paymentLink } from '../../../src/api/checkout-page/render-coins.js'
import { renderMain } from '../../../src/api/checkout-page/render-session.js'
import { english, showNaira } from '../../../src/api/checkout-page/texts.js'
import { viewSession } from '../../../src/api/checkout-page/view.js'
import type { ApiParts } from '../../../src/api/pipeline/api-parts.js'
import { canSimulate } from '../../../src/api/routes/collections/public-checkout.js'
import { html } from '../../../src/base/html.js'
import type { PublicSession } from '../../../src/checkout/find-public-sessions.js'
import type { PublicSessionJson } from '../../../src/checkout/resource.js'
import { fromWire, toWire } from '../../../src/money/amounts.js'

const bankTransfer = {
  accountNumber: '0418827731',
  accountName: 'Ada',
  bankName: 'Wema',
  bankCode: '035',
  amount: 1_250_000,
}
const shown: PublicSessionJson = {
  reference: 'cs_1',
  merchant: { id: 'mer_1', displayName: 'Ada Stores' },
  amount: 1_250_000,
  currency: 'NGN',
  description: 'Bread',
  paymentMethods: [],
  customer: { name: 'Ada', email: 'ada@example.com' },
  status: 'pending',
  received: [],
  serverTime: '2026-01-05T09:00:00.000Z',
  expiresAt: '2026-01-05T09:30:00.000Z',
  cancelUrl: null,
  amountReceived: 0,
  amountAccepted: 0,
  bankTransfer,
  cryptoAmounts: undefined,
  moreReceived: false,
}
type Received = PublicSessionJson['received'][number]
const received = (change: Partial<Received>): Received => ({
  reference: 'pay_1',
  amount: 400_000,
  amountAccepted: 0,
  amountHeld: 0,
  amountReturning: 0,
  amountReturned: 0,
  amountRefunded: 0,
  status: 'RETURNING',
  variance: 'UNDERPAID',
  sentFrom: null,
  sentBackTo: null,
  currency: 'NGN',
  receivedAt: '2026-01-05T09:01:00.000Z',
  ...change,
})
const view = (change: Partial<PublicSessionJson>, nairaBefore: bigint | null = null) =>
  viewSession({ ...shown, ...change }, { nairaBefore })

/** The notes as the page shows them. */
function describeNotes(change: Partial<PublicSessionJson>): string {
  const { notes, state } = view(change)
  const { payment, part } = english.note
  const all = notes.flatMap((note) => [
    payment(note, state === 'cancelled'),
    ...note.parts.map((one) => part(one, note, 'Ada Stores')),
  ])
  return all.filter(Boolean).join(' ')
}
const checkout = {
  showCustomer: false,
  returnAutomatically: false,
  supportEmail: null,
  supportPhone: null,
}
const live = {
  isTest: false,
  canSimulateBank: false,
  canSimulateCoins: false,
  mint: null,
  checkout,
}
const sentBackTo = { bankName: 'GTBank', accountNumber: '******4432' }

describe('the state of the page', () => {
  test('follows the session, and expires at the deadline', () => {
    expect(view({}).state).toBe('pending')
    for (const status of ['paid', 'expired', 'cancelled'] as const)
      expect(view({ status }, 0n).state).toBe(status)
    expect(view({ serverTime: shown.expiresAt }, 0n).state).toBe('expired')
  })

  test('is waiting after the payer says they paid, until another payment arrives', () => {
    // However many payments there were: not all are listed.
    const short = Array(10).fill(received({ amountReturning: 400_000 }))
    expect(view({}, 0n).state).toBe('waiting')
    expect(view({ received: short.slice(1), amountReceived: 400_000 }, 0n).state).toBe('pending')
    const many = { received: short, amountReceived: 4_000_000 }
    expect(view(many, 4_000_000n).state).toBe('waiting')
    expect(view({ ...many, amountReceived: 4_400_000 }, 4_000_000n).state).toBe('pending')
  })

  test('is watched until nothing can change', () => {
    expect(view({}).isWatched).toBe(true)
    expect(view({ status: 'expired' }).isWatched).toBe(true)
    expect(view({ status: 'paid' }).isWatched).toBe(false)
    const excess = received({ amountAccepted: 1, amountReturning: 1 })
    expect(view({ status: 'paid', received: [excess] }).isWatched).toBe(true)
  })

  test('is news when money has moved', () => {
    const going = view({ received: [received({ amountReturning: 400_000 })] })
    const gone = view({ received: [received({ amountReturned: 400_000, status: 'RETURNED' })] })
    expect(new Set([view({}).fingerprint, going.fingerprint, gone.fingerprint]).size).toBe(3)
  })

  test('is no news when an account is closed whose time was up', () => {
    const isOver = { serverTime: shown.expiresAt }
    expect(view(isOver).fingerprint).not.toBe(view({}).fingerprint)
    expect(view({ ...isOver, status: 'expired' }).fingerprint).toBe(view(isOver).fingerprint)
  })
})

describe('held money', () => {
  const render = (payments: Received[], support = {}) => {
    const one = { ...shown, received: payments }
    const scene = { shown: one, view: viewSession(one, { nairaBefore: null }), ...live }
    return renderMain({
      ...scene,
      checkout: { ...checkout, ...support },
      texts: english,
      createdAt: new Date(),
    }).markup.replace(/\s+/g, ' ')
  }
  const held = received({ amountHeld: 400_000, status: 'HELD' })

  test('says how much is missing instead of asking for the exact amount', () => {
    const markup = render([held])
    expect(markup).toContain('<h1 tabindex="-1">₦8,500.00 is missing</h1>')
    expect(markup).toContain('We received ₦4,000.00 of ₦12,500.00. It is safe with us')
    expect(markup).toContain('Ask Ada Stores before you pay again. Payments are not added up')
    expect(markup).toContain('<summary>Pay the full ₦12,500.00 instead</summary>')
    expect(markup).not.toMatch(/Send exactly|To pay, send exactly/)
  })

  test('adds up held payments, also beyond the requested amount', () => {
    expect(render([held, held])).toContain('₦4,500.00 is missing')
    expect(render([held, held, held, held])).toContain('Your payment is on hold')
    expect(render([received({ amountReturning: 400_000 })])).toContain('Send exactly')
  })

  test('links to the merchant, whatever the address contains', () => {
    const supportEmail = `"help?&'<me>@shop.example`
    const markup = render([held], { supportEmail, supportPhone: '+2348012345678' })
    expect(markup).toContain('href="mailto:%22help%3F%26&#39;%3Cme%3E@shop.example?subject=Payment')
    expect(markup).toContain('<a href="tel:+2348012345678">+2348012345678</a>')
    expect(render([held])).not.toContain('mailto:')
  })
})

describe('a session in coins', () => {
  const crypto = {
    address: 'Fk3x',
    asset: 'USDC' as const,
    network: 'SOLANA' as const,
    amount: '3.200',
    rate: null,
  }
  const cryptoAmounts = { asset: 'USDC' as const, amount: '3.2', amountReceived: '0' }
  const one: PublicSessionJson = {
    ...shown,
    description: 'Bread & "butter"?',
    crypto,
    cryptoAmounts: { ...cryptoAmounts, amountAccepted: '0' },
  }
  const sceneOf = (shown: PublicSessionJson, nairaBefore: bigint | null = null) => ({
    ...live,
    shown,
    view: viewSession(shown, { nairaBefore }),
    texts: english,
    createdAt: new Date(),
  })
  const linked = sceneOf(one)

  test('links to a Solana Pay transfer request', () => {
    expect(paymentLink({ ...linked, mint: 'EPjF' })).toBe(
      'solana:Fk3x?amount=3.2&spl-token=EPjF&label=Ada%20Stores&message=Bread%20%26%20%22butter%22%3F',
    )
    expect(paymentLink(linked), 'a link without a mint must not ask for SOL').toBe('solana:Fk3x')
  })

  // A QR code holds about three thousand characters; these would be six thousand.
  test('has a QR code also if its texts are as long as allowed', () => {
    const merchant = { id: 'mer_1', displayName: '🍞'.repeat(100) }
    const long = sceneOf({ ...one, merchant, description: '🍞'.repeat(500) })
    expect(renderMain({ ...long, mint: 'EPjF' }).markup).toContain('class="qr"')
    expect(paymentLink({ ...long, mint: 'EPjF' }).length).toBeLessThan(1_600)
  })

  // A payer can change the address, or open a link that was meant for another session.
  test('without bank transfers never waits for naira', () => {
    const scene = sceneOf({ ...one, bankTransfer: undefined }, 0n)
    expect(renderMain(scene).markup).toContain('data-state="pending"')
  })
})

describe('with many payments', () => {
  const dust = (count: number) =>
    Array.from({ length: count }, () =>
      received({ amount: 1, amountReturned: 1, status: 'RETURNED' }),
    )

  // Anyone can send small amounts to the number on the page.
  test('a held payment is shown, and that there are more', () => {
    const held = received({ amount: 1_200_000, amountHeld: 1_200_000, status: 'HELD' })
    const all = [...dust(20), held, ...dust(20)]
    const { notes, hasMore } = view({ received: all, amountReceived: 1_200_040 })
    expect([notes.length, hasMore]).toEqual([10, true])
    expect(notes.map(({ amount }) => amount)).toContain(1_200_000n)
  })

  test('the newest payment is always shown', () => {
    const kept = Array(20).fill(received({ amountHeld: 400_000, status: 'HELD' }))
    const { notes } = view({ received: [...dust(1), ...kept] })
    expect(notes[0]!.amount).toBe(1n)
  })

  test('few payments are all shown', () => {
    expect(view({ received: dust(10) })).toMatchObject({ hasMore: false })
    expect(view({ received: dust(10) }).notes).toHaveLength(10)
    expect(view({ received: dust(10), moreReceived: true })).toMatchObject({ hasMore: true })
  })
})

describe('notes about naira', () => {
  const cases: [string, Partial<Received>, Partial<PublicSessionJson>, string][] = [
    [
      'underpaid, being returned',
      { amountReturning: 400_000, sentBackTo },
      {},
      'We received ₦4,000.00, ₦8,500.00 less than requested. We are sending it back to GTBank ••• 4432, usually within minutes.',
    ],
    [
      'underpaid, returned to an unknown account',
      { amountReturned: 400_000, status: 'RETURNED' },
      {},
      'We received ₦4,000.00, ₦8,500.00 less than requested. It was sent back to the account it came from.',
    ],
    [
      'underpaid, returned to an unnamed bank',
      {
        amountReturned: 400_000,
        status: 'RETURNED',
        sentBackTo: { bankName: '', accountNumber: '******4432' },
      },
      {},
      'We received ₦4,000.00, ₦8,500.00 less than requested. It was sent back to the account ••• 4432.',
    ],
    [
      'underpaid, accepted',
      { amountAccepted: 400_000, status: 'ACCEPTED' },
      { status: 'paid' },
      'We received ₦4,000.00, ₦8,500.00 less than requested. Ada Stores has accepted it.',
    ],
    [
      'overpaid, excess being returned',
      {
        variance: 'OVERPAID',
        amount: 1_300_000,
        amountAccepted: 1_250_000,
        amountReturning: 50_000,
        sentBackTo,
      },
      { status: 'paid' },
      'We received ₦13,000.00, ₦500.00 more than requested. We are sending ₦500.00 back to GTBank ••• 4432, usually within minutes.',
    ],
    [
      'late, held',
      { variance: 'LATE', amountHeld: 400_000, status: 'HELD' },
      { status: 'expired' },
      "We received ₦4,000.00 after this payment expired. It is safe with us. Ada Stores will either accept it or send it back. Please contact them if you don't hear from them.",
    ],
    [
      'late because cancelled, returned',
      { variance: 'LATE', amountReturned: 400_000, status: 'RETURNED', sentBackTo },
      { status: 'cancelled' },
      'We received ₦4,000.00 after this payment was cancelled. It was sent back to GTBank ••• 4432.',
    ],
    [
      'duplicate',
      { variance: 'DUPLICATE', amountReturning: 400_000, sentBackTo },
      { status: 'paid' },
      'We received ₦4,000.00 after this was already paid. We are sending it back to GTBank ••• 4432, usually within minutes.',
    ],
    [
      'partly refunded',
      { variance: 'NONE', amount: 1_250_000, amountAccepted: 1_000_000, amountReturned: 250_000 },
      { status: 'paid' },
      'We received ₦12,500.00. ₦2,500.00 was sent back to the account it came from.',
    ],
    [
      'exact',
      { variance: 'NONE', amount: 1_250_000, amountAccepted: 1_250_000, status: 'ACCEPTED' },
      { status: 'paid' },
      '',
    ],
  ]
  test.each(cases)('%s', (_name, one, session, words) => {
    expect(describeNotes({ ...session, received: [received(one)] }).replaceAll('\u00a0', ' ')).toBe(
      words,
    )
  })

  test('the parts of a note add up to its payment', () => {
    const part = fc.integer({ min: 0, max: 1_000_000 })
    fc.assert(
      fc.property(part, part, part, part, (amountAccepted, amountHeld, amountReturning, rest) => {
        const amounts = { amountAccepted, amountHeld, amountReturning, amountReturned: rest }
        const amount = amountAccepted + amountHeld + amountReturning + rest
        const [note] = view({ received: [received({ ...amounts, amount })] }).notes
        const total = note!.parts.reduce((sum, part) => sum + part.amount, 0n)
        expect(total).toBe(BigInt(amount))
      }),
    )
  })

  test.each([
    ['the requested amount', 1_250_000, 'Ada Stores has received your payment of ₦12,500.00.'],
    ['an accepted underpayment', 400_000, 'Ada Stores has received your payment of ₦4,000.00.'],
    ['nothing after a refund', 0, 'Ada Stores has refunded your payment.'],
  ])('a paid session shows %s', (_name, amountAccepted, words) => {
    const paid: PublicSessionJson = { ...shown, status: 'paid', amountAccepted }
    const scene = { shown: paid, view: viewSession(paid, { nairaBefore: null }), ...live }
    const { markup } = renderMain({ ...scene, texts: english, createdAt: new Date() })
    expect(markup.split(words)).toHaveLength(3)
  })

  test.each([
    [
      'wholly',
      { amountAccepted: 0, amountReturned: 1_250_000, amountRefunded: 1_250_000 },
      'Payment refunded',
      'Ada Stores has refunded your payment of ₦12,500.00.',
      ['₦12,500.00', '₦12,500.00'],
    ],
    [
      'wholly, on its way, with an excess returned before',
      {
        amount: 1_300_000,
        amountAccepted: 0,
        amountReturning: 1_250_000,
        amountReturned: 50_000,
        amountRefunded: 1_250_000,
      },
      'Payment refunded',
      'Ada Stores has refunded your payment of ₦12,500.00.',
      ['₦12,500.00', '₦12,500.00'],
    ],
    [
      'partly',
      { amountAccepted: 1_000_000, amountReturned: 250_000, amountRefunded: 250_000 },
      'Payment successful',
      'Ada Stores has received your payment of ₦12,500.00.',
      ['₦12,500.00', '₦2,500.00'],
    ],
    [
      'not at all, but an excess is returned',
      { amount: 1_300_000, amountAccepted: 1_250_000, amountReturned: 50_000 },
      'Payment successful',
      'Ada Stores has received your payment of ₦12,500.00.',
      ['₦12,500.00', undefined],
    ],
  ])('a payment refunded %s keeps its receipt', (_name, change, title, words, amounts) => {
    const payment = received({ amount: 1_250_000, variance: 'NONE', ...change })
    // A duplicate that was returned is no part of what was paid.
    const duplicate = received({ variance: 'DUPLICATE', amountReturned: 400_000 })
    const paid: PublicSessionJson = {
      ...shown,
      status: 'paid',
      amountAccepted: Number(payment.amountAccepted),
      received: [duplicate, payment],
    }
    const scene = { shown: paid, view: viewSession(paid, { nairaBefore: null }), ...live }
    const { markup } = renderMain({ ...scene, texts: english, createdAt: new Date() })
    expect(markup).toContain(`data-title="${title}: Ada Stores" data-heading="${title}."`)
    expect(markup).toContain(`<h1 tabindex="-1">${title}</h1>`)
    expect(markup).toContain(`<p>${words}</p>`)
    const receipt = markup.slice(markup.indexOf('<section class="receipt"'))
    const valuesOf = (name: string) =>
      [...receipt.matchAll(new RegExp(`<dt>${name}</dt><dd>([^<]+)</dd>`, 'g'))].map(
        ([, one]) => one,
      )
    expect([...valuesOf('Amount'), valuesOf('Refunded')[0]]).toEqual(amounts)
    expect(valuesOf('Date')).toEqual(['5 Jan 2026, 10:01 WAT'])
  })

  test('naira are formatted with kobo', () => {
    expect([1n, 1_250_000n, 123_456_789_012n].map(showNaira)).toEqual([
      '₦0.01',
      '₦12,500.00',
      '₦1,234,567,890.12',
    ])
  })
})

describe('notes about coins', () => {
  const cryptoAmounts = {
    asset: 'USDC' as const,
    amount: '3.2',
    amountReceived: '3.2',
    amountAccepted: '0',
  }
  const noAmounts = {
    amountAccepted: '0',
    amountHeld: '0',
    amountReturning: '0',
    amountReturned: '0',
    amountRefunded: '0',
  }
  const coins = (change: Partial<Received>) =>
    received({ currency: 'USDC', amount: '3.2', ...noAmounts, ...change })
  const cases: [string, Partial<Received>, Partial<PublicSessionJson>, string][] = [
    [
      'underpaid, held',
      { variance: 'UNDERPAID', amount: '3', amountHeld: '3' },
      {},
      'We received 3.00 USDC, 0.20 USDC less than requested. It is safe with us. Ada Stores will either accept it or send it back. Please tell them which wallet to send it to.',
    ],
    [
      'overpaid, excess held',
      { variance: 'OVERPAID', amount: '1234.5', amountAccepted: '3.2', amountHeld: '1231.3' },
      { status: 'paid' },
      'We received 1,234.50 USDC, 1,231.30 USDC more than requested. 1,231.30 USDC is safe with us. Ada Stores will either accept it or send it back. Please tell them which wallet to send it to.',
    ],
    [
      'already paid, being returned',
      { variance: 'LATE', amountReturning: '3.2' },
      { status: 'paid' },
      'We received 3.20 USDC, but this was already paid. It is on its way to the wallet that Ada Stores chose.',
    ],
    [
      'late, then accepted',
      { variance: 'LATE', amountAccepted: '3.2', receivedAt: '2026-01-05T09:31:00.000Z' },
      { status: 'paid' },
      'We received 3.20 USDC after this payment expired. Ada Stores has accepted it.',
    ],
    [
      'refunded',
      { variance: 'NONE', amountReturned: '3.2' },
      { status: 'paid' },
      'We received 3.20 USDC. It was sent to the wallet that Ada Stores chose.',
    ],
  ]
  test.each(cases)('%s', (_name, one, session, words) => {
    expect(describeNotes({ ...session, cryptoAmounts, received: [coins(one)] })).toBe(words)
  })

  test('the page waits for coins until more have arrived', () => {
    const crypto = {
      address: 'x',
      asset: 'USDC' as const,
      network: 'SOLANA' as const,
      amount: '3.2',
      rate: null,
    }
    const one = { ...shown, crypto, cryptoAmounts: { ...cryptoAmounts, amountReceived: '0.5' } }
    const waiting = (coinsBefore: bigint) => viewSession(one, { nairaBefore: null, coinsBefore })
    expect(waiting(500_000n)).toMatchObject({ state: 'waiting', waitsForCoins: true })
    expect(waiting(499_999n)).toMatchObject({ state: 'pending', waitsForCoins: false })
    const bare = viewSession(shown, { nairaBefore: null, coinsBefore: 0n })
    expect(bare.state, 'a session without coins').toBe('pending')
  })

  test.each([
    ['coins', 0, '3.2', 'Ada Stores has received your payment of 3.20 USDC.'],
    ['both', 1_250_000, '3.2', 'Ada Stores has received your payment of ₦12,500.00 and 3.20 USDC.'],
    ['neither', 0, '0', 'Ada Stores has refunded your payment.'],
  ])('a paid session shows %s', (_name, amountAccepted, accepted, words) => {
    const sums = { ...cryptoAmounts, amountAccepted: accepted }
    const paid: PublicSessionJson = {
      ...shown,
      status: 'paid',
      amountAccepted,
      cryptoAmounts: sums,
    }
    const scene = { shown: paid, view: viewSession(paid, { nairaBefore: null }), ...live }
    const { markup } = renderMain({ ...scene, texts: english, createdAt: new Date() })
    expect(markup).toContain(words)
  })

  test('refunded coins keep their receipt, and naira that stay keep the heading', () => {
    const refunded = coins({ variance: 'NONE', amountReturned: '3.2', amountRefunded: '3.2' })
    const render = (change: Partial<PublicSessionJson>) => {
      const paid: PublicSessionJson = { ...shown, status: 'paid', cryptoAmounts, ...change }
      const scene = { shown: paid, view: viewSession(paid, { nairaBefore: null }), ...live }
      return renderMain({ ...scene, texts: english, createdAt: new Date() }).markup
    }
    const alone = render({ received: [refunded] })
    expect(alone).toContain('Payment refunded')
    expect(alone).toContain('Ada Stores has refunded your payment of 3.20 USDC.')
    expect(alone).toContain('<dt>Refunded</dt><dd>3.20 USDC</dd>')
    const both = render({ received: [refunded], amountAccepted: 1_250_000 })
    expect(both).not.toContain('Payment refunded')
    expect(both).toContain('has received your payment of ₦12,500.00 and 3.20 USDC.')
  })

  test('an amount with more decimals than the coin has is never misread', () => {
    expect(() => fromWire('25.5000000', 'USDC')).toThrow('at most 6 decimals')
  })

  test('amounts are parsed as they were written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 9_007_199_254_740_991n }), (units) => {
        for (const asset of ['NGN', 'USDC', 'USDT'] as const)
          expect(fromWire(toWire(units, asset), asset)).toBe(units)
      }),
    )
  })
})

describe('markup', () => {
  test('escapes any text', () => {
    const nasty = fc.constantFrom(
      '<script>',
      '"',
      "'",
      '`',
      '&lt;',
      '-->',
      '</style>',
      ' onx=1 ',
      '\u202e',
    )
    const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' }))).map((all) => all.join(''))
    fc.assert(
      fc.property(text, (any) => {
        const { markup } = html`<p title="${any}">${[any, html`<b>${any}</b>`]}</p>`
        const inside = markup.replace(/^<p title="|">|<b>|<\/b>|<\/p>$/g, '')
        expect(inside).not.toMatch(/[<>"'`]/)
        const decoded = inside.replace(
          /&(lt|gt|quot|amp|#39|#96);/g,
          (_all, name) => entities[name]!,
        )
        expect(decoded).toBe(any.replace(/[\u2028-\u202e\u2066-\u2069]/g, '').repeat(3))
      }),
    )
  })

  test('removes bidirectional controls', () => {
    const turned = 'Ada\u202e\u2067\u202d 000,1₦ yaP\u2029'
    expect(html`<p title="${turned}">${turned}</p>`.markup).toBe(
      '<p title="Ada 000,1₦ yaP">Ada 000,1₦ yaP</p>',
    )
  })

  test('renders absent values as nothing', () => {
    expect(html`<p>${null}${undefined}${false}${0}${[]}</p>`.markup).toBe('<p>0</p>')
  })
})

describe('live mode', () => {
  const bankTransfer = { accountNumber: '0418827731', accountName: 'Ada', bankName: 'Wema' }
  const pending = { ...shown, bankTransfer: { ...bankTransfer, bankCode: '035', amount: 1 } }
  const withSimulators = { collections: { sandboxPayers: {}, localnetPayers: {} } } as ApiParts
  const render = (isTest: boolean, nairaBefore: bigint | null) => {
    const createdAt = new Date(shown.serverTime)
    const scene = { shown: pending, view: viewSession(pending, { nairaBefore }), createdAt }
    const mode = { mode: isTest ? 'test' : 'live' } as PublicSession
    const main = renderMain({
      ...scene,
      ...live,
      texts: english,
      isTest,
      canSimulateBank: canSimulate(withSimulators, mode, 'bank_transfer'),
      canSimulateCoins: canSimulate(withSimulators, mode, 'crypto'),
    })
    return renderSheet({ texts: english, nonce: 'n', title: 't', main, isTest })
  }

  test.each([null, 0n])('has no simulate form and no test band (%s)', (nairaBefore) => {
    expect(render(true, nairaBefore)).toMatch(/<form/)
    expect(render(true, nairaBefore)).toMatch(/<aside class="band"/)
    expect(render(false, nairaBefore)).not.toMatch(/<form|<aside|simulate|Test mode/)
    expect(render(false, nairaBefore)).toContain(
      '<span>041</span><span>882</span><span>7731</span>',
    )
  })
})

const entities: Record<string, string> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  '#39': "'",
  '#96': '`',
}

describe('colours', () => {
  const texts = ['ink', 'soft', 'brand', 'good', 'warn', 'bad'] as const
  test.each([
    ['light', light],
    ['dark', dark],
  ])('of the %s theme are readable', (_name, theme) => {
    for (const text of texts)
      for (const ground of ['ground', 'card'] as const)
        expect([text, ground, contrast(theme[text], theme[ground]) >= 4.5]).toEqual([
          text,
          ground,
          true,
        ])
    for (const tone of ['good', 'warn', 'bad'] as const)
      expect(contrast(theme[tone], theme[`${tone}-wash`])).toBeGreaterThanOrEqual(4.5)
  })

  test('of a merchant are used only if readable', () => {
    const any = fc.integer({ min: 0, max: 0xffffff })
    fc.assert(
      fc.property(any, fc.constantFrom(light, dark), (number, theme) => {
        const colour = `#${number.toString(16).padStart(6, '0')}`
        const { brand } = inColour(theme, colour)
        expect([colour, theme.brand]).toContain(brand)
        for (const other of ['ground', 'card', 'wash', 'on-brand'] as const)
          expect(contrast(brand, theme[other])).toBeGreaterThanOrEqual(4.5)
      }),
    )
    expect(inColour(light, '#0a5d7d').brand).toBe('#0a5d7d')
    expect(inColour(dark, '#0a5d7d').brand).toBe(dark.brand)
    expect(inColour(light, '#fff}body{display:none')).toBe(light)
  })
})
