import { prefixes } from '../../../base/ids.js'
import { referenceSample } from '../../../base/shapes.js'
import { resourceKinds, seenWith } from '../../../team/seen-with.js'
import { findTimeline, subjectOf } from '../../../timeline/find-timeline.js'
import { timelineLimits } from '../../../timeline/limits.js'
import { showTimelineItem, timeline } from '../../../timeline/resource.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { inPath } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { route } from '../../server/route.js'

export const readTimeline = ({ db }: ApiParts) =>
  route({
    method: 'GET',
    path: '/v1/timeline/:reference',
    access: 'secret',
    permission: 'payments.see',
    operation: 'getTimeline',
    isHeavy: true,
    shows: resourceKinds,
    summary: 'Retrieve a timeline',
    description: `Returns what happened to a payment (\`pay_\`), a transfer (\`bt_\`, \`ct_\`), a return (\`rf_\`), an account or wallet (\`va_\`, \`da_\`, \`cw_\`, \`dw_\`), a checkout session (\`cs_\`), an invoice (\`ivc_\`), a schedule of invoices (\`ivs_\`) or a case (\`case_\`), newest first: accounts opened, money received, ledger entries, attempts, returns, decisions of the operator, events and their deliveries. At most ${timelineLimits.itemsMax} items. Transfers need \`payouts.see\`, invoices and schedules \`customers.see\`, cases \`cases.see\`; ledger entries are shown with \`balances.see\`, events and deliveries with \`developers.see\` and the permission of their resource.`,
    tag: 'Events',
    params: inPath('reference', referenceSample(prefixes.payment)),
    answers: { 200: timeline },
    refusals: ['not_found'],
    async handle(request) {
      const { environment, permissions } = request
      const { reference } = request.params
      const needed = seenWith[subjectOf(reference)]
      if (!permissions.has(needed)) throw refuseUnseen(request, needed)
      const subject = { environment, reference, permissions }
      const { items, isTruncated } = await findTimeline(db, subject)
      return success(200, 'Timeline', {
        reference,
        items: items.map(showTimelineItem),
        truncated: isTruncated,
      })
    },
  })
