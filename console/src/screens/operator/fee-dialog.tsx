import { useState } from 'react'
import type { FeePreview, MerchantFee } from '../../api/answers'
import type { Mode } from '../../api/scope'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { Money } from '../../parts/money'
import { notify } from '../../parts/notify'
import { Note } from '../../parts/page'
import { operatorTexts as t } from './texts'

type Props = { fee: MerchantFee; path: string; mode: Mode; onClose: () => void }

/** A new version of a fee, with what it would have cost in the last 30 days. */
export function FeeDialog({ fee, path, mode, onClose }: Props) {
  const [typed, setTyped] = useState({
    flat: fee.flat,
    percent: String(fee.basisPoints / 100),
    floor: fee.floor,
    cap: fee.cap ?? '',
  })
  const [preview, setPreview] = useState<FeePreview | null | undefined>(undefined)
  const asking = useWrite<{ preview: FeePreview | null }>({ isKeyed: false })
  const saving = useWrite<{ preview: FeePreview | null }>({ reads: ['fees'], isKeyed: false })
  const points = toPoints(typed.percent)
  const plain = (text: string) => text.replaceAll(',', '').trim()
  const body = {
    mode,
    operation: fee.operation,
    schedule: {
      flat: plain(typed.flat) || '0',
      basisPoints: points ?? 0,
      floor: plain(typed.floor) || '0',
      cap: plain(typed.cap) === '' ? null : plain(typed.cap),
      tiers: [],
    },
  }
  const field = (name: keyof typeof typed, label: string) => (
    <TextField
      label={label}
      inputMode="decimal"
      value={typed[name]}
      unit={name === 'percent' ? '%' : fee.unit}
      placeholder={name === 'cap' ? t.fees.noCap : '0'}
      onChange={(text) => {
        setTyped({ ...typed, [name]: text })
        setPreview(undefined)
      }}
    />
  )
  return (
    <ConfirmDialog
      title={t.fees.changeTitle(t.fees.operations[fee.operation] ?? fee.operation)}
      confirmLabel={t.fees.save}
      isBusy={saving.isBusy}
      isDisabled={points === undefined || preview === undefined}
      refusal={saving.refusal ?? asking.refusal}
      onClose={onClose}
      onConfirm={async () => {
        if ((await saving.write(path, body)) === undefined) return
        void notify(t.fees.saved)
        onClose()
      }}
    >
      <div className="two-columns">
        {field('flat', t.fees.flat)}
        {field('percent', t.fees.points)}
        {field('floor', t.fees.floor)}
        {field('cap', t.fees.cap)}
      </div>
      {fee.tiers.length > 0 && <Note>{t.fees.tiersKept}</Note>}
      <Button
        isBusy={asking.isBusy}
        isDisabled={points === undefined}
        onClick={async () => {
          const answer = await asking.write(path, { ...body, dryRun: true })
          if (answer) setPreview(answer.preview)
        }}
      >
        {t.fees.preview}
      </Button>
      {preview !== undefined && <Preview preview={preview} />}
    </ConfirmDialog>
  )
}

/** 1.5 % is 150 basis points. Undefined: not a share. */
function toPoints(percent: string): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(percent.trim()) ?? []
  if (whole === '') return percent.trim() === '' ? 0 : undefined
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}

function Preview({ preview }: { preview: FeePreview | null }) {
  if (preview === null) return <p className="soft">{t.fees.previewNever}</p>
  if (preview.totals.length === 0) return <p className="soft">{t.fees.previewNone}</p>
  return (
    <div role="status">
      {preview.totals.map(({ asset, count, feeNow, feeNew, change }) => (
        <dl className="facts" key={asset}>
          <p className="soft small">{t.fees.previewText(count)}</p>
          <div>
            <dt>{t.fees.now}</dt>
            <dd>
              <Money amount={feeNow} asset={asset} />
            </dd>
          </div>
          <div>
            <dt>{t.fees.new}</dt>
            <dd className="bold">
              <Money amount={feeNew} asset={asset} />
            </dd>
          </div>
          <div>
            <dt>{t.fees.difference}</dt>
            <dd>{change}</dd>
          </div>
        </dl>
      ))}
      {preview.isPartial && <p className="soft small">{t.fees.partial}</p>}
    </div>
  )
}
