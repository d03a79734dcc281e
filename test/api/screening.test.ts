import { describe, expect, test, vi } from 'vitest'
import { sql } from '../../src/postgres/sql.js'
import { screeningLimits } from '../../src/screening/limits.js'
import { manualClock } from '../support/clock.js'
import { openWithBank, type ServiceWithBank } from '../support/open-with-bank.js'
import { behaves, openDesk } from '../support/payment-desk.js'
import { addPerson } from '../support/people.js'
import { openList, openProvider } from '../support/screening.js'

const listed = { sender: { name: 'Obi, ADÁ' } }

async function openListed() {
  const list = await openList(manualClock(), [{ id: 'S-1', name: 'Ada Obi' }])
  const service = await openWithBank({ screening: list.screening })
  return { list, service, desk: await openDesk(service) }
}

async function addMembers(service: ServiceWithBank, merchant: string) {
  const [asker, decider] = await Promise.all([
    addPerson(service, { role: 'support', merchant, name: 'Emeka' }),
    addPerson(service, { role: 'owner', merchant, name: 'Ngozi' }),
  ])
  const ask = (reference: string, action: string) =>
    asker.ask('POST', `/v1/collections/payments/${reference}/requests`, {
      body: { action, note: 'Checked the passport: another Ada Obi' },
    })
  const resolve = (reference: string, action: string, by = decider) =>
    by.ask('POST', `/v1/collections/payments/${reference}/resolve`, { body: { action } })
  return { asker, decider, ask, resolve }
}

/** The audit lines of screening in the merchant's own log, oldest first. */
async function linesOf({ db }: ServiceWithBank, reference: string) {
  const rows = await db.rows(sql<{ action: string; actor: string; details: string }>`
    select action, actor, details::text as details from audit_lines
    where action like 'payment_screening.%' and details->>'reference' = ${reference}
    order by number`)
  return rows.map(({ action, actor, details }) => ({ action, actor, ...JSON.parse(details) }))
}

describe('a payer on the list', () => {
  test('is held whole, whatever the policies, and only two members release it', async () => {
    const { list, service, desk } = await openListed()
    await desk.setPolicy({ overpayment: 'return', latePayment: 'return' })
    const account = await desk.open({ amount: 500_000 })
    const { reference } = await desk.pay(account.accountNumber, { amount: 700_000, ...listed })
    const held = {
      status: 'HELD',
      heldFor: 'screening',
      variance: 'OVERPAID',
      amountHeld: 700_000,
      amountAccepted: 0,
      amountReturning: 0,
    }
    expect(await desk.payment(reference)).toMatchObject(held)
    expect(await desk.eventTypes(reference)).toEqual(['payment.held'])
    expect(await desk.lastEventData(reference)).toMatchObject(held)
    expect(await desk.sums()).toEqual([0, 0, 700_000])
    expect((await desk.verify(account.reference)).status).toBe('ACTIVE')

    // An API key has no second member.
    const byKey = await desk.resolve(reference, { action: 'accept' })
    expect([byKey.status, byKey.json.reason]).toEqual([422, 'screening'])
    const { ask, resolve, asker, decider } = await addMembers(service, desk.merchant.reference)
    expect((await resolve(reference, 'accept')).json.reason).toBe('screening')
    const requests = `/v1/collections/payments/${reference}/requests`
    const blank = await asker.ask('POST', requests, { body: { action: 'accept', note: ' ' } })
    expect([blank.status, blank.json.details[0].field]).toEqual([400, 'note'])
    expect((await ask(reference, 'return')).status).toBe(201)
    expect((await resolve(reference, 'accept')).json.reason).toBe('screening')
    await decider.ask('POST', `/v1/collections/payments/${reference}/requests/decline`)
    expect((await ask(reference, 'accept')).status).toBe(201)

    const version = list.version()
    const released = await resolve(reference, 'accept')
    expect([released.status, released.json.data.status]).toEqual([200, 'ACCEPTED'])
    expect(released.json.data).not.toHaveProperty('heldFor')
    await service.work()
    const hit = { list: 'Made-up', version, verdict: 'hit', entry: 'S-1', reference }
    expect(await linesOf(service, reference)).toEqual([
      { action: 'payment_screening.accept', actor: decider.email, ...hit },
      { action: 'payment_screening.hit', actor: 'screening', ...hit },
    ])
    expect((await desk.verify(account.reference)).status).toBe('PAID')
    expect(asker.userId).not.toBe(decider.userId)
  })

  test('is not released by the member who asked, nor at the request of a removed one', async () => {
    const { service, desk } = await openListed()
    const merchant = desk.merchant.reference
    const account = await desk.open()
    const { reference } = await desk.pay(account.accountNumber, listed)
    const { decider, resolve, ask, asker } = await addMembers(service, merchant)
    const other = await addPerson(service, { role: 'owner', merchant, name: 'Bola' })
    const path = `/v1/collections/payments/${reference}/requests`
    await decider.ask('POST', path, { body: { action: 'accept', note: 'Mine' } })
    const own = await resolve(reference, 'accept')
    expect([own.json.reason, own.json.message]).toEqual([
      'screening',
      expect.stringContaining('another member must decide'),
    ])
    await decider.ask('POST', `${path}/decline`)
    expect((await ask(reference, 'accept')).status).toBe(201)
    await service.db.rows(sql`
      update memberships set disabled_at = now() where user_id = ${asker.userId}`)
    const removed = await resolve(reference, 'accept', other)
    expect([removed.json.reason, removed.json.message]).toEqual([
      'screening',
      expect.stringContaining('may no longer ask'),
    ])
    expect(await desk.payment(reference)).toMatchObject({ status: 'HELD', heldFor: 'screening' })
  })

  test('stays held for screening when its return fails', async () => {
    const { service, desk } = await openListed()
    const account = await desk.open()
    const { reference } = await desk.pay(account.accountNumber, {
      ...listed,
      sender: { ...listed.sender, accountNumber: behaves.failing, bankCode: '058' },
    })
    const { ask, resolve } = await addMembers(service, desk.merchant.reference)
    await ask(reference, 'return')
    const returned = await resolve(reference, 'return')
    expect([returned.status, returned.json.data.status]).toEqual([200, 'RETURNING'])
    await service.pass(3)
    expect(await desk.payment(reference)).toMatchObject({ status: 'HELD', heldFor: 'screening' })
    expect((await resolve(reference, 'accept')).json.reason).toBe('screening')
    expect((await linesOf(service, reference)).map(({ action }) => action).toSorted()).toEqual([
      'payment_screening.hit',
      'payment_screening.return',
    ])
  })

  test('a payer who is on no list is not held, and no provider is queried', async () => {
    const { desk, service } = await openListed()
    const account = await desk.open()
    const { reference } = await desk.pay(account.accountNumber, { sender: { name: 'Ada Obiora' } })
    expect((await desk.payment(reference)).status).toBe('ACCEPTED')
    expect(await service.db.rows(sql`select from payment_screenings`)).toEqual([])
  })
})

describe('the database', () => {
  test('refuses to move money that is held for screening without a decision', async () => {
    const { service, desk } = await openListed()
    const account = await desk.open()
    const { reference } = await desk.pay(account.accountNumber, listed)
    const { ask } = await addMembers(service, desk.merchant.reference)
    await ask(reference, 'accept')
    const move = (...sets: string[]) =>
      service.db.transaction(async (tx) => {
        for (const set of sets) await tx.rows(sql.raw(set))
      })
    const accepts = 'update payments set amount_accepted = amount, amount_held = 0'
    await expect(move(accepts)).rejects.toThrow('payment_held_for_screening_is_not_accepted')
    await expect(move(`${accepts}, held_for = null`)).rejects.toThrow('was not decided')
    const returns = 'update payments set amount_returning = amount, amount_held = 0'
    await expect(move(returns)).rejects.toThrow('was not decided')
    // A request that is still open decides nothing.
    const decision = (action: string, request: string) => `
      insert into screening_decisions (environment_id, id, payment_id, action, verdict, list, version,
        entry, request_id, operator, created_at)
      select s.environment_id, gen_random_uuid(), s.payment_id, '${action}', s.verdict, s.list,
        s.version, s.entry, ${request}, null, now() from payment_screenings s`
    const request = '(select id from payment_requests)'
    await expect(move(decision('accept', request), `${accepts}, held_for = null`)).rejects.toThrow(
      'was not decided',
    )
    await expect(move(decision('clear', 'null'))).rejects.toThrow(
      'only_a_clear_sender_needs_no_person',
    )
    await expect(move(decision('accept', 'null'))).rejects.toThrow(
      'only_a_clear_sender_needs_no_person',
    )
  })
})

describe('a provider', () => {
  async function openAsked() {
    const hookClock = manualClock()
    const { provider, screening } = await openProvider(hookClock)
    const service = await openWithBank({ screening })
    const desk = await openDesk(service)
    /** Until what could not be screened is screened again. */
    const wait = async () => {
      hookClock.advance(screeningLimits.pauseAfterFailureMs)
      service.clock.advance(screeningLimits.retryMaxMs)
      await service.work()
    }
    /** The lane judges after the answer of the provider. */
    const pay = async (accountNumber: string, change: object = {}) => {
      await desk.payIn(accountNumber, change)
      return vi.waitFor(async () => {
        const { json } = await desk.get('/v1/collections/payments?limit=1')
        expect(json.data.items).toHaveLength(1)
        return json.data.items[0]
      })
    }
    return { provider, service, desk, wait, pay, hookClock }
  }

  test('decides before the payment is judged', async () => {
    const { provider, desk, pay, service } = await openAsked()
    provider.listed = ['ADA OBI']
    const account = await desk.open()
    const payment = await pay(account.accountNumber, { sender: { name: 'ADA OBI' } })
    expect(payment).toMatchObject({ status: 'HELD', heldFor: 'screening' })
    await service.work()
    expect(await linesOf(service, payment.reference)).toMatchObject([
      { action: 'payment_screening.hit', list: 'Provider', version: '7', entry: 'P-1' },
    ])
    expect(provider.asked).toContain('ADA OBI')
  })

  test('that is silent holds the payment, which goes on by itself once it is clear', async () => {
    const { provider, desk, pay, wait, service } = await openAsked()
    provider.isSilent = true
    const account = await desk.open()
    const { reference } = await pay(account.accountNumber, { sender: { name: 'BOLA ALABI' } })
    expect(await desk.payment(reference)).toMatchObject({ status: 'HELD', heldFor: 'screening' })
    await wait()
    expect((await desk.payment(reference)).status).toBe('HELD')
    provider.isSilent = false
    await wait()
    expect(await desk.payment(reference)).toMatchObject({
      status: 'ACCEPTED',
      amountAccepted: 500_000,
    })
    expect((await desk.verify(account.reference)).status).toBe('PAID')
    expect(await linesOf(service, reference)).toMatchObject([
      { action: 'payment_screening.clear', verdict: 'clear', list: 'Provider', version: '7' },
    ])
    await wait()
    expect(await linesOf(service, reference)).toHaveLength(1)
  })

  test('that reports a hit later keeps the payment held', async () => {
    const { provider, desk, pay, wait, service } = await openAsked()
    provider.isSilent = true
    const account = await desk.open()
    const { reference } = await pay(account.accountNumber, { sender: { name: 'ADA OBI' } })
    provider.isSilent = false
    provider.listed = ['ADA OBI']
    await wait()
    provider.listed = []
    await wait()
    expect(await desk.payment(reference)).toMatchObject({ status: 'HELD', heldFor: 'screening' })
    expect(await linesOf(service, reference)).toMatchObject([{ action: 'payment_screening.hit' }])
  })

  test('applies the current policies: an account that was paid meanwhile is not paid twice', async () => {
    const { provider, desk, pay, wait, hookClock } = await openAsked()
    await desk.setPolicy({ duplicatePayment: 'hold' })
    provider.isSilent = true
    const account = await desk.open()
    const { reference } = await pay(account.accountNumber, { sender: { name: 'BOLA ALABI' } })
    provider.isSilent = false
    hookClock.advance(screeningLimits.pauseAfterFailureMs)
    await desk.payIn(account.accountNumber, { sender: { name: 'CHIKE UDO' } })
    await vi.waitFor(async () => expect((await desk.verify(account.reference)).status).toBe('PAID'))
    await wait()
    const payment = await desk.payment(reference)
    expect(payment.status).toBe('HELD')
    expect(payment).not.toHaveProperty('heldFor')
    // The merchant decides alone about what only a policy holds.
    expect((await desk.resolve(reference, { action: 'accept' })).status).toBe(200)
  })
})
