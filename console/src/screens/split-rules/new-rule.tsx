import { useNavigate } from '@tanstack/react-router'
import type { SplitRule } from '../../../../sdk/src/types'
import { useWrite } from '../../api/writes'
import { notify } from '../../parts/notify'
import { PageHead } from '../../parts/page'
import { RuleForm } from './rule-form'
import { splitTexts } from './texts'

const words = splitTexts.form

export function Screen() {
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<SplitRule>({
    isKeyed: false,
    reads: ['pages', 'split rules'],
  })
  const save = async (body: object) => {
    const made = await write('/v1/split-rules', body)
    if (!made) return
    void notify(words.created)
    await navigate({ to: `/subaccounts/rules/${made.reference}` })
  }
  return (
    <RuleForm
      head={
        <PageHead
          title={words.newTitle}
          parent={{ to: '/subaccounts/rules', label: splitTexts.title, current: words.newCrumb }}
        />
      }
      saveLabel={words.save}
      isBusy={isBusy}
      refusal={refusal}
      onSave={(body) => void save(body)}
    />
  )
}
