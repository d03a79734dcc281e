import { createPaystackEmulator, type PaystackOptions } from '../../emulators/paystack/emulator.js'
import { manualClock } from '../support/clock.js'
import { whenDone } from '../support/open-manilla.js'
import { openReceiver } from '../support/receiver.js'

/** An unchecked answer, as a client sees it. */
export type Answer = { status: number; json: ReturnType<typeof JSON.parse>; text: string }

/** An emulator on a clock that stands still, and a receiver of its notices. */
export async function openPaystack(options: Partial<PaystackOptions> = {}) {
  const clock = manualClock()
  const receiver = await openReceiver()
  const emulator = await createPaystackEmulator({
    clock,
    noticeUrl: receiver.url,
    speed: 100,
    ...options,
  })
  whenDone(() => emulator.close())
  const key = emulator.variables.PAYSTACK_SECRET_KEY!

  async function ask(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(emulator.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    const isJson = text.startsWith('{')
    return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined }
  }

  const get = (path: string) => ask('GET', path)
  const post = (path: string, body: object) => ask('POST', path, body)

  async function openTemporary(change: object = {}) {
    const { json } = await post('/charge', {
      email: 'payer@example.com',
      amount: 500_000,
      reference: 'va-0001',
      bank_transfer: { account_expires_at: '2026-01-05T10:00:00.000Z' },
      ...change,
    })
    return json.data as { account_number: string; account_expires_at: string; reference: string }
  }

  async function openDedicated(email = 'ada@example.com') {
    const customer = await post('/customer', {
      email,
      first_name: 'Ada',
      last_name: 'Obi',
      phone: '+2348000000000',
    })
    const { customer_code } = customer.json.data
    const account = await post('/dedicated_account', {
      customer: customer_code,
      preferred_bank: 'titan-paystack',
    })
    return { customer: customer_code as string, account: account.json.data }
  }

  async function openRecipient(accountNumber = '0123456789', bankCode = '058'): Promise<string> {
    const { json } = await post('/transferrecipient', {
      type: 'nuban',
      name: 'Ngozi Eze',
      account_number: accountNumber,
      bank_code: bankCode,
      currency: 'NGN',
    })
    return json.data.recipient_code
  }

  async function transfer(change: object = {}): Promise<Answer> {
    return post('/transfer', {
      source: 'balance',
      amount: 100_000,
      recipient: await openRecipient(),
      reference: 'bt_0000000000000001',
      reason: 'Rent',
      currency: 'NGN',
      ...change,
    })
  }

  /** All notices so far. */
  async function notices() {
    await emulator.drainNotices()
    return receiver.received.map(({ body }) => JSON.parse(body))
  }

  return {
    clock,
    receiver,
    emulator,
    key,
    ask,
    get,
    post,
    openTemporary,
    openDedicated,
    openRecipient,
    transfer,
    notices,
  }
}
