import { expect } from 'vitest'
import { limits } from '../../../../src/base/limits.js'
import type { Scenario } from '../scenario.js'

export const directoryScenarios: Scenario[] = [
  {
    name: 'banks are listed and names resolved',
    async run({ bank, open }) {
      const shop = await open()
      const { bankCode, accountNumber } = bank.recipient('ordinary')
      const { items } = await shop.get('/v1/banks')
      expect(items.map(({ code }: { code: string }) => code)).toContain(bankCode)
      const query = `bankCode=${bankCode}&accountNumber=${accountNumber}`
      const { accountName } = await shop.get(`/v1/banks/resolve?${query}`)
      expect(accountName).toMatch(/\w/)
    },
  },
  {
    name: 'a bank code with letters is accepted',
    needs: ['codes with letters'],
    async run({ open }) {
      const shop = await open()
      await shop.earn()
      const { items } = await shop.get('/v1/banks')
      const codes: string[] = items.map(({ code }: { code: string }) => code)
      const bankCode = codes.find((code) => /[A-Z]/.test(code))
      expect(bankCode).toBeDefined()
      await shop.untilPayout(await shop.payOut('ordinary', { bankCode }), 'COMPLETED')
    },
  },
  {
    name: 'a payout to an unknown bank is refused, and holds nothing',
    async run({ open }) {
      const shop = await open()
      const before = await shop.earn()
      const refused = await shop.askForPayout('ordinary', { bankCode: '987654' })
      expect(refused.json.reason).toBe('unknown_bank')
      expect(await shop.naira()).toEqual(before)
    },
  },
  {
    name: 'a payout to an unknown account is refused, and holds nothing',
    async run({ bank, open }) {
      const shop = await open()
      const before = await shop.earn()
      const refused = await shop.askForPayout('unknown')
      const isTold = bank.lacks['tells unknown accounts'] === undefined
      expect(refused.json.reason).toBe(isTold ? 'account_not_found' : 'rail_unavailable')
      expect(await shop.naira()).toEqual(before)
    },
  },
  {
    name: 'a payout to another name is refused, and holds nothing',
    async run({ open }) {
      const shop = await open()
      const before = await shop.earn()
      const accountName = 'Qwertz Uiopasdf'
      const refused = await shop.askForPayout('ordinary', { accountName })
      expect(refused.json.reason).toBe('name_mismatch')
      expect(await shop.naira()).toEqual(before)
    },
  },
  {
    name: 'a payout while the provider limits name resolution is refused, and holds nothing',
    needs: ['is remote'],
    async run({ bank, open }) {
      const shop = await open()
      const before = await shop.earn()
      bank.faults.resolve = 'limited'
      const refused = await shop.askForPayout()
      expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
      expect(await shop.naira()).toEqual(before)
    },
  },
  {
    name: 'a recipient is not saved while the provider does not resolve names',
    needs: ['is remote'],
    async run({ bank, clock, open }) {
      const shop = await open()
      const account = bank.recipient('ordinary')
      const save = () => shop.send('POST', '/v1/recipients', account)
      const expectUnavailable = async () =>
        expect([(await save()).status, (await save()).json.reason]).toEqual([
          503,
          'rail_unavailable',
        ])
      bank.faults.resolve = 'limited'
      await expectUnavailable()
      bank.faults.resolve = 'works'
      for (const down of ['unavailable', 'refused'] as const) {
        bank.faults.down = down
        await expectUnavailable()
      }
      expect((await shop.get('/v1/recipients')).items).toEqual([])
      bank.faults.down = 'no'
      clock.advance(limits.banks.probeIntervalMs)
      expect((await save()).status).toBe(201)
    },
  },
  {
    name: 'a payout while the provider does not resolve names is refused, and holds nothing',
    needs: ['is remote'],
    async run({ bank, clock, open }) {
      const shop = await open()
      const before = await shop.earn()
      bank.faults.down = 'unavailable'
      const refused = await shop.askForPayout()
      expect([refused.status, refused.json.reason]).toEqual([503, 'rail_unavailable'])
      expect(await shop.naira()).toEqual(before)
      bank.faults.down = 'no'
      clock.advance(limits.banks.probeIntervalMs)
      await shop.untilPayout(await shop.payOut(), 'COMPLETED')
    },
  },
]
