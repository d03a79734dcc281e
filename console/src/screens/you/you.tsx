import { toList, useRead } from '../../api/reads'
import { useSession } from '../../api/session'
import { useStore } from '../../api/store'
import { useWrite } from '../../api/writes'
import { singleKeys, switchSingleKeys } from '../../frame/keys'
import { frameTexts } from '../../frame/texts'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choices'
import { useColorScheme } from '../../parts/color-scheme'
import { DataTable } from '../../parts/data-table'
import { notify } from '../../parts/notify'
import { Card, Note, PageHead, Skeleton } from '../../parts/page'
import { Segments } from '../../parts/segments'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatWhen } from '../../parts/time-format'
import { WhenRead } from '../../parts/when-read'
import { commonTexts } from '../../texts/common'
import { CodesCard } from './codes'
import type { Factors } from './factors'
import { MailsCard } from './mails'
import { PasskeysCard } from './passkeys'
import { PasswordCard } from './password'
import { youTexts as t } from './texts'
import { TotpCard } from './totp'

export function Screen() {
  const { user, hasSecondFactor, expiresAt } = useSession()
  const read = useRead<Factors>('factors', '/console/session/factors')
  const { data } = read
  const isWeak = data && !data.hasTotp && data.passkeys.length === 0
  return (
    <>
      <PageHead title={t.title} over={`${user.name} · ${user.email}`} />
      {isWeak && <Note>{hasSecondFactor ? t.linked(formatWhen(expiresAt)) : t.weak}</Note>}
      <WhenRead read={read} placeholder={<Skeleton height={240} />}>
        {(factors) => (
          <>
            <PasswordCard factors={factors} />
            <PasskeysCard factors={factors} />
            <TotpCard factors={factors} />
            {!isWeak && <CodesCard factors={factors} />}
          </>
        )}
      </WhenRead>
      <SessionsCard />
      <MailsCard />
      <LookCard />
    </>
  )
}

type OwnSession = {
  id: string
  isCurrent: boolean
  address: string
  browser: string
  createdAt: string
  lastSeenAt: string
}

function SessionsCard() {
  const read = useRead<{ items: OwnSession[] }>('sessions', '/console/session/sessions')
  const { write, isBusy } = useWrite({ method: 'DELETE', reads: ['sessions'] })
  async function end(id: string) {
    const isDone = (await write(`/console/session/sessions/${id}`)) !== undefined
    void notify(isDone ? t.sessions.ended : commonTexts.failed, isDone ? 'good' : 'bad')
  }
  return (
    <Card title={t.sessions.title}>
      <DataTable
        caption={t.sessions.caption}
        list={toList(read)}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          {
            name: 'browser',
            head: t.sessions.browser,
            isGrowing: true,
            phone: 1,
            cell: ({ browser, isCurrent }) => (
              <>
                {browser} {isCurrent && <Chip tone="good">{t.sessions.current}</Chip>}
              </>
            ),
          },
          {
            name: 'address',
            head: t.sessions.address,
            phone: 3,
            cell: ({ address }) => <span className="mono soft">{address}</span>,
          },
          {
            name: 'seen',
            head: t.sessions.seen,
            phone: 2,
            isSoft: true,
            cell: ({ lastSeenAt }) => <Time value={lastSeenAt} />,
          },
          {
            name: 'end',
            head: <span className="hidden">{t.sessions.actions}</span>,
            align: 'end',
            phone: 4,
            cell: ({ id, isCurrent, browser }) =>
              !isCurrent && (
                <Button
                  size="small"
                  label={`${t.sessions.end}: ${browser}`}
                  isDisabled={isBusy}
                  onClick={() => void end(id)}
                >
                  {t.sessions.end}
                </Button>
              ),
          },
        ]}
      />
    </Card>
  )
}

function LookCard() {
  const { colorScheme, setColorScheme } = useColorScheme()
  const hasKeys = useStore(singleKeys)
  return (
    <Card title={t.look.title}>
      <div className="padded stack" style={{ gap: 16 }}>
        <div className="stack" style={{ gap: 6, justifyItems: 'start' }}>
          <span className="small bold" aria-hidden="true">
            {t.look.theme}
          </span>
          <Segments
            label={t.look.theme}
            value={colorScheme}
            options={frameTexts.themes}
            onChange={setColorScheme}
          />
        </div>
        <Switch
          label={t.look.keys}
          description={t.look.keysHint}
          isOn={hasKeys}
          onChange={switchSingleKeys}
        />
      </div>
    </Card>
  )
}
