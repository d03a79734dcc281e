import { type Command, Option } from 'commander'
import { sql } from 'kysely'
import { followReturns } from '../collections/follow-returns.js'
import { limits } from '../limits.js'
import { writeAuditLine } from '../merchants/audit.js'
import { getMerchantId } from '../merchants/environments.js'
import { formatDecimal } from '../money/amounts.js'
import type { Asset } from '../money/assets.js'
import { decidePayout } from '../payouts/decide-payout.js'
import { type PayoutKind, referenceOf } from '../payouts/payout.js'
import { readNote } from './arguments.js'
import { type Answer, type OperateContext, type Run, setOperation } from './operation.js'
import { formatTable } from './table.js'

export function registerPayouts(program: Command, context: OperateContext): void {
  const payouts = program.command('payouts').description('money that is on its way out')
  const open = payouts.command('open').description('payouts that have not ended, oldest first')
  setOperation(open, context, listOpen)
  const decide = payouts
    .command('decide')
    .description('end a bank transfer whose fate the bank has told you')
    .argument('<reference>', 'reference of the transfer, bt_…')
    .addOption(
      new Option('--outcome <outcome>', 'what the bank said')
        .choices(['completed', 'failed'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--evidence <note>', 'who said so and where it is written, for the audit')
        .argParser(readNote)
        .makeOptionMandatory(),
    )
  setOperation(decide, context, decideOne)
}

type OpenRow = {
  id: string
  kind: PayoutKind
  asset: Asset
  amount: bigint
  submittedAt: Date
  isReviewRequired: boolean
}

async function listOpen({ db }: Run<object>): Promise<Answer> {
  const rows = await db.rows(sql<OpenRow>`
    select id, kind, asset, amount, submitted_at as "submittedAt",
      is_review_required as "isReviewRequired"
    from payouts where status = 'SUBMITTED'
    order by submitted_at limit ${limits.operator.listed}`)
  const data = rows.map((row) => ({
    reference: referenceOf(row),
    asset: row.asset,
    amount: formatDecimal(row.amount, row.asset),
    submittedAt: row.submittedAt.toISOString(),
    reviewRequired: row.isReviewRequired,
  }))
  const lines = data.map((one) => [
    ...[one.reference, one.asset, one.amount, one.submittedAt],
    one.reviewRequired ? 'yes' : 'no',
  ])
  const head = ['reference', 'asset', 'amount', 'submitted', 'review']
  return { data, text: data.length > 0 ? formatTable(head, lines) : 'Nothing is on its way out.' }
}

async function decideOne({
  db,
  now,
  actor,
  args: [reference = ''],
  options: { outcome, evidence },
}: Run<{ outcome: 'completed' | 'failed'; evidence: string }>): Promise<Answer> {
  const payout = await db.transaction(async (tx) => {
    const decided = await decidePayout(
      tx,
      now,
      { reference, hasLanded: outcome === 'completed' },
      followReturns,
    )
    const { environmentId } = decided
    const merchantId = await getMerchantId(tx, environmentId)
    writeAuditLine(tx, now, {
      ...{ actor, action: 'payout.decide', merchantId, environmentId },
      details: { reference, outcome, evidence },
    })
    return decided
  })
  return {
    data: { reference, status: payout.status },
    text: `${reference} is ${payout.status}.`,
  }
}
