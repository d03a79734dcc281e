import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Balance } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { Money } from '../../parts/money'
import { Card, Fact, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { FundDialog } from '../balances/fund-dialog'
import { homeTexts } from './texts'

const words = homeTexts.balances

export function BalancesCard() {
  const { data, error, refetch } = useRead<{ items: Balance[] }>('balances', '/v1/balances')
  const { mode } = useScope()
  const mayPay = useMay('payouts.create')
  const [isFunding, setFunding] = useState(false)
  const naira = data?.items.find(({ asset }) => asset === 'NGN')
  const coins = data?.items.filter(({ asset }) => asset !== 'NGN') ?? []
  return (
    <Card
      title={words.title}
      className="tall"
      aside={
        <Link className="link small" to="/balances">
          {words.statement}
        </Link>
      }
    >
      {naira && (
        <>
          <div style={{ padding: '0 20px 12px' }}>
            <p className="soft small">{words.available}</p>
            <p className="figure">
              <Money amount={naira.available} asset="NGN" />
            </p>
          </div>
          <dl className="facts small">
            <Fact name={words.held}>
              <Money amount={naira.held} asset="NGN" />
            </Fact>
            <Fact name={words.pending}>
              <Money amount={naira.pending} asset="NGN" />
            </Fact>
          </dl>
        </>
      )}
      <dl className="facts divided">
        {coins.map(({ asset, available }) => (
          <Fact key={asset} name={asset}>
            <b>
              <Money amount={available} asset={asset} />
            </b>
          </Fact>
        ))}
      </dl>
      {!data && error && <ErrorState error={error} retry={() => void refetch()} />}
      {!data && !error && (
        <div className="padded">
          <Skeleton height={180} />
        </div>
      )}
      {mayPay && (
        <div className="row divided foot">
          <Button size="small" isWide to="/payouts/new">
            {homeTexts.payOut}
          </Button>
          {mode === 'test' && (
            <Button size="small" isWide onClick={() => setFunding(true)}>
              {words.fund}
            </Button>
          )}
        </div>
      )}
      {isFunding && <FundDialog onClose={() => setFunding(false)} />}
    </Card>
  )
}
