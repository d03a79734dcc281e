import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { auditTexts as audit } from '../../console/src/screens/business/texts.js'
import { statusWords, wordOf } from '../../console/src/texts/status.js'
import { actionOf } from '../../src/api/auth/audit-call.js'
import { codes, reasons } from '../../src/base/refusals.js'

/** The console speaks to shop owners; words of the API belong to the pages of developers. */

/** Modules of the console import each other without extensions, which types here do not allow. */
const source = new URL('../../console/src/', import.meta.url)
const load = (path: string) => import(/* @vite-ignore */ new URL(`${path}.ts`, source).href)
const { hasApiWords } = (await load('api/plain-words')) as {
  hasApiWords: (text: string) => boolean
}
const { describeLine } = (await load('screens/business/describe-line')) as {
  describeLine: (line: { action: string; details: object }) => string
}
type Given = { status: number; message: string; details?: object[]; code?: string; reason?: string }
const { ApiRefusal } = (await load('api/refusal')) as {
  ApiRefusal: new (
    given: Given,
  ) => { sentence: string; issueOf: (field: string) => string | undefined }
}

const root = new URL('../../', import.meta.url)
/** Operators run commands, and know rails and references. */
const forOthers = /^screens\/(developers|operator)\//

/** The columns of a file that people upload have these names. */
const columns = new Set([
  'accountNumber',
  'bankCode',
  'amountNaira',
  'accountName',
  'merchantReference',
  'destinationAddress',
])

/** Every literal of a module: no names of fields, and templates without their expressions. */
function literalsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^import .*$/gm, '')
  const found = code.matchAll(/'((?:[^'\\\n]|\\.)*)'(\]?:)?|`((?:[^`\\]|\\.)*)`/g)
  return [...found]
    .filter(([, , isName]) => isName === undefined)
    .map(([, plain, , template]) => plain ?? template!.replaceAll(/\$\{[^}]*\}/g, ''))
}

describe('texts for shop owners', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /^texts\/\w|\btexts\.ts$/.test(name) && !forOthers.test(name),
  )

  test.each(files)('%s has no words of the API', (name) => {
    const literals = literalsOf(readFileSync(new URL(name, source), 'utf8'))
    const isCode = (text: string) =>
      name === 'screens/business/texts.ts' && /^[a-z_]+\.[a-z_]+$/.test(text)
    const wrong = literals.filter(
      (text) =>
        /\/v1\/|`|[a-z]_[a-z]|\b[a-z]{2,}[A-Z]/.test(text) && !columns.has(text) && !isCode(text),
    )
    expect(wrong).toEqual([])
  })
})

describe('refusals', () => {
  const all = Object.entries({ ...codes, ...reasons })

  test.each(all)('%s has a sentence of the console', (name, { nextStep }) => {
    const isCode = name in codes
    const refusal = new ApiRefusal({
      status: 422,
      code: isCode ? name : 'validation_failed',
      ...(!isCode && { reason: name }),
      message: `bankCode must be one of GET /v1/banks. ${nextStep}`,
    })
    expect(hasApiWords(refusal.sentence)).toBe(false)
  })

  test('a message for people stays, with its amounts, names and references', () => {
    const say = (message: string, given: object = {}) =>
      new ApiRefusal({ status: 422, code: 'payment_action_failed', message, ...given }).sentence
    const kept = [
      'At most ₦1,000.50 of pay_01kc3v8x2n4q6r8t can be refunded, not ₦2,000.00.',
      'The account now belongs to ADA OBI, not to CHIDI EZE.',
    ]
    expect(kept.map((message) => say(message))).toEqual(kept)
    const issue = 'must be at least ₦100.00 (10000 kobo)'
    const details = [{ field: 'amount', issue }]
    expect(say(`amount ${issue}.`, { details })).toBe('Amount must be at least ₦100.00.')
    expect(say('Send skipInvalid.', { reason: 'has_invalid_items' })).toMatch(/^Some items cannot/)
    expect(say('Send skipInvalid.', { code: 'of_a_newer_server' })).toBe('This was refused.')
  })

  test('an issue stands at its field in words for people', () => {
    const details = [
      { field: 'bankCode', issue: 'must be a code listed by `GET /v1/banks`' },
      { field: 'accountNumber', issue: 'must be 10 digits' },
    ]
    const refusal = new ApiRefusal({ status: 422, message: 'No.', details })
    expect(refusal.issueOf('bankCode')).toBe('is not accepted')
    expect(refusal.issueOf('accountNumber')).toBe('must be 10 digits')
  })

  test('an issue names other fields and lines as the form does', () => {
    const details = [
      { field: 'lines.0.min', issue: 'must be at most `max`, ₦10.00' },
      { field: 'lines.1.remainder', issue: 'can be in one line only; lines.0 has it, too' },
      { field: 'splits.rule', issue: 'cannot be used: lines.1.subaccount names a closed one' },
    ]
    const refusal = new ApiRefusal({ status: 422, message: 'No.', details })
    expect(details.map(({ field }) => refusal.issueOf(field))).toEqual([
      'must be at most “At most”, ₦10.00',
      'can be in one line only; line 1 has it, too',
      'cannot be used: line 2 names a closed one',
    ])
  })
})

describe('the audit log', () => {
  test('names the money, the recipient and the decision', () => {
    const about = { amount: 250_000_000, currency: 'NGN', to: 'ADA OBI', bank: 'GTBank' }
    const lineOf = (action: string, details: object) => describeLine({ action, details })
    expect(lineOf('disbursement.approve', { about })).toBe(
      'Approved a payout of ₦2,500,000.00 to ADA OBI, GTBank',
    )
    expect(lineOf('disbursement.reject', { about, body: { reason: 'Paid already' } })).toBe(
      'Rejected a payout of ₦2,500,000.00 to ADA OBI, GTBank: Paid already',
    )
    const paid = { amount: '25.5', currency: 'USDC', payer: 'Bola' }
    expect(lineOf('payment.refund', { about: paid, body: { amount: '5' } })).toBe(
      'Refunded 5.00 USDC of a payment of 25.50 USDC from Bola',
    )
    expect(lineOf('team.invite', { email: 'ada@example.com', role: 'finance' })).toBe(
      'Invited ada@example.com as Finance',
    )
  })

  test('old lines and actions that it does not know are still words', () => {
    const details = { reference: 'bt_1', status: 201 }
    expect(describeLine({ action: 'bank_transfer.create', details })).toBe('Created bank transfer')
    expect(describeLine({ action: 'new_thing.do_it', details: {} })).toBe('New thing: do it')
    const about = { amount: {}, currency: 'EUR' }
    expect(describeLine({ action: 'disbursement.approve', details: { about } })).toBe(
      'Approved disbursement',
    )
  })

  test('no operation is shown as its code', () => {
    const { paths } = JSON.parse(readFileSync(new URL('openapi.json', root), 'utf8'))
    const operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap(
      (methods) => Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(operations.length).toBeGreaterThan(50)
    for (const operation of operations)
      expect(audit.action(actionOf(operation))).not.toMatch(/[._]\w/)
  })
})

/** What the console makes of a failure reason; the API has no such state of a payout. */
const isDecision = (state: string) => state === 'REJECTED' || state === 'APPROVAL_EXPIRED'

describe('states', () => {
  const schemas = JSON.parse(readFileSync(new URL('openapi.json', root), 'utf8')).components.schemas
  const statesOf = (name: string): string[] => schemas[name].properties.status.enum

  test.each([
    ['payment', 'Payment'],
    ['return', 'PaymentReturn'],
    ['payout', 'BankTransfer'],
    ['payout', 'CryptoTransfer'],
    ['settlement', 'Settlement'],
    ['batch', 'PayoutBatch'],
    ['item', 'PayoutBatchItem'],
    ['conversion', 'Conversion'],
    ['collection', 'CheckoutSession'],
    ['collection', 'VirtualAccount'],
    ['collection', 'DedicatedAccount'],
    ['collection', 'CryptoWallet'],
    ['subaccount', 'Subaccount'],
    ['share', 'Share'],
    ['delivery', 'EventDelivery'],
  ] as const)('every one of a %s has a word (%s)', (of, schema) => {
    for (const state of statesOf(schema)) expect(statusWords[of]).toHaveProperty(state)
  })

  test('money that comes or goes has one word for a state', () => {
    for (const of of ['payment', 'return', 'payout', 'settlement'] as const)
      for (const [state, word] of Object.entries(statusWords[of])) expect(wordOf(state)).toBe(word)
    expect(wordOf('OF_A_NEWER_SERVER')).toBe('Of a newer server')
  })

  test('the glossary has the same words', () => {
    const glossary = readFileSync(new URL('docs/glossary.md', root), 'utf8')
    const rows = [...glossary.matchAll(/^\| (\w+) \| `(\w+)` \| ([^|]+) \|/gm)]
    const written = rows.map(([, of, state, word]) => [of, state, word])
    const known = Object.entries(statusWords)
      .filter(([of]) => of !== 'kyc' && of !== 'key' && of !== 'attempt')
      .flatMap(([of, words]) => Object.entries(words).map(([state, word]) => [of, state, word]))
    expect(written).toEqual(known.filter(([of, state]) => !(of === 'payout' && isDecision(state!))))
  })
})
