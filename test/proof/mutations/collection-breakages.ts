import type { Breakage } from './breakage.js'

/** Breakages of money that arrives: payments, returns, deposits, sweeps and conversions. */
export const collectionBreakages: Breakage[] = [
  {
    name: 'notice-judged-twice',
    why: 'A bank that repeats a notice credits the merchant twice.',
    paths: { of: ['payments'], named: ['reported twice', 'opened and paid'] },
    edits: [
      {
        file: 'src/collections/payments/record-payments.ts',
        old: 'const notices = all.filter((notice) => !stored.has(noticeKey(notice)))',
        new: 'const notices = stored.size < 0 ? [] : all',
      },
      {
        file: 'src/collections/notices/store-notices.ts',
        old: `  text: insertText,
`,
        new: `  text: (...parts) => insertText(...parts).concat(' on conflict do nothing'),
`,
      },
      {
        file: 'migrations/0009_collections.sql',
        old: 'create unique index payment_is_taken_once',
        new: 'create index payment_is_taken_once',
      },
    ],
  },
  {
    name: 'stored-notice-judged-again',
    why: 'A notice that two workers have is booked by both.',
    paths: { of: ['deposits'], named: ['paid and swept'] },
    edits: [
      {
        file: 'src/collections/notices/store-notices.ts',
        old: ".state not in ('BOOKED', 'REFUSED')",
        new: ".state <> 'REFUSED'",
      },
      {
        file: 'migrations/0009_collections.sql',
        old: 'create unique index payment_is_taken_once',
        new: 'create index payment_is_taken_once',
      },
    ],
  },
  {
    name: 'hint-named-by-its-notice',
    why: 'The same payment, found by a hint and by listing, is booked twice.',
    paths: { of: ['provider-payments'], named: ['account at paystack'] },
    edits: [
      {
        file: 'src/collections/notices/confirm-hints.ts',
        old: 'const notice = { rail, mode, id: payment.id, reported: payment, body: null }',
        new: 'const notice = { rail, mode, id: hint.id, reported: payment, body: null }',
      },
      {
        file: 'src/collections/notices/confirm-hints.ts',
        old: 'if (!isJudged) await judging.run({ rail, mode, id: payment.id })',
        new: 'if (!isJudged) await judging.run({ rail, mode, id: hint.id })',
      },
    ],
  },
  {
    name: 'payment-without-event',
    why: 'The merchant does not deliver what was paid for.',
    paths: { of: ['payments'], named: ['opened and paid'] },
    edits: [
      {
        file: 'src/collections/payments/record-payments.ts',
        old: '  emitAll(tx, now, written.events)\n',
        new: '',
      },
    ],
  },
  {
    name: 'fee-on-held-money',
    why: 'A fee is charged for money that the merchant did not get.',
    paths: { of: ['payments', 'returns'], named: ['second payment', 'underpaid'] },
    edits: [
      {
        file: 'src/collections/payments/record-payments.ts',
        old: 'collectionFeeOf(ownTerms, before.kind, verdict.amountAccepted)',
        new: 'collectionFeeOf(ownTerms, before.kind, amount)',
      },
    ],
  },
  {
    name: 'second-payment-accepted',
    why: 'A payer who pays twice is charged twice instead of getting the money back.',
    paths: { of: ['payments'], named: ['second payment'] },
    edits: [
      {
        file: 'src/collections/payments/judge-payment.ts',
        old: `  if (account.status === 'PAID') return judgeWhole('DUPLICATE', policy.duplicatePayment)\n`,
        new: '',
      },
    ],
  },
  {
    name: 'overpayment-kept',
    why: 'The merchant gets more than was asked for, and the payer nothing back.',
    paths: { of: ['payments'], named: ['overpaid'] },
    edits: [
      {
        file: 'src/collections/payments/judge-payment.ts',
        old: 'const amountAccepted = account.amount + excess.amountAccepted',
        new: 'const amountAccepted = payment.amount - excess.amountAccepted',
      },
    ],
  },
  {
    name: 'failed-return-counts-as-returned',
    why: 'The payment says that the payer has the money, and the bank did not take it.',
    paths: { of: ['returns'], named: ['return fails'] },
    edits: [
      {
        file: 'src/collections/returns/follow-returns.ts',
        old: `FAILED: { from: 'SENT', to: 'FAILED', shiftsFrom: 'amountReturning' }`,
        new: `FAILED: { from: 'SENT', to: 'RETURNED', shiftsFrom: 'amountReturning' }`,
      },
    ],
  },
  {
    name: 'return-stays-waiting',
    why: 'A return whose payout exists is due again.',
    paths: { of: ['returns'], named: ['underpaid'] },
    edits: [
      {
        file: 'src/collections/returns/send-returns.ts',
        old: `    free.map(({ payout }) => ({ ...payout, from: 'WAITING', to: 'SENT' })),`,
        new: `    free.map(({ payout }) => ({ ...payout, from: 'SENT', to: 'SENT' })),`,
      },
    ],
  },
  {
    name: 'refund-not-deducted',
    why: 'A payment can be refunded again and again.',
    paths: { of: ['returns'], named: ['two parts'] },
    edits: [
      {
        file: 'src/collections/returns/refund-payment.ts',
        old: `from: record.takesFrom === 'available' ? 'amountAccepted' : 'amountHeld',`,
        new: `from: 'amountReturning',`,
      },
    ],
  },
  {
    name: 'refund-more-than-paid',
    why: 'A refund pays out more than the payer has paid.',
    paths: { of: ['returns'], named: ['two parts'] },
    edits: [
      {
        file: 'src/collections/returns/refund-payment.ts',
        old: '  if (amount <= payment.amountAccepted) return\n',
        new: '  if (amount <= payment.amountAccepted * 2n) return\n',
      },
    ],
  },
  {
    name: 'refund-failure-keeps-money',
    why: 'A refund that failed is neither with the payer nor accepted again.',
    paths: { of: ['returns'], named: ['refund fails'] },
    edits: [
      {
        file: 'src/collections/returns/follow-returns.ts',
        old: `to: isRefund ? 'amountAccepted' : 'amountHeld',`,
        new: `to: isRefund ? 'amountReturned' : 'amountHeld',`,
      },
    ],
  },
  {
    name: 'deposit-of-whole-balance',
    why: 'A second deposit into a wallet is credited with the first one.',
    paths: { of: ['deposits'], named: ['two deposits'] },
    edits: [
      {
        file: 'src/wallets/judge-history.ts',
        old: '    amount: move.change,\n',
        new: '    amount: move.left,\n',
      },
    ],
  },
  {
    name: 'deposit-before-final',
    why: 'A deposit that a fork drops is credited.',
    paths: { of: ['deposits'], named: ['credited when it is final'] },
    edits: [
      {
        file: 'src/rails/solana/deposits/poll-amounts.ts',
        old: "readAccountsAt(node, group, 'finalized')",
        new: "readAccountsAt(node, group, 'confirmed')",
      },
      {
        file: 'src/rails/solana/deposits/list-histories.ts',
        old: `    commitment: 'finalized',
`,
        new: `    commitment: 'confirmed',
`,
      },
      {
        file: 'src/rails/solana/deposits/read-transactions.ts',
        old: "encoding: 'json', commitment: 'finalized'",
        new: "encoding: 'json', commitment: 'confirmed'",
      },
      {
        file: 'src/rails/solana/deposits/read-transactions.ts',
        old: "if (status?.confirmationStatus !== 'finalized') return false",
        new: "if (status?.confirmationStatus === 'processed') return false",
      },
    ],
  },
  {
    name: 'history-read-before-recorded',
    why: 'A worker that is killed between reading and recording loses a deposit.',
    paths: { of: ['deposits'], named: ['paid and swept'] },
    edits: [
      {
        file: 'src/wallets/record-polls.ts',
        old: `  await db.transaction(async (tx) => {
    if (notices.length > 0) insertNotices(tx, { now, dueAt: now }, notices)
    insertTokenAccounts(tx, now, strays)
    writePollResults(tx, results)
  })`,
        new: `  await db.transaction(async (tx) => writePollResults(tx, results))
  await db.transaction(async (tx) => {
    if (notices.length > 0) insertNotices(tx, { now, dueAt: now }, notices)
    insertTokenAccounts(tx, now, strays)
  })`,
      },
    ],
  },
  {
    name: 'sweep-not-booked',
    why: 'Coins that are in the treasury are still in the wallets by the books.',
    paths: { of: ['deposits'], named: ['paid and swept'] },
    edits: [
      {
        file: 'src/wallets/conclude-sweeps.ts',
        old: '  await book(tx, now, landed)\n',
        new: '',
      },
    ],
  },
  {
    name: 'failed-sweep-booked',
    why: 'The books move coins that are still in the wallet.',
    paths: { of: ['deposits'], named: ['paid and swept'] },
    edits: [
      {
        file: 'src/wallets/conclude-sweeps.ts',
        old: `    .filter(({ finding }) => finding.state === 'landed')`,
        new: `    .filter(({ finding }) => finding.state !== 'failed')`,
      },
    ],
  },
  {
    name: 'sweep-sent-before-saved',
    why: 'A worker that is killed after sending has moved coins that no book follows.',
    paths: { of: ['deposits'], named: ['paid and swept'] },
    edits: [
      {
        file: 'src/wallets/sweep-wallets.ts',
        old: `    } else if (await save(db, clock.now(), rail.name, sweep, outcome))
      await rail.sendSweeps([{ ...outcome, ...sweep }])`,
        new: `    } else {
      await rail.sendSweeps([{ ...outcome, ...sweep }])
      await save(db, clock.now(), rail.name, sweep, outcome)
    }`,
      },
    ],
  },
  {
    name: 'sweep-booked-to-one-environment',
    why: 'The coins of several merchants are booked to one of them.',
    paths: { of: ['deposits'], named: ['both coins', 'paid and swept'] },
    edits: [
      {
        file: 'src/wallets/store-sweeps.ts',
        old: 'select p.sweep_id as id, p.environment_id, sum(p.amount)::bigint as amount',
        new: 'select p.sweep_id as id, min(p.environment_id) as environment_id, sum(p.amount)::bigint as amount',
      },
      {
        file: 'src/wallets/store-sweeps.ts',
        old: 'group by p.sweep_id, p.environment_id',
        new: 'group by p.sweep_id',
      },
    ],
  },
  {
    name: 'conversion-rounds-up',
    why: 'Many small conversions gain what the operator loses.',
    paths: { of: ['conversions'], named: ['conversion of'] },
    edits: [
      {
        file: 'src/money/rates.ts',
        old: `return source === 'NGN' ? (amount * unitsPerRate) / rate : (amount * rate) / unitsPerRate`,
        new: `return source === 'NGN'
    ? divideUp(amount * unitsPerRate, rate)
    : divideUp(amount * rate, unitsPerRate)`,
      },
    ],
  },
  {
    name: 'conversion-gives-the-fee',
    why: 'The fee is charged and converted, too.',
    paths: { of: ['conversions'], named: ['conversion of'] },
    edits: [
      {
        file: 'src/conversions/price-conversion.ts',
        old: 'convert(direction, rate, sourceAmount - fee)',
        new: 'convert(direction, rate, sourceAmount)',
      },
    ],
  },
  {
    name: 'conversion-without-position',
    why: 'The operator sells coins that are not there.',
    paths: { of: ['conversions'], named: ['conversion of'] },
    edits: [
      {
        file: 'src/conversions/create-conversion.ts',
        old: '      moveInventory(tx, mode, { bought, sold })\n',
        new: '',
      },
    ],
  },
  {
    name: 'conversion-at-expired-quote',
    why: 'A merchant waits until the rate of an old quote is a gift.',
    paths: { of: ['conversions'], named: ['conversion of naira'] },
    edits: [
      {
        file: 'src/conversions/create-conversion.ts',
        old: '  if (environmentNow >= quote.expiresAt)\n',
        new: '  if (environmentNow < quote.createdAt)\n',
      },
    ],
  },
  {
    name: 'quote-used-twice',
    why: 'One quote converts more than it promised.',
    paths: { of: ['conversions'], named: ['conversion of naira'] },
    edits: [
      {
        file: 'src/conversions/create-conversion.ts',
        old: '{ ...creator, quoteId: quote.id }',
        new: '{ ...creator, quoteId: null }',
      },
    ],
  },
  {
    name: 'conversion-without-event',
    why: 'The merchant does not learn at which rate was converted.',
    paths: { of: ['conversions'], named: ['conversion of'] },
    edits: [
      {
        file: 'src/conversions/create-conversion.ts',
        old: `  emitAll(tx, now, [
    { environmentId, type: 'conversion.completed', resourceId: id, causeId: id, sequence: 1, data },
  ])
`,
        new: '  if (data.length === 0) emitAll(tx, now, [])\n',
      },
    ],
  },
  {
    name: 'funded-payout-without-position',
    why: 'A payout that is paid with naira sells coins that the operator still counts.',
    paths: { of: ['conversions'], named: ['bank payout paid with coins'] },
    edits: [
      {
        file: 'src/api/pipeline/submit-with-conversion.ts',
        old: '    inventory.write()\n',
        new: '',
      },
    ],
  },
  {
    name: 'funded-payout-converts-first',
    why: 'A merchant whose payout is refused has converted.',
    paths: { of: ['conversions'], named: ['bank payout paid with coins'] },
    edits: [
      {
        file: 'src/api/pipeline/submit-with-conversion.ts',
        old: '          throw error instanceof Refusal ? new Undone(error) : error\n',
        new: '          throw error\n',
      },
    ],
  },
]
