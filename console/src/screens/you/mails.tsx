import { useRead } from '../../api/reads'
import { useWrite } from '../../api/writes'
import { Switch } from '../../parts/choices'
import { notify } from '../../parts/notify'
import { Card, Skeleton } from '../../parts/page'
import { WhenRead } from '../../parts/when-read'
import { commonTexts } from '../../texts/common'
import { youTexts } from './texts'

const words = youTexts.mails
const path = '/console/session/mail-preferences'

type Preference = { kind: string; title: string; isOn: boolean }

/** Which mails the user gets. */
export function MailsCard() {
  const read = useRead<{ items: Preference[] }>('mail preferences', path)
  const { write, isBusy } = useWrite({ method: 'PATCH', reads: ['mail preferences'] })
  async function change(kind: string, isOn: boolean) {
    if ((await write(path, { kind, isOn })) === undefined) void notify(commonTexts.failed, 'bad')
  }
  return (
    <Card title={words.title}>
      <WhenRead read={read} placeholder={<Skeleton height={160} />}>
        {({ items }) => (
          <div className="padded stack" style={{ gap: 12 }}>
            <p className="soft small">{words.text}</p>
            {items.map(({ kind, title, isOn }) => (
              <Switch
                key={kind}
                label={title}
                isOn={isOn}
                isDisabled={isBusy}
                onChange={(next) => void change(kind, next)}
              />
            ))}
          </div>
        )}
      </WhenRead>
    </Card>
  )
}
