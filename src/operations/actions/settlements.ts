import { prefixes, toReference } from '../../base/ids.js'
import { listSettlementSchedules } from '../../merchants/settings/settlement-schedule.js'
import { type Action, command } from '../definitions/definition.js'
import { tableOf } from '../definitions/table.js'

export const settlementActions: Action[] = [
  command({
    name: 'settlements scheduled',
    description:
      'list the next settlement of every merchant and sub-account, and why the last one paid nothing',
    async run({ db }) {
      const schedules = await listSettlementSchedules(db)
      const data = schedules.map(({ merchantId, subaccountId, ...schedule }) => ({
        merchant: toReference(prefixes.merchant, merchantId),
        subaccount: subaccountId && toReference(prefixes.subaccount, subaccountId),
        ...schedule,
      }))
      const text = tableOf(data, {
        merchant: 'merchant',
        'sub-account': 'subaccount',
        mode: 'mode',
        // The test clock of an environment can be ahead.
        'for (environment time)': 'scheduledFor',
        'due (real time)': 'dueAt',
        'refused because': ({ isSuspended, lastRefusal }) =>
          isSuspended ? 'The merchant is suspended.' : lastRefusal,
      })
      return { data, text }
    },
  }),
]
