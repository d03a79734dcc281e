import { useParams } from '@tanstack/react-router'
import type { MailWithContent } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { ResourcePage } from '../../frame/resource-page'
import { Reference } from '../../parts/identifiers'
import { Card, Fact, Facts, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { MailState } from './mail-state'
import { mailTexts } from './texts'

const words = mailTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/mails/${reference}`
  const read = useRead<MailWithContent>('mail', path)
  return (
    <ResourcePage path={path} read={read} heights={[320]} isWide>
      {(mail) => <MailPage mail={mail} />}
    </ResourcePage>
  )
}

/** The text, not the HTML: a page of the console takes no styles of others. */
function MailPage({ mail }: { mail: MailWithContent }) {
  const { reference, subject, status, recipient, kind, attempts, lastError } = mail
  return (
    <>
      <PageHead
        parent={{
          to: '/mails',
          label: mailTexts.title,
          current: <Reference value={reference} />,
        }}
        title={subject}
        beside={<MailState value={status} />}
      />
      <div className="with-aside wide-aside">
        <Card title={words.preview}>
          <div className="padded" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {mail.text}
          </div>
        </Card>
        <Card title={words.mail}>
          <Facts>
            <Fact name={words.state}>{mailTexts.about[status]}</Fact>
            <Fact name={words.to}>{recipient}</Fact>
            <Fact name={words.kind}>{mailTexts.kinds[kind]}</Fact>
            <Fact name={words.attempts}>{attempts}</Fact>
            <Fact name={words.error}>{lastError}</Fact>
            <Fact name={words.written}>
              <Time value={mail.createdAt} />
            </Fact>
            <Fact name={words.sent}>{mail.sentAt && <Time value={mail.sentAt} />}</Fact>
          </Facts>
        </Card>
      </div>
    </>
  )
}
