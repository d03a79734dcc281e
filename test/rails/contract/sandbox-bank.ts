import { randomBytes } from 'node:crypto'
import type { EmulatorBooks, PayoutState } from '../../../emulators/emulator.js'
import { noFaults } from '../../../emulators/faults.js'
import { sql } from '../../../src/postgres/sql.js'
import { fromProviderReference } from '../../../src/rails/bank/instruction.js'
import { createSandboxBank } from '../../../src/simulation/sandbox-bank/sandbox-bank.js'
import { behaves } from '../../support/payment-desk.js'
import type { BankTools, BankUnderTest, RecipientKind } from './bank-under-test.js'

const inProcess = 'part of the service: a call cannot be lost'

const lacks: BankUnderTest['lacks'] = {
  'loses openings': inProcess,
  'reuses numbers': 'every account has a number of its own',
  hints: 'its notices are complete and signed',
  'payout notices': 'sends notices of payments only',
  'is remote': inProcess,
  'loses answers': inProcess,
  'hides payouts': 'loses orders instead',
  'asks for a password': 'takes every order',
  'refuses callers': 'takes every order',
  'has a float': 'has no limit of money',
  'doubles refunds': 'knows a refund by our reference',
  'codes with letters': 'lists no such bank',
  'has keys': 'has no key',
}

/** Waits of the bank pass with the clock, so its orders are open until a test advances it. */
export function openSandboxBank({ db, clock, logger }: BankTools): BankUnderTest {
  const bank = createSandboxBank({ db, clock, logger, noticeKey: randomBytes(32) })
  const numbers: Record<RecipientKind, string> = {
    ordinary: '0123456789',
    held: behaves.silent,
    unknown: behaves.absent,
  }
  let payments = 0
  const paid: string[] = []
  return {
    provider: bank.provider,
    mode: 'test',
    rail: bank,
    otherRail: undefined,
    announcesBounce: () => false,
    lacks,
    faults: noFaults(),
    sendNoticesTo: (url) => bank.sendNoticesTo(url),
    async pay({ accountNumber, amount, senderName, senderAccountNumber, narration, ...more }) {
      payments += 1
      const id = `sbp_contract${payments}`
      const received = await bank.receivePayment({
        id,
        accountNumber,
        amount,
        paidAt: clock.now(),
        copies: more.copies ?? 1,
        isSilent: more.isSilent ?? false,
        ...(narration !== undefined && { narration }),
        ...((senderName ?? senderAccountNumber) && {
          sender: {
            ...(senderName && { name: senderName }),
            ...(senderAccountNumber && { accountNumber: senderAccountNumber }),
          },
        }),
      })
      if (!received) return undefined
      if (!more.isSilent) paid.push(id)
      return { id, result: 'received' }
    },
    recipient: (kind) => ({ bankCode: '999', accountNumber: numbers[kind] }),
    settle: async (reference, state) =>
      (await bank.instruct(reference, state === 'success' ? 'complete' : 'fail')) === 'obeyed',
    reverse: async (reference) => (await bank.instruct(reference, 'reverse')) === 'obeyed',
    secrets: [],
    setFloat: () => {},
    refundAgain: async () => {},
    sign: () => ({}),
    async drainNotices() {
      for (const id of paid.splice(0)) await bank.sendNoticesNow(id)
    },
    books: async () => readBooks(),
    close: () => bank.stop(),
  }

  async function readBooks(): Promise<EmulatorBooks> {
    const received = await db.rows(sql<EmulatorBooks['payments'][number]>`
      select id, account_number, account_number as reference, amount
      from sandbox_payments`)
    const { lines } = await bank.statement({
      from: new Date(0),
      to: new Date(clock.now().getTime() + 60_000),
      after: undefined,
    })
    const refunded = await db.rows(sql<{ reference: string; paymentId: string }>`
      select reference, refund_of as payment_id from sandbox_transfers
      where refund_of is not null`)
    const paymentOf = new Map(refunded.map((row) => [fromProviderReference(row.reference), row]))
    const isRefund = (reference: string) => paymentOf.has(reference)
    const shown = lines.map(({ reference, amount, state }) => ({
      reference,
      amount,
      state: states[state as keyof typeof states],
    }))
    return {
      payments: received,
      payouts: shown
        .filter(({ reference }) => !isRefund(reference))
        .map((line) => ({ ...line, accountNumber: '' })),
      refunds: shown
        .filter(({ reference }) => isRefund(reference))
        .map(({ reference, ...line }) => ({
          ...line,
          note: reference,
          paymentId: paymentOf.get(reference)!.paymentId,
        })),
      float: 0n,
    }
  }
}

const states = {
  processing: 'pending',
  completed: 'success',
  failed: 'failed',
  reversed: 'reversed',
} as const satisfies Record<string, PayoutState>
