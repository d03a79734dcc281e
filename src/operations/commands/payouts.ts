import { type Command, Option } from 'commander'
import { limits } from '../../base/limits.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { findOpenPayout } from '../../payouts/attempts/decide-payout.js'
import { type PayoutKind, referenceOf } from '../../payouts/payout.js'
import { sql } from '../../postgres/sql.js'
import { decideOpenPayout, describeRecipient, queryAttempt } from '../actions/decide-open-payout.js'
import { readNote } from './arguments.js'
import {
  type CommandOutput,
  type OperateContext,
  type Run,
  setOperation,
  yesFlag,
} from './operation.js'
import type { WithRails } from './reconcile.js'
import { formatTime, tableOf } from './table.js'

export function registerPayouts(
  program: Command,
  context: OperateContext,
  withRails: WithRails,
): void {
  const payouts = program.command('payouts').description('open payouts of all merchants')
  const open = payouts.command('open').description('list open payouts, oldest first')
  setOperation(open, context, listOpen)
  const decide = payouts
    .command('decide')
    .description('record the outcome of an open payout, with evidence')
    .argument('<reference>', 'reference of the payout, bt_… or ct_…')
    .addOption(
      new Option('--outcome <outcome>', 'outcome of the payout')
        .choices(['completed', 'failed'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--evidence <note>', 'source of the outcome, for the audit log')
        .argParser(readNote)
        .makeOptionMandatory(),
    )
    .option(
      '--confirm-not-landed',
      'fail it although an RPC node knows it, or the bank has not decided or cannot be queried',
    )
    .option('--confirm-landed', 'crypto: complete it although no RPC node knows it')
    .option(...yesFlag)
  setOperation<DecideOptions>(decide, context, (run) => decideOne(run, withRails))
}

type OpenRow = {
  id: string
  kind: PayoutKind
  rail: string
  asset: Asset
  amount: bigint
  submittedAt: Date
  isReviewRequired: boolean
}

async function listOpen({ db }: Run<object>): Promise<CommandOutput> {
  const rows = await db.rows(sql<OpenRow>`
    select id, kind, rail, asset, amount, submitted_at, is_review_required
    from payouts where status = 'SUBMITTED'
    order by submitted_at limit ${limits.operator.rowsListedMax}`)
  const data = rows.map((row) => ({
    reference: referenceOf(row),
    rail: row.rail,
    asset: row.asset,
    amount: formatDecimal(row.amount, row.asset),
    submittedAt: row.submittedAt.toISOString(),
    reviewRequired: row.isReviewRequired,
  }))
  const lines = rows.map((row) => [
    referenceOf(row),
    row.rail,
    formatMoney(row.amount, row.asset),
    formatTime(row.submittedAt),
    row.isReviewRequired ? 'yes' : 'no',
  ])
  const head = ['reference', 'bank or chain', 'amount', 'submitted', 'review']
  const more = { amounts: ['amount'], empty: 'No open payouts.' }
  return { data, text: tableOf(head, lines, more) }
}

type DecideOptions = {
  outcome: 'completed' | 'failed'
  evidence: string
  confirmNotLanded?: boolean
  confirmLanded?: boolean
}

/** Queries the chain or the bank first, because no network call happens inside a transaction. */
async function decideOne(
  { db, confirm, actor, args: [reference = ''], options }: Run<DecideOptions>,
  withRails: WithRails,
): Promise<CommandOutput> {
  const { outcome, evidence } = options
  const open = await findOpenPayout(db, reference)
  const amount = formatMoney(open.amount, open.asset)
  const now = await confirm({
    mode: open.mode,
    facts: [
      ['Payout', `${reference} of ${amount}`],
      ['Recipient', describeRecipient(open.destination)],
      ['Merchant', open.merchantName],
      ['Outcome', outcomes[outcome]],
    ],
  })
  const queried = await queryAttempt(db, reference, (work) => withRails(db, work))
  const decision = {
    reference,
    outcome,
    evidence,
    confirmsNotLanded: options.confirmNotLanded,
    confirmsLanded: options.confirmLanded,
    queried,
  }
  const payout = await db.transaction((tx) => decideOpenPayout(tx, now, decision, actor))
  return {
    data: { reference, status: payout.status },
    text: `${reference} is ${payout.status}.`,
  }
}

const outcomes = {
  completed: 'completed: the money has left',
  failed: 'failed: the money goes back to where it was taken from',
}
