import type { Operator } from '../../api/answers'
import { toList, useRead } from '../../api/reads'
import { CopyBlock } from '../../parts/code'
import { DataTable } from '../../parts/data-table'
import { Card, EmptyState, Note, PageHead } from '../../parts/page'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { operatorTexts as t } from './texts'
import './operator.css'

export function Screen() {
  const read = useRead<{ items: Operator[] }>('operators', '/operator/v1/operators')
  const active = read.data?.items.filter(({ disabledAt }) => disabledAt === null)
  return (
    <>
      <PageHead title={t.operators.title} />
      {active?.length === 1 && <Note>{t.operators.alone}</Note>}
      <Card>
        <DataTable
          caption={t.operators.caption}
          list={toList(read)}
          keyOf={({ id }) => id}
          empty={<EmptyState icon="users">{t.nothing}</EmptyState>}
          columns={[
            {
              name: 'name',
              head: t.operators.name,
              phone: 1,
              isGrowing: true,
              cell: ({ name, isYou }) => (
                <>
                  <b>{name}</b> {isYou && <span className="soft">({t.operators.you})</span>}
                </>
              ),
            },
            {
              name: 'email',
              head: t.operators.email,
              phone: 3,
              cell: ({ email }) => <span className="soft">{email}</span>,
            },
            {
              name: 'state',
              head: t.state,
              phone: 2,
              cell: ({ disabledAt }) => (
                <Chip tone={disabledAt ? 'calm' : 'good'}>
                  {disabledAt ? t.operators.disabled : t.operators.active}
                </Chip>
              ),
            },
            {
              name: 'seen',
              head: t.operators.lastSeen,
              align: 'end',
              isWideOnly: true,
              cell: ({ lastSeenAt }) => (
                <span className="soft">{lastSeenAt ? <Time value={lastSeenAt} /> : t.never}</span>
              ),
            },
          ]}
        />
      </Card>
      <Card isPadded>
        <p className="soft" style={{ marginBottom: 10 }}>
          {t.operators.invite}
        </p>
        <CopyBlock text={t.operators.command} />
      </Card>
    </>
  )
}
