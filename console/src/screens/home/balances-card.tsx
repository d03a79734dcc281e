import { Select } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Balance } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Money } from '../../parts/money'
import { type Asset, toWire } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { texts } from '../../texts/en'

const words = texts.home.balances

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
            <div>
              <dt>{words.held}</dt>
              <dd>
                <Money amount={naira.held} asset="NGN" />
              </dd>
            </div>
            <div>
              <dt>{words.pending}</dt>
              <dd>
                <Money amount={naira.pending} asset="NGN" />
              </dd>
            </div>
          </dl>
        </>
      )}
      <dl className="facts divided">
        {coins.map(({ asset, available }) => (
          <div key={asset}>
            <dt>{asset}</dt>
            <dd className="bold">
              <Money amount={available} asset={asset} />
            </dd>
          </div>
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
            {texts.home.payOut}
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

/** Play money, in test mode only. */
export function FundDialog({ onClose }: { onClose: () => void }) {
  const [asset, setAsset] = useState<Asset>('NGN')
  const [amount, setAmount] = useState<bigint | null>(100_000_000n)
  const { write, isBusy, refusal } = useWrite({ topics: ['balances'] })
  const run = async () => {
    const body = { asset, amount: toWire(amount!, asset) }
    if ((await write('/v1/test/balances/fund', body)) === undefined) return
    onClose()
    await notify(words.funded)
  }
  return (
    <ConfirmDialog
      isOpen
      title={words.fundTitle}
      confirmLabel={words.fund}
      isBusy={isBusy}
      isDisabled={amount === null || amount === 0n}
      refusal={refusal}
      atFields={['amount']}
      onConfirm={() => void run()}
      onClose={onClose}
    >
      <p className="soft">{words.fundText}</p>
      <Select
        label={words.asset}
        data={['NGN', 'USDC', 'USDT']}
        value={asset}
        allowDeselect={false}
        onChange={(chosen) => {
          setAsset((chosen ?? 'NGN') as Asset)
          setAmount(null)
        }}
      />
      <MoneyInput
        asset={asset}
        label={words.amount}
        value={amount}
        onChange={setAmount}
        error={refusal?.issueOf('amount')}
      />
    </ConfirmDialog>
  )
}
