import type { Breakage } from './breakage.js'

/** Breakages of what all money paths share: the ledger, keys, events, transactions and rails. */
export const coreBreakages: Breakage[] = [
  {
    name: 'release-also-settles',
    why: 'The money of a failed payout is given back and spent.',
    paths: { of: ['sandbox-payouts'], named: ['fails'] },
    edits: [
      {
        file: 'src/ledger/book.ts',
        old: `      if (verb === 'release') continue\n`,
        new: '',
      },
    ],
  },
  {
    name: 'release-off-the-statement',
    why: 'The statement of a merchant does not add up.',
    paths: { of: ['sandbox-payouts'], named: ['fails'] },
    edits: [
      {
        file: 'src/ledger/book.ts',
        old: `return verb === 'release' ? number(`,
        new: `return verb === 'settle' ? number(`,
      },
    ],
  },
  {
    name: 'exact-balance-refused',
    why: 'The last unit of a balance can never be spent.',
    paths: { of: ['conversions'], named: ['bank payout paid with coins'] },
    edits: [
      {
        file: 'src/ledger/book.ts',
        old: 'spendable(debit) < line.amount) return',
        new: 'spendable(debit) <= line.amount) return',
      },
    ],
  },
  {
    name: 'held-money-spendable',
    why: 'Money that is on its way out is paid out a second time.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/ledger/accounts.ts',
        old: 'return account.creditsPosted - account.debitsPosted - account.debitsPending',
        new: 'return account.creditsPosted - account.debitsPosted',
      },
    ],
  },
  {
    name: 'half-moved-movement',
    why: 'A payout whose fee is not covered keeps its amount reserved.',
    paths: { of: ['idempotency'], named: ['fee is not covered'] },
    edits: [
      {
        file: 'src/ledger/book.ts',
        old: '        for (const account of saved) accounts[account.name] = account\n',
        new: '',
      },
    ],
  },
  {
    name: 'ledger-accounts-not-locked',
    why: 'Two transactions at once give one number to two entries of a statement.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/ledger/lock-accounts.ts',
        old: `order by a.environment_id, a.asset, a.name
    for no key update of a\``,
        new: 'order by a.environment_id, a.asset, a.name`',
      },
      {
        file: 'src/ledger/lock-accounts.ts',
        old: ' skip locked`',
        new: '`',
      },
      {
        file: 'migrations/0002_ledger.sql',
        old: 'create unique index transfer_entries_are_numbered_once',
        new: 'create index transfer_entries_are_numbered_once',
      },
    ],
  },
  {
    name: 'balances-set-instead-of-added',
    why: 'A transaction undoes what another has booked.',
    paths: { of: ['sandbox-payouts'], named: ['is reversed'] },
    edits: [
      {
        file: 'src/ledger/write-book.ts',
        old: 'credits_posted = a.credits_posted + list.credits_posted',
        new: 'credits_posted = greatest(a.credits_posted, list.credits_posted)',
      },
    ],
  },
  {
    name: 'fee-rounded-down',
    why: 'Every fee with a fraction is a unit too small.',
    paths: { of: ['deposits'], named: ['coins are accepted'] },
    edits: [
      {
        file: 'src/money/fees.ts',
        old: '+ 5_000n) / 10_000n',
        new: ') / 10_000n',
      },
    ],
  },
  {
    name: 'fee-of-wrong-tier',
    why: 'An amount at the end of a tier pays the fee of the next one.',
    paths: { of: ['idempotency'], named: ['different amounts'] },
    edits: [
      {
        file: 'src/money/fees.ts',
        old: 'amount <= tier.upTo',
        new: 'amount < tier.upTo',
      },
    ],
  },
  {
    name: 'key-not-claimed',
    why: 'A client that repeats a request pays twice.',
    paths: { of: ['idempotency'], named: ['another body', 'refused again'] },
    edits: [
      {
        file: 'src/idempotency/at-most-once.ts',
        old: '  const missed = await claiming\n',
        new: '  await claiming\n  const missed = new Map<string, IdempotencyKeyRow | undefined>()\n',
      },
    ],
  },
  {
    name: 'key-claimed-without-answer',
    why: 'A client that repeats a request gets no answer and cannot tell what happened.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/idempotency/at-most-once.ts',
        old: '    answer: expected?.body ?? null,\n',
        new: '    answer: expected ? null : null,\n',
      },
    ],
  },
  {
    name: 'key-of-another-request-replayed',
    why: 'A merchant who reuses a key is told that the second payout was made.',
    paths: { of: ['idempotency'], named: ['another body'] },
    edits: [
      {
        file: 'src/idempotency/at-most-once.ts',
        old: '  if (!key.fingerprint.equals(first.fingerprint))\n',
        new: '  if (key.fingerprint.length !== first.fingerprint.length)\n',
      },
    ],
  },
  {
    name: 'replay-sends-again',
    why: 'A repeat prepares a new attempt and sends it beside the committed one.',
    paths: { of: ['idempotency'], named: ['two calls at once'] },
    edits: [
      {
        file: 'src/api/pipeline/create-resource.ts',
        old: 'if (answered.status === 201 && !answered.isReplayed) send?.(prepared)',
        new: 'if (answered.status === 201) send?.(prepared)',
      },
    ],
  },
  {
    name: 'event-without-deliveries',
    why: 'Events are stored, and no endpoint gets them.',
    paths: { of: ['webhooks'], named: ['retried until'] },
    edits: [
      {
        file: 'src/events/emit.ts',
        old: '  writeDeliveries(tx, now, rows)\n',
        new: '  if (rows.length === 0) writeDeliveries(tx, now, rows)\n',
      },
    ],
  },
  {
    name: 'event-sent-before-commit',
    why: 'Merchants get events of what a rolled-back transaction never did.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/postgres/transactions/tx.ts',
        old: '    const { tag } = await this.#run(commit)\n',
        new: `    for (const action of this.#afterCommit) action()
    const { tag } = await this.#run(commit)
`,
      },
    ],
  },
  {
    name: 'silence-counts-as-delivered',
    why: 'An endpoint that is down loses its events.',
    paths: { of: ['webhooks'], named: ['retried until'] },
    edits: [
      {
        file: 'src/webhooks/deliveries/judge-attempt.ts',
        old: 'return status !== null && status >= 200 && status < 300',
        new: 'return status === null || (status >= 200 && status < 300)',
      },
    ],
  },
  {
    name: 'delivery-given-up-at-once',
    why: 'An endpoint that fails once never gets the event.',
    paths: { of: ['webhooks'], named: ['retried until'] },
    edits: [
      {
        file: 'src/webhooks/deliveries/judge-attempt.ts',
        old: 'const mayRetry = delivery.isEnabled && !isGone(result)',
        new: 'const mayRetry = delivery.isEnabled && !isGone(result) && result.status !== null',
      },
    ],
  },
  {
    name: 'leased-delivery-never-due',
    why: 'A worker that is killed takes its deliveries with it.',
    paths: { of: ['webhooks'], named: ['retried until', 'rotated'] },
    edits: [
      {
        file: 'src/events/emit.ts',
        old: '::timestamptz else',
        new: "::timestamptz + interval '1 year' else",
      },
    ],
  },
  {
    name: 'claimed-delivery-never-due',
    why: 'A delivery whose worker is killed is lost.',
    paths: { of: ['webhooks'], named: ['retried until', 'rotated'] },
    edits: [
      {
        file: 'src/webhooks/deliveries/claim-deliveries.ts',
        old: '::timestamptz, attempts = d.attempts + 1,',
        new: "::timestamptz + interval '1 year', attempts = d.attempts + 1,",
      },
    ],
  },
  {
    name: 'claimed-rows-never-due',
    why: 'What a killed worker had claimed is never done.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/postgres/due.ts',
        old: 'return after(now, leaseLimits.leaseMs)',
        new: 'return after(now, leaseLimits.leaseMs * 100_000)',
      },
    ],
  },
  {
    name: 'answers-of-a-group-swapped',
    why: 'A merchant gets the answer to the request of another.',
    paths: { of: ['idempotency'], named: ['different amounts'] },
    edits: [
      {
        file: 'src/postgres/transactions/lane.ts',
        old: 'const outcome = outcomes[index] as Outcome<Answer>',
        new: 'const outcome = outcomes[outcomes.length - 1 - index] as Outcome<Answer>',
      },
    ],
  },
  {
    name: 'lost-commit-counts-as-done',
    why: 'A commit that never reached the database is answered as a success.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/postgres/transactions/tx.ts',
        old: "    const { tag } = await this.#run(commit)\n    if (tag !== 'COMMIT') throw",
        new: `    const { tag } = await this.#run(commit).catch((error: unknown) => {
      if (error instanceof OutcomeUnknown) return { tag: 'COMMIT' }
      throw error
    })
    if (tag !== 'COMMIT') throw`,
      },
    ],
  },
  {
    name: 'bank-silence-counts-as-failure',
    why: 'A payout that the bank has made is given back to the merchant.',
    paths: { of: ['paystack-payouts'], named: ['completes'] },
    edits: [
      {
        file: 'src/rails/bank/rail.ts',
        old: `    if (error instanceof Unknown) return { state: 'pending' }`,
        new: `    if (error instanceof Unknown) return { state: 'failed', reason: 'bank_declined' }`,
      },
    ],
  },
  {
    name: 'unknown-payout-counts-as-failure',
    why: 'A payout that has not reached the bank yet is given back, and then paid.',
    paths: { of: ['paystack-payouts'], named: ['completes'] },
    edits: [
      {
        file: 'src/rails/bank/rail.ts',
        old: `    if (!payout) return { state: 'unseen' }`,
        new: `    if (!payout) return { state: 'failed', reason: 'bank_declined' }`,
      },
    ],
  },
  {
    name: 'new-reference-for-every-sending',
    why: 'The bank cannot tell a repeat from a second transfer.',
    paths: { of: ['paystack-payouts'], named: ['completes'] },
    edits: [
      {
        file: 'src/rails/paystack/transfers.ts',
        old: '      reference: instruction.reference,\n',
        new: '      reference: instruction.reference + Date.now(),\n',
      },
    ],
  },
  {
    name: 'pending-transfer-counts-as-paid',
    why: 'A transfer that the bank declines later is settled.',
    paths: { of: ['paystack-payouts'], named: ['fails'] },
    edits: [
      {
        file: 'src/rails/paystack/transfers.ts',
        old: `  pending: 'open',\n`,
        new: `  pending: 'success',\n`,
      },
    ],
  },
  {
    name: 'reversed-transfer-counts-as-paid',
    why: 'Money that the bank has sent back is lost to the merchant.',
    paths: { of: ['paystack-payouts'], named: ['is reversed'] },
    edits: [
      {
        file: 'src/rails/paystack/transfers.ts',
        old: `query: { status: 'reversed', from: since.toISOString() },`,
        new: `query: { status: 'failed', from: since.toISOString() },`,
      },
      {
        file: 'src/rails/paystack/transfers.ts',
        old: `  reversed: 'reversed',\n`,
        new: `  reversed: 'success',\n`,
      },
    ],
  },
  {
    name: 'failed-transaction-counts-as-landed',
    why: 'A transaction that failed on the chain is settled although no coin moved.',
    paths: { of: ['crypto-payouts'], named: ['fails on the chain'] },
    edits: [
      {
        file: 'src/rails/solana/payouts/judge-attempt.ts',
        old: '    return error\n      ? {',
        new: '    return error && agreed.report.slot === 0n\n      ? {',
      },
    ],
  },
  {
    name: 'landed-before-final',
    why: 'A payout that a fork drops is reported as made.',
    paths: { of: ['crypto-payouts'], named: ['ends when it is final'] },
    edits: [
      {
        file: 'src/rails/solana/payouts/check-attempts.ts',
        old: `isFinalized: confirmationStatus === 'finalized'`,
        new: `isFinalized: confirmationStatus !== 'processed'`,
      },
    ],
  },
  {
    name: 'gone-before-expiry',
    why: 'A transaction that can still land is replaced, and both pay.',
    paths: { of: ['crypto-payouts'], named: ['lands late'] },
    edits: [
      {
        file: 'src/rails/solana/payouts/judge-attempt.ts',
        old: `    report.status === null &&
    isExpiredFor(attempt, view) &&
    report.isHistorySearched &&
    report.slot >= view.slot &&`,
        new: '    report.status === null &&',
      },
    ],
  },
]
