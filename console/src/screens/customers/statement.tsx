import { useState } from 'react'
import type { CustomerEntry } from '../../../../sdk/src/types'
import { usePages } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import { download } from '../../api/writes'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { Money } from '../../parts/money'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Segments } from '../../parts/segments'
import { Time } from '../../parts/time'
import { customerTexts } from './texts'
import { path } from './use-customers'

const words = customerTexts.statement
const assets: Asset[] = ['NGN', 'USDC', 'USDT']

const columns: Column<CustomerEntry>[] = [
  {
    name: 'what',
    head: words.what,
    isGrowing: true,
    phone: 1,
    cell: ({ type }) => <b className="medium">{words.types[type]}</b>,
  },
  {
    name: 'when',
    head: words.when,
    isSoft: true,
    phone: 3,
    cell: ({ at }) => <Time value={at} />,
  },
  {
    name: 'change',
    head: words.change,
    align: 'end',
    phone: 2,
    cell: ({ amount, asset }) => {
      const units = toUnits(amount, asset)
      return (
        <span className="no-wrap">
          {units > 0n && '+'}
          {formatMoney(units, asset)}
        </span>
      )
    },
  },
  {
    name: 'balance',
    head: words.balance,
    align: 'end',
    phone: 4,
    hasPhoneHead: true,
    cell: ({ balance, asset }) => (
      <b>
        <Money amount={balance} asset={asset} />
      </b>
    ),
  },
]

function pathOfEntry({ invoice, payment }: CustomerEntry): string | undefined {
  if (invoice) return `/invoices/${invoice}`
  return payment ? `/payments/${payment}` : undefined
}

/** What was invoiced, paid, given up and refunded, with what the customer owes after each. */
export function Statement({ reference }: { reference: string }) {
  const [asset, setAsset] = useState<Asset>('NGN')
  const statementPath = `${path}/${reference}/statement`
  const list = usePages<CustomerEntry>(statementPath, { asset })
  const mayExport = useMay('exports.make')
  const save = () =>
    download(statementPath, { asset }, `statement-${reference}-${asset}.csv`).catch(
      (error: unknown) => notify(toRefusal(error).sentence, 'bad'),
    )
  return (
    <section className="card">
      <div className="card-head wrap">
        <h2>{words.title}</h2>
        <div className="row wrap">
          <Segments label={words.asset} value={asset} options={assets} onChange={setAsset} />
          {mayExport && (
            <Button size="small" icon="download" onClick={() => void save()}>
              {words.csv}
            </Button>
          )}
        </div>
      </div>
      <DataTable
        caption={words.caption}
        columns={columns}
        list={list}
        keyOf={({ number }) => String(number)}
        pathOf={pathOfEntry}
        foot={words.hint}
        empty={<p className="soft hint">{words.empty}</p>}
      />
    </section>
  )
}
