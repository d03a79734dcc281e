import { useState } from 'react'
import type { OperatorFreeze, Rails } from '../../api/answers'
import { useRead } from '../../api/reads'
import { SelectField, TextField } from '../../parts/fields'
import { ReasonDialog } from './reason-dialog'
import { operatorTexts as t } from './texts'

type Kind = OperatorFreeze['kind']

type Props = {
  /** The merchant whose page opens it; absent: the operator names one. */
  merchant?: { id: string; name: string }
  onClose: () => void
}

/** Refuses payouts at once; two operators thaw. Only a rail is frozen for all merchants. */
export function FreezeDialog({ merchant, onClose }: Props) {
  const [kind, setKind] = useState<Kind>('merchant')
  const [mode, setMode] = useState<'live' | 'test'>('live')
  const [typedMerchant, setMerchant] = useState('')
  const [typedSubject, setSubject] = useState('')
  const rails = useRead<Rails>('rails', '/operator/v1/rails').data?.items ?? []
  const named = merchant?.id ?? typedMerchant.trim()
  const subject = typedSubject.trim()
  const isOfOne = named !== ''
  const body = {
    kind,
    mode,
    ...(isOfOne && { merchant: named }),
    ...(kind !== 'merchant' && { subject }),
  }
  return (
    <ReasonDialog
      title={merchant ? t.freezes.createTitle(merchant.name) : t.freezes.create}
      text={t.freezes.text}
      confirmLabel={t.freezes.freeze}
      path="/operator/v1/freezes"
      hint={t.freezes.reasonHint}
      reads={['operator freezes']}
      done={t.freezes.done}
      body={body}
      isDangerous
      isIncomplete={(kind !== 'rail' && !isOfOne) || (kind !== 'merchant' && subject === '')}
      onClose={onClose}
    >
      {!merchant && (
        <TextField
          label={t.freezes.merchant}
          description={kind === 'rail' ? t.freezes.merchantHint : undefined}
          value={typedMerchant}
          onChange={setMerchant}
        />
      )}
      <div className="two-columns">
        <SelectField
          label={t.freezes.what}
          options={t.freezes.kinds}
          value={kind}
          onChange={(chosen) => {
            setKind(chosen)
            setSubject('')
          }}
        />
        <SelectField
          label={t.mode}
          options={['live', 'test']}
          isDisabled={!isOfOne}
          value={mode}
          onChange={setMode}
        />
      </div>
      {kind === 'rail' && (
        <SelectField
          label={t.rail}
          options={rails.map(({ rail }) => rail)}
          value={subject || null}
          onChange={setSubject}
        />
      )}
      {kind !== 'merchant' && kind !== 'rail' && (
        <TextField label={t.freezes.subjects[kind]} value={typedSubject} onChange={setSubject} />
      )}
    </ReasonDialog>
  )
}
