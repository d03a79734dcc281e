import { type ReactNode, useState } from 'react'
import type { Settings as SettingsShape } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { Form } from '../../parts/form'
import { notify } from '../../parts/notify'
import { Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { commonTexts } from '../../texts/common'
import { settingTexts } from './texts'

export type Settings = SettingsShape

type SettingsPatch = { [Name in keyof Settings]?: object }

export const useSettings = () => useRead<Settings>('settings', '/v1/settings')

type FormProps<Fields> = {
  saved: Fields
  /** Turns what is typed into what the API takes. */
  toPatch: (fields: Fields) => SettingsPatch
  atFields?: string[]
  children: (form: FieldsOf<Fields>) => ReactNode
}

export type FieldsOf<Fields> = {
  fields: Fields
  change: (changed: Partial<Fields>) => void
  isDisabled: boolean
  issueOf: (field: string) => string | undefined
}

/** Fields that are kept in the browser until they are saved together. */
export function SettingsForm<Fields extends object>(props: FormProps<Fields>) {
  const { saved, toPatch, atFields = [], children } = props
  const mayChange = useMay('settings.change')
  const [typed, setTyped] = useState<Partial<Fields>>({})
  const { write, isBusy, refusal } = useWrite<Settings>({ method: 'PATCH', reads: ['settings'] })
  const fields = { ...saved, ...typed }
  const isChanged = JSON.stringify(toPatch(fields)) !== JSON.stringify(toPatch(saved))

  async function save() {
    if (!(await write('/v1/settings', toPatch(fields)))) return
    setTyped({})
    void notify(settingTexts.saved)
  }

  return (
    <Form onSubmit={() => void save()}>
      {!mayChange && <Note tone="calm" title={settingTexts.readOnly} />}
      {children({
        fields,
        change: (changed) => setTyped({ ...typed, ...changed }),
        isDisabled: !mayChange,
        issueOf: (field) => refusal?.issueOf(field),
      })}
      <Refusal error={refusal} atFields={atFields} />
      {mayChange && (
        <div className="row wrap">
          <Button type="submit" kind="primary" isBusy={isBusy} isDisabled={!isChanged}>
            {commonTexts.save}
          </Button>
          {isChanged && (
            <>
              <Button onClick={() => setTyped({})}>{settingTexts.discard}</Button>
              <span className="soft small">{settingTexts.unsaved}</span>
            </>
          )}
        </div>
      )}
    </Form>
  )
}
