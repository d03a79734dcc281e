import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreatedMerchant, ListedMerchant } from '../../api/answers'
import { usePages } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { type Column, DataTable } from '../../parts/data-table'
import { Dialog } from '../../parts/dialog'
import { TextField } from '../../parts/fields'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Card, EmptyState, Note, PageHead } from '../../parts/page'
import { Chip, Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { Amounts } from './amounts'
import { operatorTexts as t } from './texts'
import './operator.css'

const filters: Filter[] = [{ kind: 'text', name: 'q', label: t.merchants.search }]

const columns: Column<ListedMerchant>[] = [
  {
    name: 'name',
    head: t.merchants.name,
    phone: 1,
    isGrowing: true,
    cell: ({ name }) => <b>{name}</b>,
  },
  {
    name: 'state',
    head: t.state,
    phone: 3,
    cell: ({ suspendedAt }) =>
      suspendedAt ? (
        <Chip tone="bad">{t.merchants.suspended}</Chip>
      ) : (
        <Chip tone="good">{t.merchants.active}</Chip>
      ),
  },
  {
    name: 'kyc',
    head: t.merchants.kyc,
    isWideOnly: true,
    cell: ({ kycStatus }) => (
      <Status of="kyc" value={kycStatus} tone={kycStatus === 'APPROVED' ? 'good' : 'calm'} />
    ),
  },
  {
    name: 'received',
    head: t.merchants.received,
    align: 'end',
    cell: ({ received }) => <Amounts amounts={received.live} />,
  },
  {
    name: 'balances',
    head: t.merchants.balances,
    align: 'end',
    phone: 2,
    hasPhoneHead: true,
    cell: ({ balances }) => <Amounts amounts={balances.live} />,
  },
  { name: 'keys', head: t.merchants.keys, align: 'end', isWideOnly: true, cell: (m) => m.keys },
  {
    name: 'created',
    head: t.merchants.created,
    align: 'end',
    phone: 4,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
]

export function Screen() {
  const { values, change } = useFilters(filters)
  const list = usePages<ListedMerchant>('/operator/v1/merchants', values)
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <PageHead
        title={t.merchants.title}
        actions={
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            {t.merchants.create}
          </Button>
        }
      />
      <Filters filters={filters} values={values} onChange={change} />
      <Card>
        <DataTable
          caption={t.merchants.caption}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          pathOf={({ id }) => `/operator/merchants/${id}`}
          empty={<EmptyState icon="store">{t.merchants.empty}</EmptyState>}
        />
      </Card>
      {isCreating && (
        <CreateDialog
          onClose={() => {
            setCreating(false)
            list.retry()
          }}
        />
      )}
    </>
  )
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [displayName, setName] = useState('')
  const [created, setCreated] = useState<CreatedMerchant | null>(null)
  const { write, isBusy, refusal } = useWrite<CreatedMerchant>({ isKeyed: false })
  if (created)
    return (
      <ShownKeys
        created={created}
        onClose={() => {
          onClose()
          void navigate({ to: `/operator/merchants/${created.id}` })
        }}
      />
    )
  return (
    <ConfirmDialog
      title={t.merchants.create}
      confirmLabel={t.merchants.create}
      isBusy={isBusy}
      isDisabled={displayName.trim() === ''}
      refusal={refusal}
      onClose={onClose}
      onConfirm={async () => {
        const data = await write('/operator/v1/merchants', { displayName: displayName.trim() })
        if (data) setCreated(data)
      }}
    >
      <TextField
        label={t.merchants.displayName}
        value={displayName}
        maxLength={100}
        isFirst
        onChange={setName}
      />
    </ConfirmDialog>
  )
}

/** Keys that were just made. Closing the dialog forgets them. */
function ShownKeys({ created, onClose }: { created: CreatedMerchant; onClose: () => void }) {
  return (
    <Dialog isSticky title={created.name} onClose={onClose}>
      <div className="stack" style={{ gap: 16 }}>
        <Note tone="calm" icon="key">
          {t.merchants.keysOnce}
        </Note>
        {created.keys.map(({ kind, key }) => (
          <div key={kind}>
            <p className="soft small">{t.merchants[kind]}</p>
            <CopyBlock text={key} label={t.merchants[kind]} />
          </div>
        ))}
        <div className="actions-end">
          <Button kind="primary" onClick={onClose}>
            {t.merchants.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
