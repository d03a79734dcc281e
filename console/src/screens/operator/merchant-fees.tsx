import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { FeeText, MerchantFee, MerchantFees, OneMerchant } from '../../api/answers'
import { useRead } from '../../api/reads'
import type { Mode } from '../../api/scope'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { Card, PageHead, SkeletonRows } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { FeeDialog } from './fee-dialog'
import { operatorTexts as t } from './texts'
import './operator.css'
import { Segments } from '../../parts/segments'

export function Screen() {
  const { id } = useParams({ strict: false }) as { id: string }
  const [mode, setMode] = useState<Mode>('live')
  const path = `/operator/v1/merchants/${id}/fees`
  const { data, error, refetch } = useRead<MerchantFees>('fees', path, { mode })
  const { data: merchant } = useRead<OneMerchant>('merchant', `/operator/v1/merchants/${id}`)
  const [changed, setChanged] = useState<MerchantFee | null>(null)
  const name = merchant?.name ?? t.fees.title
  return (
    <>
      <PageHead
        title={name}
        parent={{ to: '/operator/fees', label: t.fees.title, current: name }}
        actions={
          <Segments
            label={t.mode}
            value={mode}
            options={{ live: 'Live', test: 'Test' }}
            onChange={setMode}
          />
        }
      />
      {error && !data && <ErrorState error={error} retry={() => void refetch()} />}
      <Card title={t.fees.title}>
        {!data ? (
          !error && <SkeletonRows />
        ) : (
          <DataTable
            caption={t.fees.title}
            list={{ rows: data.fees }}
            keyOf={({ operation }) => operation}
            empty={null}
            columns={[
              {
                name: 'operation',
                head: t.fees.operation,
                phone: 1,
                isGrowing: true,
                cell: ({ operation }) => <b>{t.fees.operations[operation] ?? operation}</b>,
              },
              {
                name: 'fee',
                head: t.fees.fee,
                phone: 3,
                cell: ({ text }) => <span className="no-wrap">{describe(text)}</span>,
              },
              {
                name: 'version',
                head: t.fees.version,
                align: 'end',
                phone: 4,
                cell: ({ version }) => (
                  <span className="soft">{version === 0 ? t.fees.standard : version}</span>
                ),
              },
              {
                name: 'change',
                head: <span className="hidden">{t.fees.change}</span>,
                align: 'end',
                phone: 2,
                cell: (fee) => (
                  <Button size="small" onClick={() => setChanged(fee)}>
                    {t.fees.change}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Card>
      <Card title={t.fees.history}>
        <DataTable
          caption={t.fees.history}
          list={{ rows: data?.versions ?? [] }}
          keyOf={({ operation, version }) => `${operation} ${version}`}
          empty={<p className="soft padded">{t.fees.noHistory}</p>}
          columns={[
            {
              name: 'operation',
              head: t.fees.operation,
              phone: 1,
              isGrowing: true,
              cell: ({ operation }) => t.fees.operations[operation] ?? operation,
            },
            {
              name: 'fee',
              head: t.fees.fee,
              phone: 3,
              cell: ({ text }) => <span className="no-wrap">{describe(text)}</span>,
            },
            {
              name: 'version',
              head: t.fees.version,
              align: 'end',
              phone: 2,
              cell: ({ version }) => version,
            },
            {
              name: 'since',
              head: t.since,
              align: 'end',
              phone: 4,
              isSoft: true,
              cell: ({ createdAt }) => <Time value={createdAt} />,
            },
          ]}
        />
      </Card>
      {changed && (
        <FeeDialog fee={changed} path={path} mode={mode} onClose={() => setChanged(null)} />
      )}
    </>
  )
}

function describe({ flat, basisPoints, floor, cap, tiers }: FeeText): string {
  const base =
    basisPoints === 0
      ? flat
      : flat.replace(/[^1-9]/g, '') === ''
        ? `${basisPoints / 100} %`
        : t.fees.plus(flat, String(basisPoints / 100))
  return [
    base,
    floor.replace(/[^1-9]/g, '') === '' ? undefined : t.fees.atLeast(floor),
    cap === null ? undefined : t.fees.atMost(cap),
    tiers.length === 0 ? undefined : t.fees.tiers(tiers.length),
  ]
    .filter(Boolean)
    .join(', ')
}
