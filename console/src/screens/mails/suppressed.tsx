import type { MailSuppression } from '../../../../sdk/src/types'
import { toList, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { notify } from '../../parts/notify'
import { Card, EmptyState, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { commonTexts } from '../../texts/common'
import { MailTabs } from './mail-tabs'
import { mailTexts } from './texts'

const words = mailTexts.suppressed
const path = '/v1/mail-suppressions'

export function Screen() {
  const mayRemove = useMay('settings.change')
  const read = useRead<{ items: MailSuppression[] }>('suppressions', path, { limit: '100' })
  const { write, isBusy } = useWrite({ method: 'DELETE', reads: ['suppressions'] })
  async function remove(reference: string) {
    const isDone = (await write(`${path}/${reference}`)) !== undefined
    void notify(isDone ? words.removed : commonTexts.failed, isDone ? 'good' : 'bad')
  }
  return (
    <>
      <PageHead title={mailTexts.title} tab={`${mailTexts.tabs.suppressed} · ${mailTexts.title}`} />
      <MailTabs />
      <Card>
        <DataTable
          caption={words.caption}
          list={toList(read)}
          keyOf={({ reference }) => reference}
          empty={<EmptyState icon="mail">{words.empty}</EmptyState>}
          foot={words.text}
          columns={[
            {
              name: 'address',
              head: words.address,
              isGrowing: true,
              phone: 1,
              cell: ({ address }) => address,
            },
            {
              name: 'reason',
              head: words.reason,
              phone: 2,
              cell: ({ reason }) => words.reasons[reason],
            },
            {
              name: 'detail',
              head: words.detail,
              isWideOnly: true,
              cell: ({ detail }) => <span className="soft small">{detail}</span>,
            },
            {
              name: 'since',
              head: words.since,
              phone: 3,
              isSoft: true,
              cell: ({ createdAt }) => <Time value={createdAt} />,
            },
            {
              name: 'remove',
              head: <span className="hidden">{words.actions}</span>,
              align: 'end',
              phone: 4,
              cell: ({ reference, address }) =>
                mayRemove && (
                  <Button
                    size="small"
                    label={`${words.remove}: ${address}`}
                    isDisabled={isBusy}
                    onClick={() => void remove(reference)}
                  >
                    {words.remove}
                  </Button>
                ),
            },
          ]}
        />
      </Card>
    </>
  )
}
