import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Case } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { Reference } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Notes } from '../../parts/notes'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { ResourceTimeline } from '../../parts/resource-timeline'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { path } from './case'
import { EditCase } from './case-form'
import { CaseItems } from './case-items'
import { Deadline } from './deadline'
import { CloseCase, ReopenCase } from './end-dialogs'
import { caseTexts } from './texts'

const words = caseTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const read = useRead<Case>('case', `${path}/${reference}`)
  return (
    <ResourcePage path={`${path}/${reference}`} read={read} heights={[220, 300]}>
      {(shown) => <CasePage shown={shown} />}
    </ResourcePage>
  )
}

function CasePage({ shown }: { shown: Case }) {
  const { reference, title, kind, status, description, outcome, outcomeNote } = shown
  useEffect(() => noteRecent({ path: `/cases/${reference}`, title }), [reference, title])
  return (
    <>
      <PageHead
        parent={{
          to: '/cases',
          label: caseTexts.title,
          current: <Reference value={reference} />,
        }}
        title={title}
        beside={
          <>
            <Status of="case" value={status} />
            <span className="soft">{caseTexts.kinds[kind]}</span>
          </>
        }
        actions={<Actions shown={shown} />}
      />
      {status === 'OVERDUE' && (
        <Note tone="bad" icon="clock" title={words.overdueTitle}>
          <p>{words.overdueText}</p>
        </Note>
      )}
      {outcome && (
        <Note tone="calm" icon="check" title={words.closedTitle(caseTexts.outcomes[outcome])}>
          {outcomeNote && <p className="said">{outcomeNote}</p>}
        </Note>
      )}
      <div className="with-aside">
        <div className="stack">
          {description && (
            <Card title={words.description}>
              <p className="said padded">{description}</p>
            </Card>
          )}
          <CaseItems shown={shown} />
          <ResourceTimeline reference={reference} />
        </div>
        <div className="stack">
          <CaseFacts shown={shown} />
          <Notes path={`${path}/${reference}/notes`} />
        </div>
      </div>
    </>
  )
}

function CaseFacts({ shown }: { shown: Case }) {
  const { kind, externalReference, deadline, assignee, createdBy, createdAt, closedAt } = shown
  return (
    <JsonCard title={words.case} value={shown} words={words}>
      <Facts>
        <Fact name={words.kind}>{caseTexts.kinds[kind]}</Fact>
        <Fact name={words.external}>{externalReference}</Fact>
        <Fact name={words.deadline}>{deadline && <Deadline value={deadline} />}</Fact>
        <Fact name={words.assignee}>{assignee?.name}</Fact>
        <Fact name={words.openedBy}>
          {createdBy && (createdBy.kind === 'key' ? words.key(createdBy.name) : createdBy.name)}
        </Fact>
        <Fact name={words.created}>
          <Time value={createdAt} />
        </Fact>
        <Fact name={words.closed}>{closedAt && <Time value={closedAt} />}</Fact>
      </Facts>
    </JsonCard>
  )
}

function Actions({ shown }: { shown: Case }) {
  const mayChange = useMay('cases.change')
  const [opened, setOpened] = useState<'edit' | 'close' | 'reopen' | null>(null)
  const close = () => setOpened(null)
  if (!mayChange) return null
  return (
    <>
      {shown.status === 'CLOSED' ? (
        <Button icon="redo" onClick={() => setOpened('reopen')}>
          {words.reopen}
        </Button>
      ) : (
        <>
          <Button onClick={() => setOpened('edit')}>{words.edit}</Button>
          <Button kind="primary" icon="check" onClick={() => setOpened('close')}>
            {words.close}
          </Button>
        </>
      )}
      {opened === 'edit' && <EditCase shown={shown} onClose={close} />}
      {opened === 'close' && <CloseCase reference={shown.reference} onClose={close} />}
      {opened === 'reopen' && <ReopenCase reference={shown.reference} onClose={close} />}
    </>
  )
}
