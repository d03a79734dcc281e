import { type Command, Option } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import type { Mode } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { listOpenNotices, retryNotice } from '../../collections/notices/find-notices.js'
import { listRejected } from '../../collections/notices/store-hints.js'
import { formatMoney } from '../../money/amounts.js'
import { assetNames } from '../../money/assets.js'
import { assignPayment, checkAssignment } from '../actions/assign-payment.js'
import { readNote } from './arguments.js'
import {
  type CommandOutput,
  type OperateContext,
  type Run,
  setOperation,
  yesFlag,
} from './operation.js'
import { formatTime, tableOf } from './table.js'

export function registerNotices(program: Command, context: OperateContext): void {
  const notices = program.command('notices').description('unmatched bank payments')
  const open = notices
    .command('open')
    .description('list unmatched and refused payments, oldest first')
  setOperation(open, context, listOpen)
  const rejected = notices
    .command('rejected')
    .description('list payments that a bank sent back to the payer, newest first')
  setOperation(rejected, context, listSentBack)
  const retry = notices
    .command('retry')
    .description('match a payment again now')
    .argument('<bank>', 'bank that reported the payment')
    .argument('<mode>', 'test or live')
    .argument('<id>', "the bank's id of the payment")
  setOperation(retry, context, retryOne)
  const assign = notices
    .command('assign')
    .description('book an unmatched payment into an account of a merchant')
    .argument('<bank>', 'bank that reported the payment')
    .argument('<mode>', 'test or live')
    .argument('<id>', "the bank's id of the payment")
    .requiredOption('--merchant <merchant>', 'reference of the merchant, mer_…')
    .requiredOption('--account <account>', 'its account at this bank, va_… or da_…')
    .addOption(
      new Option('--note <note>', 'how you know, for the audit log')
        .argParser(readNote)
        .makeOptionMandatory(),
    )
    .option(...yesFlag)
  setOperation(assign, context, assignOne)
}

async function listOpen({ db }: Run<object>): Promise<CommandOutput> {
  const open = await listOpenNotices(db, limits.operator.rowsListedMax)
  const data = open.map(({ amount, receivedAt, ...rest }) => ({
    ...rest,
    amountInSmallestUnits: amount.toString(),
    receivedAt: receivedAt.toISOString(),
  }))
  const lines = open.map((one) => [
    one.id,
    one.rail,
    one.mode,
    one.accountNumber,
    showAmount(one),
    one.state,
    one.reason ?? '-',
    formatTime(one.receivedAt),
  ])
  const head = ['id', 'bank', 'mode', 'account', 'amount', 'state', 'reason', 'received']
  const more = { amounts: ['amount'], empty: 'No unmatched payments.' }
  return { data, text: tableOf(head, lines, more) }
}

/** The decimals of tokens that are not ours are not known. */
function showAmount({ amount, currency }: { amount: bigint; currency: string }): string {
  const asset = assetNames.find((name) => name === currency)
  return asset ? formatMoney(amount, asset) : `${amount} units of ${currency}`
}

async function listSentBack({ db }: Run<object>): Promise<CommandOutput> {
  const rejected = await listRejected(db, limits.operator.rowsListedMax)
  const data = rejected.map((one) => ({ ...one, receivedAt: one.receivedAt.toISOString() }))
  const lines = data.map((one) => [
    one.rail,
    one.merchant ?? '-',
    one.account ?? '-',
    one.merchantReference ?? '-',
    one.reason,
    one.receivedAt,
  ])
  const head = ['bank', 'merchant', 'account', 'merchant reference', 'payment', 'received']
  return { data, text: tableOf(head, lines, { empty: 'No rejected payments.' }) }
}

async function retryOne({ db, now, actor, args }: Run<object>): Promise<CommandOutput> {
  const [rail = '', mode = '', id = ''] = args
  const name = { rail, mode, id }
  await db.transaction(async (tx) => {
    await retryNotice(tx, now, name)
    writeAuditLine(tx, now, { actor, action: 'notice.retry', details: name })
  })
  return { data: name, text: `${id} will be matched again.` }
}

type AssignOptions = { merchant: string; account: string; note: string }

async function assignOne(run: Run<AssignOptions>): Promise<CommandOutput> {
  const { db, actor, args, options } = run
  const [rail = '', mode = '', id = ''] = args
  const { merchant, account, note } = options
  const assignment = { rail, mode: mode as Mode, id, merchant, account, note }
  const found = await checkAssignment(db, assignment)
  const now = await run.confirm({
    mode: found.environment.mode,
    facts: [
      ['Payment', `${id} of ${rail}`],
      ['Merchant', found.environment.merchantName],
      ['Account', `${account}, ${found.account.number} ${found.account.accountName}`],
    ],
  })
  await db.transaction((tx) => assignPayment(tx, now, assignment, actor))
  return { data: assignment, text: `${id} will be booked into ${account}.` }
}
