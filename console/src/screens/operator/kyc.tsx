import { useState } from 'react'
import type { KycSubmission } from '../../api/answers'
import { toList, useRead } from '../../api/reads'
import { DataTable } from '../../parts/data-table'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { operatorTexts as t } from './texts'
import './operator.css'
import { Segments } from '../../parts/segments'

export function Screen() {
  const [state, setState] = useState<'waiting' | 'decided'>('waiting')
  const read = useRead<{ items: KycSubmission[] }>('kyc', '/operator/v1/kyc', { state })
  return (
    <>
      <PageHead
        title={t.kyc.title}
        actions={
          <Segments
            label={t.state}
            value={state}
            options={{ waiting: t.kyc.waiting, decided: t.kyc.decided }}
            onChange={setState}
          />
        }
      />
      <Card>
        <DataTable
          caption={t.kyc.caption}
          list={toList(read)}
          keyOf={({ merchant }) => merchant}
          pathOf={({ merchant }) => `/operator/kyc/${merchant}`}
          empty={<EmptyState icon="file">{t.nothing}</EmptyState>}
          columns={[
            {
              name: 'merchant',
              head: t.merchantName,
              phone: 1,
              isGrowing: true,
              cell: ({ merchantName }) => <b>{merchantName}</b>,
            },
            {
              name: 'status',
              head: t.state,
              phone: 2,
              cell: ({ status }) => <Status of="kyc" value={status} />,
            },
            {
              name: 'documents',
              head: t.kyc.documents,
              align: 'end',
              phone: 3,
              hasPhoneHead: true,
              cell: ({ documents }) => documents,
            },
            {
              name: 'submitted',
              head: t.kyc.submitted,
              align: 'end',
              phone: 4,
              hasPhoneHead: true,
              cell: ({ submittedAt }) => (
                <span className="soft">{submittedAt ? <Time value={submittedAt} /> : '–'}</span>
              ),
            },
          ]}
        />
      </Card>
    </>
  )
}
