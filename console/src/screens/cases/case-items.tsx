import { useState } from 'react'
import type { Case, Recipient, SearchHit } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { subtitleOf } from '../../frame/paths-of'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { type Column, DataTable } from '../../parts/data-table'
import { Icon } from '../../parts/icons'
import { shorten } from '../../parts/identifiers'
import { Menu, MenuItem } from '../../parts/menu'
import { Money } from '../../parts/money'
import { notify, useNotifiedRefusal } from '../../parts/notify'
import { Card } from '../../parts/page'
import { SearchSelect } from '../../parts/search-select'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { useSettled } from '../../parts/use-settled'
import { subjectOf } from '../freezes/freeze'
import { FreezeDialog } from '../freezes/freeze-dialog'
import { frozenTexts } from '../freezes/frozen-texts'
import { nameOf, placeOf, type Transfer, useTransfer } from '../payouts/transfer'
import { placeOf as placeOfRecipient } from '../recipients/describe'
import { type CaseItem, changes, path, pathOf } from './case'
import { caseTexts } from './texts'

const words = caseTexts.page

/** What a case is about, as it is now. */
export function CaseItems({ shown }: { shown: Case }) {
  const mayChange = useMay('cases.change') && shown.status !== 'CLOSED'
  const mayFreeze = useMay('payouts.freeze')
  const maySeeCustomers = useMay('customers.see')
  const [isAdding, setAdding] = useState(false)
  const [frozen, setFrozen] = useState<CaseItem | null>(null)
  const { write, refusal } = useWrite<Case>(changes)
  useNotifiedRefusal(refusal)
  const remove = async ({ reference }: CaseItem) => {
    const body = { items: [reference] }
    if (await write(`${path}/${shown.reference}/items/remove`, body)) void notify(words.removed)
  }
  const actions: Column<CaseItem> = {
    name: 'actions',
    head: <span className="hidden">{words.columns.action}</span>,
    align: 'end',
    phone: 4,
    cell: (item) => {
      const isFreezable = mayFreeze && item.kind !== 'payment' && item.kind !== 'customer'
      if (!isFreezable && !mayChange) return null
      return (
        <Menu
          isFlat
          width={240}
          button={
            <button
              type="button"
              className="icon-button"
              aria-label={`${words.actions}: ${item.reference}`}
            >
              <Icon name="dots" />
            </button>
          }
        >
          {isFreezable && (
            <MenuItem icon="snow" onClick={() => setFrozen(item)}>
              {words.freeze}
            </MenuItem>
          )}
          {mayChange && (
            <MenuItem icon="close" onClick={() => void remove(item)}>
              {words.remove}
            </MenuItem>
          )}
        </Menu>
      )
    },
  }
  return (
    <Card
      title={words.items}
      aside={
        mayChange && (
          <Button size="small" icon="plus" onClick={() => setAdding(true)}>
            {words.add}
          </Button>
        )
      }
    >
      <DataTable
        caption={words.itemsCaption}
        columns={[...columns, actions]}
        list={{ rows: shown.items }}
        keyOf={({ reference }) => reference}
        pathOf={(item) => (item.kind !== 'customer' || maySeeCustomers ? pathOf(item) : undefined)}
        empty={<p className="soft hint">{words.noItems}</p>}
      />
      {isAdding && <AddItem shown={shown} onClose={() => setAdding(false)} />}
      {frozen && <FreezeRecipientOf item={frozen} shown={shown} onClose={() => setFrozen(null)} />}
    </Card>
  )
}

const columns: Column<CaseItem>[] = [
  {
    name: 'what',
    head: words.columns.what,
    phone: 1,
    isGrowing: true,
    cell: ({ kind, reference }) => (
      <>
        <span className="under-name">{words.itemKinds[kind]}</span>
        <span className="under-name soft small mono">{shorten(reference)}</span>
      </>
    ),
  },
  {
    name: 'status',
    head: words.columns.status,
    phone: 3,
    cell: ({ kind, status }) =>
      status && <Status value={status} {...(kind === 'recipient' && { of: 'recipient' })} />,
  },
  {
    name: 'amount',
    head: words.columns.amount,
    align: 'end',
    phone: 2,
    cell: ({ amount, asset }) =>
      amount !== null &&
      asset !== null && (
        <b className="bold">
          <Money amount={amount} asset={asset} />
        </b>
      ),
  },
  {
    name: 'added',
    head: words.columns.added,
    isWideOnly: true,
    isSoft: true,
    cell: ({ addedAt }) => <Time value={addedAt} />,
  },
]

type FreezeProps = { item: CaseItem; shown: Case; onClose: () => void }

/** Reads whom a payout paid, and asks whether payouts to them are frozen. */
function FreezeRecipientOf({ item, shown, onClose }: FreezeProps) {
  const isSaved = item.kind === 'recipient'
  const transfer = useTransfer(item.reference, { isEnabled: !isSaved }).data
  const recipient = useRead<Recipient>('recipient', `/v1/recipients/${item.reference}`, undefined, {
    isEnabled: isSaved,
  }).data
  const found = isSaved ? recipient : transfer
  if (!found) return null
  const place = recipient ? placeOfRecipient(recipient) : placeOfTransfer(found as Transfer)
  return (
    <FreezeDialog
      target={{
        kind: 'recipient',
        subject: subjectOf(found),
        what: frozenTexts.what.recipient(place),
      }}
      reason={words.reason(shown.externalReference ?? shown.reference)}
      onClose={onClose}
    />
  )
}

const placeOfTransfer = (transfer: Transfer) => placeOf(transfer) || nameOf(transfer)

const linkable = new Set<SearchHit['kind']>(['payment', 'bank_transfer', 'crypto_transfer'])

/** Finds a payment or payout by what people know of it. */
function AddItem({ shown, onClose }: { shown: Case; onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<SearchHit | null>(null)
  const { write, isBusy, refusal } = useWrite<Case>(changes)
  const q = useSettled(typed.trim())
  const found = useRead<{ items: SearchHit[] }>(
    'search',
    '/v1/search',
    { q },
    { isEnabled: q.length > 1 },
  ).data
  const hits = [...(chosen ? [chosen] : []), ...(found?.items ?? [])].filter(({ kind }) =>
    linkable.has(kind),
  )
  const byReference = new Map(hits.map((hit) => [hit.reference, hit]))
  const add = async () => {
    const body = { items: [chosen?.reference] }
    if (!(await write(`${path}/${shown.reference}/items`, body))) return
    onClose()
    void notify(caseTexts.addItem.done)
  }
  return (
    <ConfirmDialog
      title={caseTexts.addItem.title}
      confirmLabel={caseTexts.addItem.confirm}
      isBusy={isBusy}
      isDisabled={chosen === null}
      refusal={refusal}
      onConfirm={() => void add()}
      onClose={onClose}
    >
      <SearchSelect
        isFirst
        label={caseTexts.addItem.search}
        description={caseTexts.addItem.searchHint}
        placeholder={caseTexts.addItem.placeholder}
        noneFound={caseTexts.addItem.noneFound}
        isFound
        options={[...byReference.values()].map((hit) => ({
          value: hit.reference,
          label: `${hit.title} · ${subtitleOf(hit)}`,
        }))}
        value={chosen?.reference ?? null}
        onSearch={setTyped}
        onChange={(reference) => setChosen(byReference.get(reference) ?? null)}
      />
    </ConfirmDialog>
  )
}
