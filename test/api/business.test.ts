import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { after, hour } from '../../src/base/clock.js'
import { Refusal } from '../../src/base/refusal.js'
import { createSeal } from '../../src/base/sealed.js'
import { Secret } from '../../src/base/secret.js'
import { getKey, revealKey } from '../../src/merchants/keys/api-keys.js'
import { isKycApproved } from '../../src/merchants/kyc/kyc.js'
import { readKycDocument } from '../../src/merchants/kyc/kyc-documents.js'
import { emptyForm, type KycForm } from '../../src/merchants/kyc/kyc-form.js'
import { decideKyc, getKyc, listKycSubmissions } from '../../src/merchants/kyc/kyc-submissions.js'
import { kycLimits, settingsLimits } from '../../src/merchants/limits.js'
import { resealMerchants } from '../../src/merchants/reseal-merchants.js'
import { writeDestination } from '../../src/merchants/settings/settings.js'
import type { BankDirectory } from '../../src/payouts/ports.js'
import { sql } from '../../src/postgres/sql.js'
import { drawPng } from '../support/draw-png.js'
import { openManilla, withDirectory } from '../support/open-manilla.js'
import { addPerson } from '../support/people.js'

/** A bank that knows one holder. */
const directory: BankDirectory = {
  listBanks: async () => [{ code: '058', name: 'GTBank' }],
  resolveName: async ({ accountNumber }) =>
    accountNumber.startsWith('0')
      ? { bankName: 'GTBank', accountName: 'ADA STORES LTD' }
      : new Refusal('bank_transfer_failed', { reason: 'account_not_found', message: 'Unknown.' }),
}

const service = await openManilla({ rails: withDirectory(directory) })
const { ask, clock, db, merchant, seal } = service
const { live } = merchant.environments
const owner = () => addPerson(service, { role: 'owner' })

test('a bank account of live mode waits a day, and so does a newly primary one', async () => {
  const person = await owner()
  const send = (path: string, body?: object, mode: 'test' | 'live' = 'live') =>
    person.ask('POST', `/v1/bank-accounts${path}`, { mode, ...(body && { body }) })
  const account = { bankCode: '058', accountNumber: '0123456789' }
  const unknown = await send('', { ...account, accountNumber: '9123456789' })
  expect([unknown.status, unknown.json.reason]).toEqual([422, 'account_not_found'])

  const settle = async (key = merchant.live.secret) => {
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    return (await ask('POST', '/v1/settlements', { key, headers })).json.reason
  }
  expect(await settle()).toBe('no_bank_account')
  const added = await send('', { ...account, isPrimary: true })
  expect(added.status, added.text).toBe(201)
  expect(added.json.data).toMatchObject({ accountName: 'ADA STORES LTD', isPrimary: true })
  expect(await settle()).toBe('bank_account_waiting')
  clock.advance(24 * hour)
  // The operator has approved no name yet, so a second owner must know the account.
  expect(await settle()).toBe('destination_unconfirmed')
  const again = await owner()
  const first = added.json.data.reference
  const confirmed = await again.ask('POST', `/v1/bank-accounts/${first}/confirm`, { mode: 'live' })
  expect(confirmed.status, confirmed.text).toBe(200)
  expect(await settle()).toBe('nothing_to_settle')

  // Making it primary again changes nothing; another one waits, and the first one after it too.
  const choose = (reference: string) =>
    again.ask('POST', `/v1/bank-accounts/${reference}/primary`, { mode: 'live' })
  await choose(first)
  expect(await settle()).toBe('nothing_to_settle')
  const other = await again.ask('POST', '/v1/bank-accounts', {
    mode: 'live',
    body: { ...account, accountNumber: '0000000001' },
  })
  await choose(other.json.data.reference)
  expect(await settle()).toBe('bank_account_waiting')
  await choose(first)
  expect(await settle()).toBe('bank_account_waiting')
  clock.advance(24 * hour)
  expect(await settle()).toBe('nothing_to_settle')

  const last = await owner()
  const end = (reference: string) =>
    last.ask('POST', `/v1/bank-accounts/${reference}/deactivate`, { mode: 'live' })
  expect((await end(first)).status).toBe(400)
  expect((await end(other.json.data.reference)).json.data.isActive).toBe(false)
  const lines = await db.rows(sql<{ action: string }>`
    select action from audit_lines where action like 'bank_account%' order by number`)
  expect(lines.map(({ action }) => action.split('.')[1])).toEqual([
    'add',
    'confirm',
    'make',
    'add',
    'make',
    'make',
    'deactivate',
  ])

  // In test mode it is used at once.
  const tested = await last.ask('POST', '/v1/bank-accounts', {
    body: { ...account, isPrimary: true },
  })
  expect(tested.json.data.usableFrom).toBeNull()
  expect(await settle(merchant.test.secret)).toBe('nothing_to_settle')
})

test('a wallet for live settlements is chosen by people only, and waits three days', async () => {
  const other = await service.addMerchant('Bola Foods')
  const person = await addPerson(service, { role: 'owner', merchant: other.reference })
  const path = '/v1/settings/settlement-destination'
  const [wallet, another] = [
    'FtwG8Lks5Wc3Y5BEVP3e94ZR7vEc8TQe4gtyj5fYdKkQ',
    'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
  ] as const
  const choose = (body: object, mode: 'test' | 'live' = 'live') =>
    person.ask('PATCH', path, { mode, body })
  const toWallet = (walletAddress: string) => ({ payTo: 'wallet', asset: 'USDC', walletAddress })
  const settle = async (key = other.live.secret) => {
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    return (await ask('POST', '/v1/settlements', { key, headers })).json.reason
  }
  const patch = (settlement: object, key = other.live.secret) =>
    ask('PATCH', '/v1/settings', { key, body: { settlement } })

  // An API key cannot change it in live mode, and may send it back unchanged.
  for (const change of [{ payTo: 'wallet' }, { walletAddress: wallet }, { asset: 'USDT' }])
    expect((await patch(change)).json).toMatchObject({ reason: 'console_only' })
  expect((await patch({ payTo: 'bank', walletAddress: null, reserve: 0 })).status).toBe(200)
  expect(
    (await ask('PATCH', path, { key: other.live.secret, body: toWallet(wallet) })).status,
  ).toBe(401)
  expect((await choose({ payTo: 'wallet' })).status).toBe(400)
  expect((await choose(toWallet('1'.repeat(44)))).status).toBe(400)

  expect(await settle()).toBe('no_bank_account')
  const chosen = await choose(toWallet(wallet))
  expect(chosen.status, chosen.text).toBe(200)
  const usableFrom = after(clock.now(), 72 * hour).toISOString()
  const needsConfirmation = false
  expect(chosen.json.data).toEqual({ ...toWallet(wallet), usableFrom, needsConfirmation })
  expect(await settle()).toBe('wallet_waiting')
  clock.advance(72 * hour - 1)
  expect(await settle()).toBe('wallet_waiting')
  clock.advance(1)
  expect(await settle()).toBe('nothing_to_settle')

  // The same one again changes nothing. Another one waits; so does one that was used before.
  const again = await addPerson(service, { role: 'owner', merchant: other.reference })
  const chooseAgain = (body: object) => again.ask('PATCH', path, { mode: 'live', body })
  await chooseAgain(toWallet(wallet))
  expect(await settle()).toBe('nothing_to_settle')
  for (const body of [toWallet(another), toWallet(wallet)]) {
    clock.advance(1)
    await chooseAgain(body)
    expect(await settle()).toBe('wallet_waiting')
  }
  clock.advance(72 * hour)
  expect(await settle()).toBe('nothing_to_settle')
  const last = await addPerson(service, { role: 'owner', merchant: other.reference })
  await last.ask('PATCH', path, { mode: 'live', body: { payTo: 'bank' } })
  expect(await settle()).toBe('no_bank_account')
  await last.ask('PATCH', path, { mode: 'live', body: toWallet(wallet) })
  expect(await settle()).toBe('wallet_waiting')

  // Only the wallet that people chose is paid, whatever the settings say.
  clock.advance(72 * hour)
  await db.transaction(async (tx) => {
    const destination = { payTo: 'wallet', asset: 'USDC', walletAddress: another } as const
    await writeDestination(tx, clock.now(), other.environments.live.id, destination)
  })
  expect(await settle()).toBe('no_wallet')

  // In test mode a key may choose it, and it is used at once.
  expect((await patch({ payTo: 'wallet' }, other.test.secret)).json.details).toEqual([
    { field: 'settlement.walletAddress', issue: 'is required to settle to a wallet' },
  ])
  expect((await patch(toWallet(wallet), other.test.secret)).status).toBe(200)
  expect(await settle(other.test.secret)).toBe('nothing_to_settle')
  const lines = await db.rows(sql<{ details: string }>`
    select details::text as details from audit_lines
    where action = 'settlement_destination.change' order by number`)
  expect(JSON.parse(lines[0]!.details)).toMatchObject({
    before: { payTo: 'bank', walletAddress: null },
    after: { payTo: 'wallet', walletAddress: wallet },
  })
})

const form: KycForm = {
  business: {
    legalName: 'Ada Stores Limited',
    type: 'company',
    registrationNumber: 'RC 1234567',
    taxNumber: null,
    address: '12 Allen Avenue',
    city: 'Ikeja',
    state: 'Lagos',
    website: 'https://ada.example',
    description: 'Bread and rice',
  },
  contact: { name: 'Ada Obi', email: 'ada@ada.example', phone: '+2348012345678' },
  people: [
    {
      name: 'Ada Obi',
      position: 'director',
      dateOfBirth: '1990-05-01',
      bvn: '22212345678',
      sharePercent: 100,
    },
  ],
}
const pdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(100_000)])

test('KYC is drafted, submitted, questioned, corrected and approved', async () => {
  const person = await owner()
  const finance = await addPerson(service, { role: 'finance' })
  const merchantId = live.merchantId
  const save = (sent: unknown) => person.ask('PATCH', '/v1/kyc', { body: { form: sent } })
  const submit = () => person.ask('POST', '/v1/kyc/submit')
  const upload = (kind: string, body: Buffer, type = 'application/pdf') =>
    person.ask('POST', `/v1/kyc/documents?kind=${kind}&name=${kind}.pdf`, {
      body,
      headers: { 'content-type': type },
    })
  const decide = (outcome: 'approve' | 'ask' | 'reject', note: string | null) =>
    db.transaction((tx) =>
      decideKyc(tx, clock.now(), { merchantId, outcome, note, decidedBy: 'operator' }),
    )

  expect((await person.ask('GET', '/v1/kyc')).json.data).toMatchObject({
    status: 'NONE',
    form: emptyForm,
  })
  expect((await save({ ...emptyForm, contact: { ...form.contact, name: null } })).status).toBe(200)
  const early = await submit()
  expect(early.status).toBe(400)
  expect(early.json.details).toContainEqual({ field: 'people', issue: 'is required' })
  const wrong = { ...form, people: [{ ...form.people[0], bvn: '123' }] }
  expect((await save(wrong)).json.details[0].field).toBe('form.people.0.bvn')
  const saved = await save(form)
  expect(saved.json.data).toMatchObject({ status: 'DRAFT', form })
  expect(saved.json.data.missing).toEqual([
    'documents.registration',
    'documents.identity',
    'documents.address',
  ])
  const seen = await finance.ask('GET', '/v1/kyc')
  expect(seen.json.data.form.people[0].bvn).toBe('*******5678')

  // The first bytes decide, not what the browser says.
  const html = await upload('identity', Buffer.from('<script>alert(1)</script>'))
  expect([html.status, html.json.reason]).toEqual([415, 'unsupported_media_type'])
  expect((await upload('identity', pdf, 'text/html')).status).toBe(415)
  const large = Buffer.concat([pdf, Buffer.alloc(kycLimits.documentBytesMax)])
  const tooLarge = await upload('identity', large)
  expect([tooLarge.status, tooLarge.json.message]).toEqual([413, expect.stringContaining('5 MB')])
  const whole = Buffer.concat([pdf, Buffer.alloc(kycLimits.documentBytesMax - pdf.length)])
  const stored = await upload('identity', whole)
  expect(stored.status, stored.text).toBe(201)
  for (const kind of ['registration', 'address', 'other'])
    expect((await upload(kind, pdf)).status).toBe(201)
  const documents = (await person.ask('GET', '/v1/kyc')).json.data.documents
  const spare = documents.find(({ kind }: { kind: string }) => kind === 'other')
  await person.ask('DELETE', `/v1/kyc/documents/${spare.id}`)
  expect((await submit()).json.data.status).toBe('SUBMITTED')

  // Under review nothing changes.
  expect((await save(form)).status).toBe(400)
  expect((await upload('other', pdf)).status).toBe(400)
  expect((await person.ask('DELETE', `/v1/kyc/documents/${documents[0].id}`)).status).toBe(400)
  expect(await listKycSubmissions(db)).toMatchObject([
    { merchant: merchant.reference, status: 'SUBMITTED', documents: 3 },
  ])

  await expect(decide('ask', ' ')).rejects.toThrow('Tell the merchant')
  await decide('ask', 'The certificate is not readable.')
  expect(await listKycSubmissions(db)).toEqual([])
  const asked = (await person.ask('GET', '/v1/kyc')).json.data
  expect(asked).toMatchObject({ status: 'MORE_NEEDED', isEditable: true })
  expect(asked.decisions[0].note).toBe('The certificate is not readable.')
  await submit()
  await decide('reject', 'Not a business we serve.')
  expect((await save(form)).status).toBe(400)
  expect(await isKycApproved(db, live.id)).toBe(false)
  await decide('ask', 'Send the renewed licence.')
  await submit()
  await decide('approve', null)
  expect(await isKycApproved(db, live.id)).toBe(true)
  await expect(decide('reject', 'Too late.')).rejects.toThrow('APPROVED')

  const kyc = await getKyc(db, seal, merchantId)
  expect(kyc.form).toEqual(form)
  const first = kyc.documents.find(({ kind }) => kind === 'identity')
  const read = await readKycDocument(db, seal, { merchantId, id: first!.id })
  expect(read.content.equals(whole)).toBe(true)
  const stranger = await service.addMerchant('Other')
  const others = { merchantId: stranger.environments.live.merchantId, id: first!.id }
  await expect(readKycDocument(db, seal, others)).rejects.toThrow('No such document')

  const downloaded = await person.ask('GET', `/v1/kyc/documents/${first!.reference}`)
  expect(downloaded.headers.get('content-disposition')).toContain('attachment')
  expect(downloaded.headers.get('content-security-policy')).toContain('sandbox')

  // Papers and identity numbers are nowhere in plain text.
  const rows = await db.rows(sql<{ text: string }>`
    select s::text as text from kyc_submissions s union all select l::text from audit_lines l
    union all select r::text from request_logs r`)
  const dump = rows.map(({ text }) => text).join('\n')
  expect(dump).not.toMatch(/22212345678|RC 1234567/)
  const [content] = await db.rows(sql<{ sealed: Buffer }>`
    select sealed_content as sealed from kyc_documents limit 1`)
  expect(content!.sealed.includes('%PDF')).toBe(false)
})

test('every operation has a fee, and a change of the operator shows', async () => {
  const { json } = await ask('GET', '/v1/fees', { key: merchant.test.secret })
  expect(json.data.fees).toHaveLength(8)
  expect(json.data.fees[0]).toMatchObject({
    operation: 'virtual_account',
    currency: 'NGN',
    basisPoints: 100,
    cap: 200_000,
  })
  expect(json.data.fees.at(-1)).toMatchObject({ currency: 'USDC', flat: '0', basisPoints: 50 })
})

test('a logo is checked and stripped, and the preview shows an unsaved look that cannot act', async () => {
  const person = await owner()
  const upload = (body: Buffer) =>
    person.ask('POST', '/v1/settings/logo', { body, headers: { 'content-type': 'image/png' } })
  const stored = await upload(drawPng({ side: 88 }))
  expect(stored.status, stored.text).toBe(200)
  const { logo } = stored.json.data.checkout
  expect(logo).toMatch(/^data:image\/png;base64,/)
  expect(Buffer.from(logo.split(',')[1], 'base64').includes('Ada at home')).toBe(false)
  expect((await upload(drawPng({ side: 88, width: 4_000 }))).status).toBe(400)
  expect((await upload(drawPng({ side: 88 }).subarray(0, 60))).status).toBe(400)
  const damaged = drawPng({ side: 88 })
  damaged[20] = 1
  expect((await upload(damaged)).status).toBe(400)
  const large = Buffer.concat([drawPng({ side: 88 }), Buffer.alloc(settingsLimits.logoBytesMax)])
  expect((await upload(large)).status).toBe(413)

  const of = (query: Record<string, string>) =>
    `/checkout/preview?${new URLSearchParams({ merchant: merchant.reference, mode: 'test', ...query })}`
  const page = await person.ask('GET', of({ displayName: 'Chi & <b>Co</b>', colour: '#aa2255' }))
  expect(page.status).toBe(200)
  expect(page.text).toContain('Chi &amp; &lt;b&gt;Co&lt;/b&gt;')
  expect(page.text).toContain(logo)
  expect(page.text).toContain('#aa2255')
  expect(page.text).not.toMatch(/<script|<form/)
  const policy = page.headers.get('content-security-policy')!
  expect(policy).toMatch(/frame-ancestors 'self';sandbox$/)
  expect(policy).not.toContain('script-src')
  expect(page.headers.get('x-frame-options')).toBe('SAMEORIGIN')
  expect((await person.ask('GET', of({ colour: 'red;}' }))).status).toBeGreaterThanOrEqual(400)

  const foreign = await service.addMerchant('Other')
  const support = await addPerson(service, { role: 'support' })
  const replies = [
    await person.ask('GET', of({ merchant: foreign.reference })),
    await support.ask('GET', of({})),
    await ask('GET', of({})),
  ]
  expect(replies.map(({ status }) => status)).toEqual([403, 403, 401])
})

// Last, because the service itself keeps the old secret.
test('a new secret of the installation seals kept keys, forms and documents again', async () => {
  const person = await owner()
  const body = { name: 'Kept', kind: 'secret' }
  const kept = (await person.ask('POST', '/v1/api-keys', { body })).json.data
  const fresh = new Secret(randomBytes(32).toString('hex'))
  const both = createSeal(fresh, { old: service.secret })
  expect([await resealMerchants(db, both), await resealMerchants(db, both)]).toEqual([5, 0])
  const alone = createSeal(fresh)
  const { environmentId, id } = await getKey(db, kept.id)
  const { userId } = person
  const revealed = await db.transaction((tx) =>
    revealKey(tx, clock.now(), { environmentId, id, seal: alone, userId }),
  )
  expect(revealed.key.reveal()).toBe(kept.key)
  const kyc = await getKyc(db, alone, live.merchantId)
  expect(kyc.form).toEqual(form)
  for (const document of kyc.documents) {
    const name = { merchantId: live.merchantId, id: document.id }
    const { content } = await readKycDocument(db, alone, name)
    expect(content.subarray(0, 5).toString()).toBe('%PDF-')
  }
})
