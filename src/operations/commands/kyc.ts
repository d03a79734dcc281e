import type { Command } from 'commander'
import { writeAuditLine } from '../../merchants/audit.js'
import { getEnvironment } from '../../merchants/environments.js'
import { approveKyc } from '../../merchants/kyc.js'
import { merchantArgument } from './arguments.js'
import { type CommandOutput, type OperateContext, type Run, setOperation } from './operation.js'

export function registerKyc(program: Command, context: OperateContext): void {
  const kyc = program.command('kyc').description('KYC status of a merchant')
  const approve = kyc
    .command('approve')
    .description('approve KYC, which allows accounts and wallets in live mode')
    .argument(...merchantArgument)
  setOperation(approve, context, approveLive)
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
