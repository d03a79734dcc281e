import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { SplitRule } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { ResourcePage } from '../../frame/resource-page'
import { notify } from '../../parts/notify'
import { PageHead } from '../../parts/page'
import { RuleForm } from './rule-form'
import { splitTexts } from './texts'

const words = splitTexts.form

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/split-rules/${reference}`
  const read = useRead<SplitRule>('split rule', path)
  return (
    <ResourcePage path={path} read={read} heights={[120, 300]} isWide>
      {(rule) => <ChangeRule rule={rule} />}
    </ResourcePage>
  )
}

function ChangeRule(props: { rule: SplitRule }) {
  // As it was when the form opened: a reload must not change what is being typed.
  const [rule] = useState(props.rule)
  const { reference, name, version } = rule
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<SplitRule>({
    isKeyed: false,
    reads: ['split rule', 'pages', 'split rules'],
  })
  const save = async (body: object) => {
    const changed = await write(`/v1/split-rules/${reference}/versions`, body)
    if (!changed) return
    void notify(words.changed(changed.version))
    await navigate({ to: `/subaccounts/rules/${reference}` })
  }
  return (
    <RuleForm
      rule={rule}
      head={
        <PageHead
          title={words.changeTitle(name)}
          under={words.changeText(version + 1)}
          parent={{
            to: `/subaccounts/rules/${reference}`,
            label: name,
            current: words.changeCrumb,
          }}
        />
      }
      saveLabel={words.saveVersion}
      isBusy={isBusy}
      refusal={refusal}
      onSave={(body) => void save(body)}
    />
  )
}
