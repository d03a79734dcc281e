import type { Command } from 'commander'
import { writeAuditLine } from '../../audit/write-line.js'
import { getEnvironment } from '../../merchants/environments.js'
import { approveKyc, needsKyc, withdrawKyc } from '../../merchants/kyc/kyc.js'
import { merchantArgument, reasonOption } from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'

export function registerKyc(program: Command, context: OperateContext): void {
  const kyc = program.command('kyc').description('KYC status of a merchant')
  const approve = kyc
    .command('approve')
    .description(
      `approve KYC, which live mode needs to create ${listOf(needsKyc)}; everything else works without it`,
    )
    .argument(...merchantArgument)
  setOperation(approve, context, approveLive)

  const withdraw = kyc
    .command('withdraw')
    .description(
      'withdraw KYC: nothing that needs it can be created; what exists keeps receiving money',
    )
    .argument(...merchantArgument)
    .addOption(reasonOption())
  setOperation(withdraw, context, withdrawLive)
}

async function approveLive({
  db,
  now,
  actor,
  args: [merchant = ''],
}: Run<object>): Promise<CommandOutput> {
  const environment = await getEnvironment(db, { merchant, mode: 'live' })
  const isFresh = await db.transaction(async (tx) => {
    const isFresh = await approveKyc(tx, environment.id)
    const { merchantId, id: environmentId } = environment
    if (isFresh)
      writeAuditLine(tx, now, {
        actor,
        action: 'kyc.approve',
        merchantId,
        environmentId,
        details: { mode: 'live' },
      })
    return isFresh
  })
  return {
    data: { merchant, mode: 'live', kycStatus: 'APPROVED' },
    text: `KYC of ${merchant} ${isFresh ? 'is' : 'was already'} approved in live mode.`,
  }
}

async function withdrawLive({
  db,
  now,
  actor,
  args: [merchant = ''],
  options: { reason },
}: Run<{ reason: string }>): Promise<CommandOutput> {
  const environment = await getEnvironment(db, { merchant, mode: 'live' })
  const isFresh = await db.transaction(async (tx) => {
    const isFresh = await withdrawKyc(tx, environment.id)
    const { merchantId, id: environmentId } = environment
    if (isFresh)
      writeAuditLine(tx, now, {
        actor,
        action: 'kyc.withdraw',
        merchantId,
        environmentId,
        details: { mode: 'live', reason },
      })
    return isFresh
  })
  return {
    data: { merchant, mode: 'live', kycStatus: 'NONE' },
    text: `KYC of ${merchant} ${isFresh ? 'is withdrawn' : 'was not approved'} in live mode.`,
  }
}

function listOf(things: string[]): string {
  return `${things.slice(0, -1).join(', ')} and ${things.at(-1)}`
}
