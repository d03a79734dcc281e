import type { RealTime } from '../../base/clock.js'
import { formatMailTime } from '../../mail/content.js'
import { queueTeamMail } from '../../mail/team-mails.js'
import { formatMoney } from '../../money/amounts.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import { describeDestination } from '../describe-destination.js'
import { settlementReference } from './settlement.js'
import type { SettlementWithPayout } from './store-settlements.js'

/**
 * Mails the team about settlements that arrived. Those of sub-accounts are left out: a marketplace
 * has many sellers, and lists their settlements in the console.
 */
export async function mailPaidSettlements(
  tx: Tx,
  now: RealTime,
  settlements: SettlementWithPayout[],
): Promise<void> {
  const paid = settlements.filter(
    ({ settlement, payout }) => payout.status === 'COMPLETED' && settlement.subaccountId === null,
  )
  for (const { settlement, payout } of paid) {
    const { environmentId, id } = settlement
    const { asset, amount, destination, completedAt } = payout
    const reference = settlementReference(settlement)
    await queueTeamMail(tx, now, {
      environmentId,
      kind: 'settlement_paid',
      causeId: id,
      subject: `Settlement of ${formatMoney(amount, asset)} paid`,
      heading: 'A settlement was paid',
      blocks: [
        { type: 'amount', label: 'Paid out', amount: formatMoney(amount, asset) },
        {
          type: 'facts',
          facts: [
            ['To', describeDestination(destination)],
            ['Paid on', formatMailTime(completedAt ?? now)],
            ['Settlement', reference],
          ],
        },
        { type: 'page', label: 'See the settlement', path: `/settlements/${reference}` },
      ],
      because: 'you may see its bank accounts',
    })
  }
}
