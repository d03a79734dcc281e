import { type Command, Option } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import { limits } from '../../base/limits.js'
import { followReturns } from '../../collections/follow-returns.js'
import { listBankRails } from '../../collections/prepare-accounts.js'
import { getMerchantId } from '../../merchants/environments.js'
import { formatDecimal, formatMoney } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import {
  type Decision,
  decidePayout,
  findBankAttempt,
  findChainAttempt,
  findOpenPayout,
} from '../../payouts/decide-payout.js'
import { type PayoutKind, referenceOf } from '../../payouts/payout.js'
import type { Destination, Examined } from '../../payouts/ports.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
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
      'fail it although an endpoint knows it, or the bank has not decided or cannot be queried',
    )
    .option('--confirm-landed', 'crypto: complete it although no endpoint knows it')
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
    select id, kind, rail, asset, amount, submitted_at as "submittedAt",
      is_review_required as "isReviewRequired"
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
      ['Recipient', recipientOf(open.destination)],
      ['Merchant', open.merchantName],
      ['Outcome', outcomes[outcome]],
    ],
  })
  const examined = await examine(db, reference, withRails)
  const atBank = await checkAtBank(db, reference, withRails)
  const payout = await db.transaction(async (tx) => {
    const decision: Decision = {
      reference,
      hasLanded: outcome === 'completed',
      examined,
      atBank,
      isConfirmedNotLanded: options.confirmNotLanded,
      isConfirmedLanded: options.confirmLanded,
    }
    const decided = await decidePayout(tx, now, decision, followReturns)
    const { environmentId } = decided
    const merchantId = await getMerchantId(tx, environmentId)
    const details = {
      reference,
      amount,
      outcome,
      evidence,
      ...(examined && showExamined(examined)),
      ...(atBank && { atBank }),
    }
    writeAuditLine(tx, now, {
      actor,
      action: 'payout.decide',
      merchantId,
      environmentId,
      details,
    })
    return decided
  })
  return {
    data: { reference, status: payout.status },
    text: `${reference} is ${payout.status}.`,
  }
}

const outcomes = {
  completed: 'completed: the money has left',
  failed: 'failed: the money goes back to where it was taken from',
}

function recipientOf(destination: Destination): string {
  if (destination.kind === 'wallet') return destination.address
  const { accountNumber, bankCode, bankName, accountName } = destination
  return `${accountNumber} at ${bankName || `bank ${bankCode}`}, ${accountName}`
}

async function examine(
  db: Database,
  reference: string,
  withRails: WithRails,
): Promise<Examined | undefined> {
  const attempt = await findChainAttempt(db, reference)
  if (!attempt) return undefined
  return withRails(db, async ({ solana }) => {
    for (const rail of [solana.test, solana.live])
      if ((await rail?.isChainKnown()) && rail!.name === attempt.rail) return rail!.examine(attempt)
    throw new Error(`No endpoint of ${attempt.rail} is configured, or none responds.`)
  })
}

/** Undefined for a payout on a chain. */
async function checkAtBank(
  db: Database,
  reference: string,
  withRails: WithRails,
): Promise<Decision['atBank']> {
  const attempt = await findBankAttempt(db, reference)
  if (!attempt) return undefined
  return withRails(db, async ({ allBanks }) => {
    const rail = listBankRails(allBanks).find(({ name }) => name === attempt.rail)
    if (!rail) return 'not_configured'
    const [finding] = await rail.check([attempt])
    return finding!.state
  })
}

function showExamined({ token, height, finding, knownBy }: Examined) {
  return { signature: token, height: String(height ?? ''), state: finding.state, knownBy }
}
