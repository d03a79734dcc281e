import './collect.css'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { CheckoutSession, PaymentLink } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { JsonView } from '../../parts/code'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Copy, CopyLink } from '../../parts/copy'
import { DataTable } from '../../parts/data-table'
import { Reference } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Fact, Facts, PageHead, Skeleton } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { columns } from './columns'
import { apiPaths, paymentLinksApi, paymentLinksPath } from './kinds'
import { LinkForm } from './link-form'
import { LinkPrice } from './link-price'
import { LinkState } from './link-state'
import { linkTexts as words } from './link-texts'
import { Qr } from './qr'
import { collectTexts } from './texts'

/** One payment link, with the payment pages that payers opened through it. */
export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `${paymentLinksApi}/${reference}`
  const { data: link, error, refetch, isPending } = useRead<PaymentLink>('payment link', path)
  return (
    <>
      <PageHead
        title={link ? link.description : words.create}
        tab={words.create}
        parent={{ to: paymentLinksPath, label: words.title, current: reference }}
        beside={link && <LinkState value={link.status} />}
        actions={link && <Actions link={link} path={path} />}
      />
      {error && !link && (
        <Card>
          <ErrorState error={error} retry={() => void refetch()} />
        </Card>
      )}
      {isPending && <Skeleton height={320} />}
      {link && (
        <div className="with-aside wide-aside">
          <Sessions reference={link.reference} />
          <div className="stack">
            <Scan link={link} />
            <Card title={words.facts.title}>
              <Facts>
                <LinkFacts link={link} />
              </Facts>
            </Card>
          </div>
        </div>
      )}
      {link && (
        <Card title={collectTexts.answer}>
          <div className="padded" style={{ paddingTop: 0 }}>
            <JsonView value={link} label={collectTexts.answer} />
          </div>
        </Card>
      )}
    </>
  )
}

function Sessions({ reference }: { reference: string }) {
  const list = usePages<CheckoutSession>(apiPaths.links, { paymentLink: reference })
  return (
    <Card title={words.sessions}>
      <DataTable
        caption={words.sessions}
        columns={columns.links}
        list={list}
        keyOf={(session) => session.reference}
        pathOf={(session) => `/collect/links/${session.reference}`}
        empty={<EmptyState icon="link">{words.noSessions}</EmptyState>}
      />
    </Card>
  )
}

function Scan({ link: { url, qrCode, slug } }: { link: PaymentLink }) {
  return (
    <Card title={collectTexts.qr}>
      <div className="qr-box">
        <Qr text={url} />
        <p className="soft small">{words.scan}</p>
        <p className="small break-anywhere">
          <Copy text={url}>{url}</Copy>
        </p>
        <a className="link small" href={qrCode} download={`${slug}.svg`}>
          {words.saveQr}
        </a>
      </div>
    </Card>
  )
}

function LinkFacts({ link }: { link: PaymentLink }) {
  const { facts } = words
  const { crypto, fields, expiresAt } = link
  const questions = fields.map(({ label, required }) =>
    required ? label : `${label} (${facts.optional})`,
  )
  return (
    <>
      <Fact name={facts.reference}>
        <Reference value={link.reference} isShort />
      </Fact>
      <Fact name={facts.price}>
        <LinkPrice link={link} />
      </Fact>
      <Fact name={facts.coin}>{crypto?.asset}</Fact>
      <Fact name={facts.fields}>{questions.join(', ') || null}</Fact>
      <Fact name={facts.uses}>{words.used(link.uses, link.usesMax)}</Fact>
      <Fact name={facts.expires}>{expiresAt && <Time value={expiresAt} />}</Fact>
      <Fact name={facts.successUrl}>{link.successUrl}</Fact>
      <Fact name={facts.created}>
        <Time value={link.createdAt} />
      </Fact>
    </>
  )
}

function Actions({ link, path }: { link: PaymentLink; path: string }) {
  const mayChange = useMay('collect.create')
  const [isChanging, setChanging] = useState(false)
  return (
    <>
      <CopyLink url={link.url} />
      <Button icon="external" href={link.url}>
        {collectTexts.open}
      </Button>
      {mayChange && <Button onClick={() => setChanging(true)}>{words.change}</Button>}
      {mayChange && <Switch isActive={link.active} path={path} />}
      {isChanging && (
        <LinkForm
          link={link}
          onSaved={() => void notify(words.changed)}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  )
}

/** Asks before it switches a link off; switching it on needs no question. */
function Switch({ isActive, path }: { isActive: boolean; path: string }) {
  const [isAsking, setAsking] = useState(false)
  const { write, isBusy, refusal } = useWrite({ method: 'PATCH', reads: ['payment link', 'pages'] })
  const change = async () => {
    const changed = await write(path, { active: !isActive })
    if (!changed) return
    setAsking(false)
    void notify(isActive ? words.switchedOff : words.switchedOn)
  }
  if (!isActive)
    return (
      <>
        <Button kind="primary" isBusy={isBusy} onClick={() => void change()}>
          {words.switchOn}
        </Button>
        {refusal && <Refusal error={refusal} />}
      </>
    )
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {words.switchOff}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={words.switchOffTitle}
          confirmLabel={words.switchOff}
          isDangerous
          isBusy={isBusy}
          refusal={refusal}
          onConfirm={() => void change()}
          onClose={() => setAsking(false)}
        >
          <p>{words.switchOffText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
