import { expect } from 'vitest'
import { giveBack } from '../../src/subaccounts/shares/give-back.js'
import { releaseShares } from '../../src/subaccounts/shares/release-shares.js'
import { openWithBank } from '../support/open-with-bank.js'
import { openDesk } from '../support/payment-desk.js'

type Balance = { available: number; held: number; pending: number; owed: number }

/** Refunds to this bank account fail. */
export const closedAccount = { bankCode: '999', accountNumber: '9900000027' }

/** The service with a bank, and merchants whose payments are split between sellers. */
export async function openSplitMarket() {
  const service = await openWithBank()
  const { db, clock } = service

  async function openShop() {
    const desk = await openDesk(service)
    const post = async (path: string, body: object) => {
      const reply = await desk.post(path, body, { 'idempotency-key': crypto.randomUUID() })
      expect([reply.status < 300, reply.json.message]).toEqual([true, expect.any(String)])
      return reply.json.data
    }
    const addSeller = async (name: string): Promise<string> =>
      (await post('/v1/subaccounts', { name })).reference
    const balanceOf = async (reference: string): Promise<Balance> => {
      const { json } = await desk.get(`/v1/subaccounts/${reference}`)
      const { asset: _, ...balance } = json.data.balances[0]
      return balance
    }
    const move = (seller: string, body: object) =>
      post(`/v1/subaccounts/${seller}/transfers`, { asset: 'NGN', ...body })
    const fund = (amount: number) => post('/v1/test/balances/fund', { asset: 'NGN', amount })
    const sell = async (splits: object, change: object = {}) => {
      const account = await desk.open({ splits, ...change })
      return desk.pay(account.accountNumber)
    }
    const refund = (reference: string, body: object = {}, key = crypto.randomUUID() as string) =>
      desk.refund(reference, body, { 'idempotency-key': key })
    return { ...desk, post, addSeller, balanceOf, move, fund, sell, refund }
  }

  const releaseAll = () => releaseShares({ db, mode: 'test' }, clock.now())
  const giveAllBack = () => giveBack({ db, mode: 'test' }, clock.now())

  /** The bank ends what is under way, and workers release shares and give back. */
  async function work() {
    await service.pass(40)
    await releaseAll()
    await giveAllBack()
  }

  return { db, clock, service, openShop, work, releaseAll, giveAllBack }
}
