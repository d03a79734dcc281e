import { listAuditLines } from '../../audit/find-lines.js'
import { prefixes, toReference } from '../../base/ids.js'
import { type Action, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'

/** The console reads the log of the installation in pages: see api/operator/audit-lines.ts. */
export const auditActions: Action[] = [
  command({
    name: 'audit list',
    description: 'list the latest changes',
    input: { limit: fields.rowLimit('number of lines') },
    async run({ db }, { limit }) {
      const lines = await listAuditLines(db, limit)
      const data = lines.map(({ merchantId, actor, action, details, createdAt, number }) => ({
        actor,
        action,
        details,
        createdAt,
        merchant: merchantId && toReference(prefixes.merchant, merchantId),
        number: Number(number),
      }))
      const text = tableOf(data, {
        time: 'createdAt',
        actor: 'actor',
        action: 'action',
        merchant: 'merchant',
        details: ({ details }) => JSON.stringify(details),
      })
      return { data, text }
    },
  }),
]
