import { useState } from 'react'
import type { Claim } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { ResourceList } from '../../frame/resource-list'
import { Button } from '../../parts/button'
import type { Column } from '../../parts/data-table'
import { type Filter, useFilters } from '../../parts/filters'
import { Money } from '../../parts/money'
import { Time } from '../../parts/time'
import { statusWords } from '../../texts/status'
import { PayoutTabs } from '../payouts/payout-tabs'
import { payoutTexts } from '../payouts/texts'
import { ClaimStatus } from './claim-status'
import { NewClaim } from './new-claim'
import { claimTexts as words } from './texts'

const path = '/v1/claims'

const filters: Filter[] = [
  {
    kind: 'choice',
    name: 'status',
    label: words.filters.status,
    options: Object.entries(statusWords.claim).map(([value, label]) => ({ value, label })),
  },
  { kind: 'text', name: 'merchantReference', label: words.filters.merchantReference },
  { kind: 'period', label: words.filters.period },
]

const columns: Column<Claim>[] = [
  {
    name: 'what',
    head: words.columns.what,
    phone: 1,
    isGrowing: true,
    cell: ({ description, recipientName, email }) => (
      <>
        <span className="under-name">{recipientName ?? email ?? description}</span>
        {(recipientName ?? email) !== null && (
          <span className="under-name soft small">{description}</span>
        )}
      </>
    ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 4,
    cell: (claim) => <ClaimStatus claim={claim} />,
  },
  {
    name: 'amount',
    head: words.columns.amount,
    align: 'end',
    phone: 2,
    cell: ({ amount, asset }) => (
      <b className="bold">
        <Money amount={amount} asset={asset} />
      </b>
    ),
  },
  {
    name: 'expires',
    head: words.columns.expires,
    isWideOnly: true,
    isSoft: true,
    cell: ({ expiresAt }) => <Time value={expiresAt} />,
  },
  {
    name: 'created',
    head: words.columns.created,
    phone: 3,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} show="clock" />,
  },
]

export function Screen() {
  const mayCreate = useMay('payouts.create')
  const filtering = useFilters(filters)
  const list = usePages<Claim>(path, filtering.values)
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <ResourceList
        title={payoutTexts.title}
        tab={`${words.title} · ${payoutTexts.title}`}
        path={path}
        pagePath="/payouts/claims"
        fileName="claims.csv"
        filters={filters}
        filtering={filtering}
        list={list}
        columns={columns}
        icon="link"
        create={
          mayCreate && (
            <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
              {words.create}
            </Button>
          )
        }
        words={words}
      >
        <PayoutTabs />
      </ResourceList>
      {isCreating && <NewClaim onClose={() => setCreating(false)} />}
    </>
  )
}
