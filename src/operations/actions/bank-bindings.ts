import Type from 'typebox'
import { providers } from '../../base/config.js'
import type { Mode } from '../../base/environment.js'
import { Refusal } from '../../base/refusal.js'
import { getEnvironment, lockEnvironment } from '../../merchants/environments.js'
import { type BankBinding, bindBanks } from '../../merchants/settings/bind-banks.js'
import { auditOperator } from '../changes/audit-operator.js'
import { type Action, type CommandOutput, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'

const configured = 'configured'

const bank = (description: string) =>
  Type.Optional(
    Type.Enum([configured, 'sandbox-bank', ...providers], {
      description: `${description}; "${configured}" follows the configuration`,
      placeholder: 'bank',
    }),
  )

/** The banks that were chosen for a merchant. */
export const bankBindingActions: Action[] = [
  command({
    name: 'merchants bind',
    description: 'choose the banks of a merchant for new accounts and payouts',
    args: ['merchant'],
    input: {
      merchant: fields.merchant,
      mode: fields.liveByDefault,
      collect: bank('bank that opens accounts and receives payments'),
      payout: bank('bank that pays out'),
    },
    async run({ db, now, operator }, { merchant, mode, collect, payout }) {
      if (mode === 'live' && [collect, payout].includes('sandbox-bank'))
        throw new Refusal('validation_failed', {
          message: 'The sandbox bank is for test mode only.',
        })
      const { id, merchantId } = await getEnvironment(db, { merchant, mode })
      const binding = await db.transaction(async (tx) => {
        await lockEnvironment(tx, id)
        // Read under the lock: another command may change the other half.
        const before = await getEnvironment(tx, { merchant, mode })
        const changed = {
          collectBank: chooseBank(collect, before.collectBank),
          payoutBank: chooseBank(payout, before.payoutBank),
        }
        bindBanks(tx, id, changed)
        auditOperator(tx, now, operator, {
          action: 'banks.bind',
          merchantId,
          environmentId: id,
          details: { mode, ...changed },
        })
        return changed
      })
      return describe({ merchant, mode }, binding)
    },
  }),
  command({
    name: 'merchants banks',
    description: 'show the banks that were chosen for a merchant',
    args: ['merchant'],
    input: { merchant: fields.merchant, mode: fields.liveByDefault },
    run: async ({ db }, name) => describe(name, await getEnvironment(db, name)),
  }),
]

function chooseBank(choice: string | undefined, before: string | null): string | null {
  if (choice === undefined) return before
  return choice === configured ? null : choice
}

function describe(
  { merchant, mode }: { merchant: string; mode: Mode },
  { collectBank, payoutBank }: BankBinding,
): CommandOutput {
  return {
    data: { merchant, mode, collect: collectBank, payout: payoutBank },
    text: `${merchant}, ${mode} mode: collects with ${collectBank ?? 'the configured bank'}, pays out with ${payoutBank ?? 'the configured bank'}.`,
  }
}
