import type { Breakage } from './breakage.js'

/** Breakages of money that leaves: payouts, their approvals, batches and settlements. */
export const payoutBreakages: Breakage[] = [
  {
    name: 'sign-again-while-unseen',
    why: 'An attempt that no node has seen yet can still land, so a second one pays twice.',
    paths: { of: ['crypto-payouts'], named: ['lands late', 'expires and is replaced'] },
    edits: [
      {
        file: 'src/payouts/attempts/poll-payouts.ts',
        old: `const gone = attempts.filter((_, index) => findings[index]!.state === 'gone')`,
        new: `const gone = attempts.filter((_, index) => findings[index]!.state !== 'landed')`,
      },
    ],
  },
  {
    name: 'send-before-commit',
    why: 'A payout whose commit fails has left, and no book has it.',
    paths: { of: ['sandbox-payouts'], named: ['completes'] },
    edits: [
      {
        file: 'src/api/pipeline/create-resource.ts',
        old: '  const answered = await commit(call).finally(prepared.finish)',
        new: `  send?.(prepared)
  const answered = await commit(call).finally(prepared.finish)`,
      },
    ],
  },
  {
    name: 'send-replacement-before-commit',
    why: 'A worker that is killed after sending leaves an attempt that the next worker signs again.',
    paths: { of: ['crypto-payouts'], named: ['replacement lands at once'] },
    edits: [
      {
        file: 'src/payouts/attempts/poll-payouts.ts',
        old: '  const otherVerdicts = attempts',
        new: `  await rail.send(
    goneVerdicts.flatMap((verdict) =>
      verdict.verdict === 'again' ? [{ ...verdict.attempt, ...verdict.replacement }] : [],
    ),
  )
  const otherVerdicts = attempts`,
      },
    ],
  },
  {
    name: 'never-send-again',
    why: 'A payout whose process was killed before it was sent stays open, and its money held.',
    paths: { of: ['sandbox-payouts'], named: ['is lost', 'sandbox completes'] },
    edits: [
      {
        file: 'src/payouts/attempts/poll-payouts.ts',
        old: '  if (!isPaused) await sendInTime(dependencies, lease, unseen)\n',
        new: '',
      },
    ],
  },
  {
    name: 'failed-counts-as-landed',
    why: 'Money that never left is taken from the merchant.',
    paths: { of: ['sandbox-payouts'], named: ['fails'] },
    edits: [
      {
        file: 'src/payouts/attempts/conclude-payouts.ts',
        old: `  return verdict === 'landed' ? 'settle' : 'release'`,
        new: `  return verdict === 'dead' ? 'release' : 'settle'`,
      },
    ],
  },
  {
    name: 'expired-counts-as-landed',
    why: 'A payout that expired is taken from the merchant although nothing was paid.',
    paths: { of: ['crypto-payouts'], named: ['never lands'] },
    edits: [
      {
        file: 'src/payouts/attempts/conclude-payouts.ts',
        old: `  return verdict === 'landed' ? 'settle' : 'release'`,
        new: `  return verdict === 'failed' ? 'release' : 'settle'`,
      },
    ],
  },
  {
    name: 'hold-kept-after-failure',
    why: 'The money of a failed payout stays reserved and can never be spent.',
    paths: { of: ['sandbox-payouts'], named: ['fails'] },
    edits: [
      {
        file: 'src/payouts/attempts/conclude-payouts.ts',
        old: 'await resolveAll(tx, now, final.map(toResolution), claims.reholds)',
        new: `await resolveAll(
    tx,
    now,
    final.filter(({ verdict }) => verdict === 'landed').map(toResolution),
    claims.reholds,
  )`,
      },
    ],
  },
  {
    name: 'hold-kept-when-ended-from-memory',
    why: 'A payout that its own process ends is completed, and its money is still held.',
    paths: { of: ['sandbox-payouts'], named: ['followed by the API'] },
    edits: [
      {
        file: 'src/payouts/attempts/conclude-sent.ts',
        old: '    own.map(({ sent, verdict }) => ({ hold: holds.get(sent.payout.id)!, verb: verbOf(verdict) })),',
        new: `    own
      .filter(({ verdict }) => verdict === 'failed')
      .map(({ sent, verdict }) => ({ hold: holds.get(sent.payout.id)!, verb: verbOf(verdict) })),`,
      },
    ],
  },
  {
    name: 'ended-without-event',
    why: 'The merchant never learns that a payout has ended.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/payouts/attempts/conclude-payouts.ts',
        old: '  emitAll(tx, now, [...finished.flatMap(toEvent), ...moreEvents])',
        new: '  emitAll(tx, now, moreEvents)',
      },
    ],
  },
  {
    name: 'ended-with-two-events',
    why: 'A merchant who acts on every event acts twice.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/payouts/attempts/conclude-payouts.ts',
        old: '[...finished.flatMap(toEvent), ...moreEvents]',
        new: '[...finished.flatMap(toEvent), ...finished.flatMap(toEvent), ...moreEvents]',
      },
    ],
  },
  {
    name: 'submitted-without-event',
    why: 'The first event of a payout is missing, so its sequence begins with a gap.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/payouts/requests/create-payouts.ts',
        old: '  emitAll(tx, now, created.flatMap(toSubmittedEvent))\n',
        new: '',
      },
    ],
  },
  {
    name: 'fee-not-held',
    why: 'The operator pays the fee that the answer told the merchant.',
    paths: { of: ['sandbox-payouts'], named: ['sandbox completes'] },
    edits: [
      {
        file: 'src/payouts/requests/create-payouts.ts',
        old: `  if (fee > 0n) lines.push({ debit, credit: 'fees', amount: fee, purpose: purposes.fee })\n`,
        new: '',
      },
    ],
  },
  {
    name: 'payout-without-hold',
    why: 'Payouts beyond the balance are sent.',
    paths: { of: ['idempotency'], named: ['refused payout'] },
    edits: [
      {
        file: 'src/payouts/requests/create-payouts.ts',
        old: 'const created = fresh.filter((one) => holdOf.get(one)!.isMoved)',
        new: 'const created = fresh',
      },
    ],
  },
  {
    name: 'reversal-keeps-fee',
    why: 'A reversed payout gives the amount back, but not its fee.',
    paths: { of: ['sandbox-payouts'], named: ['is reversed'] },
    edits: [
      {
        file: 'src/payouts/attempts/follow-reversals.ts',
        old: `  if (fee > 0n) lines.push({ debit: 'fees', credit, amount: fee, purpose: reversal.fee })\n`,
        new: '',
      },
    ],
  },
  {
    name: 'reversal-not-credited',
    why: 'The bank sent the money back, and the merchant does not get it.',
    paths: { of: ['sandbox-payouts'], named: ['is reversed'] },
    edits: [
      {
        file: 'src/payouts/attempts/follow-reversals.ts',
        old: `const completed = payouts.filter(({ status }) => status === 'COMPLETED')`,
        new: `const completed = payouts.filter(({ status }) => status === 'FAILED')`,
      },
    ],
  },
  {
    name: 'reversal-without-event',
    why: 'The merchant believes that the recipient has the money.',
    paths: { of: ['sandbox-payouts'], named: ['is reversed'] },
    edits: [
      {
        file: 'src/payouts/attempts/follow-reversals.ts',
        old: '    ...reversed.flatMap(toEvent),\n',
        new: '',
      },
    ],
  },
  {
    name: 'approval-not-required',
    why: 'One member alone moves more than the rule allows.',
    paths: { of: ['approvals'], named: ['payout of a member'] },
    edits: [
      {
        file: 'src/payouts/approvals/approval-rule.ts',
        old: '  if (amount > limits.each) return true\n',
        new: '',
      },
    ],
  },
  {
    name: 'approved-without-attempt',
    why: 'An approved payout is never sent, and its money stays held.',
    paths: { of: ['approvals'], named: ['payout of a member'] },
    edits: [
      {
        file: 'src/payouts/approvals/decide-pending.ts',
        old: '  insertAttempts(tx, now, [{ ...attempt, payout: submitted, number: 1, createdAt: now }])\n',
        new: '',
      },
    ],
  },
  {
    name: 'approved-after-expiry',
    why: 'A payout that its creator was told to create again is paid as well.',
    paths: { of: ['approvals'], named: ['not approved by its creator'] },
    edits: [
      {
        file: 'src/payouts/approvals/judge-approval.ts',
        old: '  if (at >= approval.expiresAt) await refuseLate(db, pending, at)\n',
        new: '',
      },
    ],
  },
  {
    name: 'approved-by-its-creator',
    why: 'One member alone creates and approves a payout.',
    paths: { of: ['approvals'], named: ['not approved by its creator'] },
    edits: [
      {
        file: 'src/payouts/approvals/judge-approval.ts',
        old: `  if (decider.kind === 'user') refuseInvolved(pending, approval, decider.userId)\n`,
        new: '',
      },
    ],
  },
  {
    name: 'expired-approval-settles',
    why: 'A payout without an approval is taken from the balance although nothing was sent.',
    paths: { of: ['approvals'], named: ['expires without', 'is rejected'] },
    edits: [
      {
        file: 'src/payouts/approvals/pending-payouts.ts',
        old: `verb: 'release'`,
        new: `verb: 'settle'`,
      },
    ],
  },
  {
    name: 'expired-approval-without-event',
    why: 'The merchant waits for a payout that was given up.',
    paths: { of: ['approvals'], named: ['expires without', 'is rejected'] },
    edits: [
      {
        file: 'src/payouts/approvals/pending-payouts.ts',
        old: '    ...ended.flatMap(toFailedEvent),\n',
        new: '',
      },
    ],
  },
  {
    name: 'batch-retry-pays-completed-items',
    why: 'A retry pays everybody again, not only those whose transfer failed.',
    paths: { of: ['batches'], named: ['failed item is retried'] },
    edits: [
      {
        file: 'src/payouts/batches/retry-batch.ts',
        old: `{ states: ['FAILED'] }`,
        new: `{ states: ['FAILED', 'COMPLETED'] }`,
      },
    ],
  },
  {
    name: 'batch-retried-twice',
    why: 'Two retries of a batch pay its failed items twice.',
    paths: { of: ['batches'], named: ['failed item is retried'] },
    edits: [
      {
        file: 'src/payouts/batches/retry-batch.ts',
        old: `  if (retry)
`,
        new: `  if (retry && failed.length === 0)
`,
      },
      {
        file: 'migrations/0047_batch_retries.sql',
        old: 'create unique index batch_is_retried_once',
        new: 'create index batch_is_retried_once',
      },
    ],
  },
  {
    name: 'batch-cancel-still-pays',
    why: 'The merchant is told that the rest is not paid, and it is.',
    paths: { of: ['batches'], named: ['cancelled while it is paid'] },
    edits: [
      {
        file: 'src/payouts/batches/submit-batch.ts',
        old: '  return writeItems(tx, batch, changes, { dueAt: now })\n',
        new: '  return { ...batch, failedCount: batch.failedCount + changes.length }\n',
      },
    ],
  },
  {
    name: 'batch-item-stays-valid',
    why: 'An item that was paid is due again in the next step.',
    paths: { of: ['batches'], named: ['invalid item is paid'] },
    edits: [
      {
        file: 'src/payouts/batches/pay-step.ts',
        old: `      state: 'SUBMITTED',\n`,
        new: `      state: 'VALID',\n`,
      },
    ],
  },
  {
    name: 'batch-failure-counts-as-paid',
    why: 'A failed item is reported as paid, so it is never paid again.',
    paths: { of: ['batches'], named: ['failed item is retried'] },
    edits: [
      {
        file: 'src/payouts/batches/conclude-step.ts',
        old: `  if (status !== 'FAILED')\n`,
        new: `  if (status !== 'PENDING')\n`,
      },
    ],
  },
  {
    name: 'batch-without-event',
    why: 'The merchant never learns that a batch has ended.',
    paths: { of: ['batches'], named: ['invalid item is paid'] },
    edits: [
      {
        file: 'src/payouts/batches/conclude-step.ts',
        old: '    emitAll(tx, now, [\n',
        new: '    if (locked.failedCount > 0) emitAll(tx, now, [\n',
      },
    ],
  },
  {
    name: 'settlement-overlaps',
    why: 'Two reports count the same entry, so they do not add up.',
    paths: { of: ['settlements'], named: ['two transfers', 'by schedule'] },
    edits: [
      {
        file: 'src/payouts/settlements/create-settlement.ts',
        old: '(previous?.lastEntry ?? 0n) + 1n',
        new: 'previous?.lastEntry ?? 1n',
      },
    ],
  },
  {
    name: 'settlement-below-reserve',
    why: 'A settlement takes money that the merchant wants to keep.',
    paths: { of: ['settlements'], named: ['on request'] },
    edits: [
      {
        file: 'src/payouts/settlements/create-settlement.ts',
        old: 'const closing = before.available - totalDebitOf(payout)',
        new: 'const closing = before.available - payout.amount',
      },
    ],
  },
  {
    name: 'settlement-without-event',
    why: 'The merchant cannot match the transfer with its report.',
    paths: { of: ['settlements'], named: ['on request'] },
    edits: [
      {
        file: 'src/payouts/settlements/create-settlement.ts',
        old: `  if (created instanceof Refusal) return created
  insertSettlement(tx, settlement)
  emitAll(tx, now, [toSettlementEvent({ settlement, payout: created })])
`,
        new: `  if (created instanceof Refusal) return created
  insertSettlement(tx, settlement)
`,
      },
    ],
  },
]
