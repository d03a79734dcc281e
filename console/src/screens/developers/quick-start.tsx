import type { CheckoutSession, WebhookEvent } from '../../../../sdk/src/types'
import { Segments } from '../../parts/segments'
import { commonTexts } from '../../texts/common'
import { keyTexts } from './key-texts'
import './deliveries.css'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call'
import { type Page, usePages, useRead } from '../../api/reads'
import { ApiRefusal } from '../../api/refusal'
import { useScope, writeScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { CopyBlock, JsonView } from '../../parts/code'
import { Card, EmptyState, Note, PageHead } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { type ApiKey, isForExamples, type ShownKey } from './api-key'
import { type Example, type Language, writeExample } from './examples'

const words = keyTexts.quick
const placeholder = 'sk_test_…'
const amount = 1_250_000

export function Screen() {
  const { merchant, mode } = useScope()
  return (
    <>
      <PageHead title={words.title} under={words.intro} />
      {mode === 'test' ? (
        <Steps />
      ) : (
        <Card>
          <EmptyState
            icon="code"
            action={
              <Button kind="primary" onClick={() => writeScope({ merchant, mode: 'test' })}>
                {commonTexts.otherMode('test')}
              </Button>
            }
          >
            {words.liveText}
          </EmptyState>
        </Card>
      )}
    </>
  )
}

function Steps() {
  const mayReveal = useMay('keys.change')
  const keys = usePages<ApiKey>('/v1/api-keys', {}, { limit: 100, isEnabled: mayReveal })
  const usable = keys.rows.find(isForExamples)
  const [language, setLanguage] = useState<Language>('curl')
  const [shown, setShown] = useState<ShownKey | null>(null)
  const [session, setSession] = useState<CheckoutSession | null>(null)
  const reveal = useWrite<ShownKey>({ isKeyed: false })
  const create = useWrite<ShownKey>()

  /** The key, shown if it was not yet. */
  async function findKey(): Promise<string | undefined> {
    if (shown) return shown.key
    const found = usable && (await reveal.write(`/v1/api-keys/${usable.id}/reveal`))
    if (found) setShown(found)
    return found?.key
  }

  async function makeKey() {
    const made = await create.write('/v1/api-keys', { name: words.title, kind: 'secret' })
    if (!made) return
    setShown(made)
    keys.retry()
  }

  const canRun = mayReveal && (usable !== undefined || shown !== null)
  const tools = { language, keyText: shown?.key ?? placeholder, canRun, findKey }
  const accountNumber = session?.bankTransfer?.accountNumber
  return (
    <>
      {keys.error && <ErrorState error={keys.error} retry={keys.retry} />}
      <div className="row wrap spread">
        <Segments
          label={words.title}
          value={language}
          options={words.languages}
          onChange={setLanguage}
        />
        {shown && (
          <span className="soft small">
            {words.usesKey} <span className="mono">{shown.hint}</span>
          </span>
        )}
      </div>
      {canRun && !shown && (
        <Note tone="calm" icon="key" title={words.show}>
          <p>{words.showHint}</p>
          <p style={{ marginTop: 10 }}>
            <Button size="small" isBusy={reveal.isBusy} onClick={() => void findKey()}>
              {words.show}
            </Button>
          </p>
          <Refusal error={reveal.refusal} />
        </Note>
      )}
      {mayReveal && !keys.isLoading && !keys.error && !canRun && (
        <Note tone="warn" icon="key" title={words.noKey}>
          <p>{words.noKeyText}</p>
          <p style={{ marginTop: 10 }}>
            <Button
              kind="primary"
              size="small"
              isBusy={create.isBusy}
              onClick={() => void makeKey()}
            >
              {words.createKey}
            </Button>
          </p>
          <Refusal error={create.refusal} />
        </Note>
      )}
      <Step
        {...tools}
        {...words.steps.balances}
        example={{ method: 'GET', path: '/v1/balances' }}
      />
      <Step
        {...tools}
        {...words.steps.session}
        example={{
          method: 'POST',
          path: '/v1/checkout/sessions',
          body: {
            amount,
            description: 'Two loaves of agege bread',
            customer: { name: 'Ada Obi', email: 'ada@example.com' },
          },
        }}
        onAnswer={(data) => setSession(data as CheckoutSession)}
        beside={
          session && (
            <Button size="small" icon="external" href={session.url}>
              {words.steps.session.open}
            </Button>
          )
        }
      />
      <Step
        {...tools}
        {...words.steps.pay}
        hasEvent
        isWaiting={accountNumber === undefined}
        hint={words.steps.pay.first}
        example={{
          method: 'POST',
          path: '/v1/test/bank-transfers',
          body: { accountNumber: accountNumber ?? '0000014572', amount },
        }}
      />
      <Card title={words.next} layout="form">
        <p className="soft">{words.nextText}</p>
        <CopyBlock text="npx manilla listen" />
      </Card>
    </>
  )
}

type StepProps = {
  title: string
  text: string
  example: Example
  language: Language
  keyText: string
  canRun: boolean
  findKey: () => Promise<string | undefined>
  /** Whether an event follows. */
  hasEvent?: boolean
  /** Needs the answer of an earlier step. */
  isWaiting?: boolean
  hint?: string
  beside?: ReactNode
  onAnswer?: (data: unknown) => void
}

/** `eventBefore` is the newest event before the call. */
type Run = { status: number; json: unknown; eventBefore: string | undefined }

function Step(props: StepProps) {
  const { title, text, example, language, keyText, canRun, findKey, ...more } = props
  const { hasEvent = false, isWaiting = false, hint, beside, onAnswer } = more
  const client = useQueryClient()
  const [idempotencyKey, setIdempotencyKey] = useState<string>(() => crypto.randomUUID())
  const [isBusy, setBusy] = useState(false)
  const [run, setRun] = useState<Run | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const { origin } = window.location

  /** With the key alone, as a server would: the cookie is not sent. */
  async function send() {
    const key = await findKey()
    if (key === undefined) return
    setBusy(true)
    setFailure(null)
    try {
      const eventBefore = hasEvent ? await findNewestEvent() : undefined
      const response = await fetch(example.path, {
        method: example.method,
        credentials: 'omit',
        headers: {
          authorization: `Bearer ${key}`,
          ...(example.body && {
            'content-type': 'application/json',
            'idempotency-key': idempotencyKey,
          }),
        },
        ...(example.body && { body: JSON.stringify(example.body) }),
      })
      const json = (await response.json()) as { data?: unknown }
      setRun({ status: response.status, json, eventBefore })
      setIdempotencyKey(crypto.randomUUID())
      if (response.ok) onAnswer?.(json.data)
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === 'quick-event' })
    } catch {
      const message = commonTexts.unreachable
      setFailure(new ApiRefusal({ status: 0, code: 'unreachable', message }))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Card
      title={title}
      aside={
        <span className="row">
          {beside}
          {canRun && (
            <Button
              kind="primary"
              size="small"
              icon="play"
              isBusy={isBusy}
              isDisabled={isWaiting}
              onClick={() => void send()}
              label={`${words.run}: ${title}`}
            >
              {isBusy ? words.running : words.run}
            </Button>
          )}
        </span>
      }
      layout="form"
    >
      <p className="soft">{isWaiting && hint ? hint : text}</p>
      <CopyBlock
        text={writeExample(language, example, { key: keyText, origin, idempotencyKey })}
        label={title}
      />
      <Refusal error={failure} />
      {run && (
        <div className={hasEvent ? 'two-columns answers' : ''}>
          <div className="form" style={{ gap: 8 }}>
            <h3 className="row">
              {words.answer}
              <Chip tone={run.status < 400 ? 'good' : 'bad'}>{run.status}</Chip>
            </h3>
            <JsonView value={run.json} label={`${words.answer}: ${title}`} />
          </div>
          {hasEvent && <EventAfter step={title} eventBefore={run.eventBefore} />}
        </div>
      )}
    </Card>
  )
}

async function findNewestEvent(): Promise<string | undefined> {
  const { items } = await call<Page<WebhookEvent>>('/v1/events', { query: { limit: 1 } })
  return items[0]?.id
}

/** The newest event since the call, as a webhook would carry it. */
function EventAfter({ step, eventBefore }: Pick<Run, 'eventBefore'> & { step: string }) {
  const { data } = useRead<Page<WebhookEvent>>('quick-event', '/v1/events', { limit: 1 })
  const newest = data?.items[0]
  const isNew = newest && newest.id !== eventBefore
  return (
    <div className="form" style={{ gap: 8 }}>
      <h3 className="row">
        {words.event}
        {isNew && <Chip tone="brand">{newest.type}</Chip>}
      </h3>
      {isNew ? (
        <JsonView value={newest} label={`${words.event}: ${step}`} />
      ) : (
        <p className="soft small">{words.noEvent}</p>
      )}
    </div>
  )
}
