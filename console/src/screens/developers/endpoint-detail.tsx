import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  WebhookEndpoint,
  WebhookEndpointStats,
  WebhookEndpointWithSecret,
} from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Reference } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Fact, Facts, Note } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Segments } from '../../parts/segments'
import { Time } from '../../parts/time'
import { formatUtc } from '../../parts/time-format'
import { EndpointDeliveries } from './endpoint-deliveries'
import { EndpointForm } from './endpoint-form'
import { RecoverDialog } from './recover-dialog'
import { developerTexts } from './texts'
import { nodeSample, pythonSample } from './verify-samples'

const words = developerTexts.webhooks
const tabs = ['deliveries', 'settings', 'secret', 'verify'] as const

type Props = { endpoint: WebhookEndpoint; onSecret: (secret: string) => void }

/** An endpoint that fails for this long is switched off. */
const failingMaxMs = 5 * 24 * 3_600_000

export function EndpointDetail({ endpoint, onSecret }: Props) {
  const [tab, setTab] = useState<(typeof tabs)[number]>('deliveries')
  return (
    <>
      <Trouble endpoint={endpoint} />
      <section className="card">
        <div className="tab-bar" role="tablist" aria-label={endpoint.url} style={{ paddingTop: 4 }}>
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              aria-selected={tab === name}
              className={tab === name ? 'selected' : ''}
              onClick={() => setTab(name)}
            >
              {words.tabs[name]}
            </button>
          ))}
        </div>
        <div role="tabpanel" aria-label={words.tabs[tab]}>
          {tab === 'deliveries' && <EndpointDeliveries endpointId={endpoint.id} />}
          {tab === 'settings' && <Settings endpoint={endpoint} />}
          {tab === 'secret' && <Secret endpoint={endpoint} onSecret={onSecret} />}
          {tab === 'verify' && <Verify />}
        </div>
      </section>
    </>
  )
}

/** Says what is wrong with an endpoint that fails or is off, and offers to send what it missed. */
function Trouble({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, url, enabled, failingSince, createdAt } = endpoint
  const mayChange = useMay('developers.change')
  const [isRecovering, setRecovering] = useState(false)
  const stats = useRead<WebhookEndpointStats>('stats', `/v1/webhook-endpoints/${id}/stats`).data
  const undelivered = stats?.undelivered
  const since = stats?.undeliveredSince ?? failingSince ?? createdAt
  const { write, isBusy, refusal } = useWrite({ method: 'PATCH', reads: ['endpoints'] })
  const enable = async () => {
    const changed = await write(`/v1/webhook-endpoints/${id}`, { enabled: true })
    if (changed) void notify(words.enabled)
  }
  const recover = isRecovering && (
    <RecoverDialog endpointId={id} since={since} onClose={() => setRecovering(false)} />
  )
  if (!enabled)
    return (
      <Note tone="calm">
        <div className="row wrap spread">
          <p>{words.offText}</p>
          {mayChange && (
            <Button size="small" isBusy={isBusy} onClick={() => void enable()}>
              {words.enable}
            </Button>
          )}
        </div>
        <Refusal error={refusal} />
      </Note>
    )
  if (!failingSince) return null
  const lastDay = formatUtc(new Date(Date.parse(failingSince) + failingMaxMs).toISOString())
  return (
    <Note tone="bad" title={words.failedSince(new URL(url).host, formatUtc(failingSince))}>
      <div className="row wrap spread">
        <p style={{ flex: '1 1 320px' }}>{words.failingText(undelivered, lastDay)}</p>
        {mayChange && (
          <Button size="small" onClick={() => setRecovering(true)}>
            {undelivered ? words.resendAll(undelivered) : words.resendMissed}
          </Button>
        )}
      </div>
      {recover}
    </Note>
  )
}

function Settings({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, url, description, events, enabled, publicKey, createdAt } = endpoint
  const navigate = useNavigate()
  const mayChange = useMay('developers.change')
  const mayRoute = useMay('endpoints.change')
  const [opened, setOpened] = useState<'edit' | 'disable' | 'remove' | 'recover' | null>(null)
  const path = `/v1/webhook-endpoints/${id}`
  const change = useWrite({ method: 'PATCH', reads: ['endpoints'] })
  const remove = useWrite({ method: 'DELETE', reads: ['endpoints'] })
  const close = () => setOpened(null)
  const turn = async (isEnabled: boolean) => {
    if ((await change.write(path, { enabled: isEnabled })) === undefined) return
    close()
    void notify(isEnabled ? words.enabled : words.disabled)
  }
  const erase = async () => {
    if ((await remove.write(path)) === undefined) return
    close()
    void notify(words.removed)
    void navigate({ to: '/webhooks' })
  }
  return (
    <>
      <Facts>
        <Fact name={words.facts.url}>{url}</Fact>
        <Fact name={words.facts.description}>{description}</Fact>
        <Fact name={words.facts.events}>
          <span className="mono">{events.join(', ')}</span>
        </Fact>
        <Fact name={words.facts.id}>
          <Reference value={id} />
        </Fact>
        <Fact name={words.facts.created}>
          <Time value={createdAt} show="utc" />
        </Fact>
        <Fact name={words.facts.publicKey}>
          <Reference value={publicKey} />
        </Fact>
      </Facts>
      {mayChange && (
        <div className="row wrap padded top-line">
          {mayRoute && (
            <Button size="small" onClick={() => setOpened('edit')}>
              {words.edit}
            </Button>
          )}
          {enabled && (
            <Button size="small" icon="redo" onClick={() => setOpened('recover')}>
              {words.resendMissed}
            </Button>
          )}
          {enabled ? (
            <Button size="small" onClick={() => setOpened('disable')}>
              {words.disable}
            </Button>
          ) : (
            <Button size="small" isBusy={change.isBusy} onClick={() => void turn(true)}>
              {words.enable}
            </Button>
          )}
          <Button size="small" kind="danger" onClick={() => setOpened('remove')}>
            {words.remove}
          </Button>
        </div>
      )}
      {opened === null && change.refusal && (
        <div className="padded no-top-padding">
          <Refusal error={change.refusal} />
        </div>
      )}
      {opened === 'edit' && <EndpointForm endpoint={endpoint} onClose={close} />}
      {opened === 'recover' && <RecoverDialog endpointId={id} since={createdAt} onClose={close} />}
      {opened === 'disable' && (
        <ConfirmDialog
          title={words.disableTitle}
          confirmLabel={words.disable}
          isBusy={change.isBusy}
          refusal={change.refusal}
          onConfirm={() => void turn(false)}
          onClose={close}
        >
          <p>{words.disableText}</p>
        </ConfirmDialog>
      )}
      {opened === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle}
          confirmLabel={words.remove}
          isDangerous
          isBusy={remove.isBusy}
          refusal={remove.refusal}
          onConfirm={() => void erase()}
          onClose={close}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function Secret({ endpoint, onSecret }: Props) {
  const mayChange = useMay('developers.change')
  const [isAsking, setAsking] = useState(false)
  const { write, isBusy, refusal } = useWrite<WebhookEndpointWithSecret>()
  const rotate = async () => {
    const rotated = await write(`/v1/webhook-endpoints/${endpoint.id}/rotate-secret`)
    if (!rotated) return
    setAsking(false)
    onSecret(rotated.secret)
  }
  return (
    <div className="padded stack">
      <p className="soft">{words.secret.text}</p>
      {mayChange && (
        <p>
          <Button icon="key" onClick={() => setAsking(true)}>
            {words.secret.rotate}
          </Button>
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title={words.secret.rotateTitle}
          confirmLabel={words.secret.rotate}
          isBusy={isBusy}
          refusal={refusal}
          onConfirm={() => void rotate()}
          onClose={() => setAsking(false)}
        >
          <p>{words.secret.rotateText}</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

const samples = { 'Node.js': nodeSample, Python: pythonSample }
type Language = keyof typeof samples

function Verify() {
  const [language, setLanguage] = useState<Language>('Node.js')
  return (
    <div className="padded stack">
      <p className="soft">{words.verifyText}</p>
      <div>
        <Segments
          label={words.tabs.verify}
          value={language}
          options={Object.keys(samples) as Language[]}
          onChange={setLanguage}
        />
      </div>
      <CopyBlock text={samples[language]} label={words.tabs.verify} />
    </div>
  )
}
