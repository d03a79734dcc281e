import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Case } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { notify } from '../../parts/notify'
import { Card, ListItem } from '../../parts/page'
import { SearchSelect } from '../../parts/search-select'
import { Status } from '../../parts/status'
import { changes, kindOf, path } from './case'
import { NewCase } from './case-form'
import { caseTexts } from './texts'

const words = caseTexts.card
const shownMax = 5

/** The cases that a payment, payout, recipient or customer is in, newest first. */
export function CasesCard({ item }: { item: string }) {
  const mayChange = useMay('cases.change')
  const maySee = useMay('cases.see')
  const query = { item, limit: shownMax }
  const read = useRead<Page<Case>>('cases of', path, query, { isEnabled: maySee })
  const [opened, setOpened] = useState<'new' | 'add' | null>(null)
  const cases = read.data?.items ?? []
  if (!maySee || (cases.length === 0 && !mayChange)) return null
  const close = () => setOpened(null)
  return (
    <Card
      title={caseTexts.title}
      aside={
        read.data?.nextCursor && (
          <Button size="small" to={`/cases?item=${item}`}>
            {words.more}
          </Button>
        )
      }
    >
      {cases.length === 0 ? (
        <p className="soft hint">{words.none}</p>
      ) : (
        <ul className="list">
          {cases.map((one) => (
            <ListItem
              key={one.reference}
              title={
                <Link className="link" to={`/cases/${one.reference}`}>
                  {one.title}
                </Link>
              }
              text={kindOf(one)}
            >
              <Status of="case" value={one.status} />
            </ListItem>
          ))}
        </ul>
      )}
      {mayChange && (
        <div className="row wrap padded top-line">
          <Button size="small" onClick={() => setOpened('new')}>
            {words.open}
          </Button>
          <Button size="small" onClick={() => setOpened('add')}>
            {words.add}
          </Button>
        </div>
      )}
      {opened === 'new' && <NewCase item={item} onClose={close} />}
      {opened === 'add' && <AddToCase item={item} onClose={close} />}
    </Card>
  )
}

function AddToCase({ item, onClose }: { item: string; onClose: () => void }) {
  const query = { status: 'OPEN', limit: 100 }
  const open = useRead<Page<Case>>('cases of', path, query).data?.items
  const [chosen, setChosen] = useState<string | null>(null)
  const { write, isBusy, refusal } = useWrite<Case>(changes)
  const others = open?.filter(({ items }) => !items.some(({ reference }) => reference === item))
  const add = async () => {
    if (!(await write(`${path}/${chosen}/items`, { items: [item] }))) return
    onClose()
    void notify(caseTexts.addTo.done)
  }
  return (
    <ConfirmDialog
      title={caseTexts.addTo.title}
      confirmLabel={caseTexts.addTo.confirm}
      isBusy={isBusy}
      isDisabled={chosen === null}
      refusal={refusal}
      onConfirm={() => void add()}
      onClose={onClose}
    >
      {others?.length === 0 ? (
        <p className="soft">{caseTexts.addTo.none}</p>
      ) : (
        <SearchSelect
          isFirst
          label={caseTexts.addTo.choose}
          placeholder={caseTexts.addTo.placeholder}
          noneFound={caseTexts.addTo.noneFound}
          options={(others ?? []).map((one) => ({
            value: one.reference,
            label: `${one.title} · ${kindOf(one)}`,
          }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
    </ConfirmDialog>
  )
}
