import { collectTexts as words } from './texts'
import './collect.css'
import { Link as RouterLink, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { CheckoutSession } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { JsonView } from '../../parts/code'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Copy, CopyLink } from '../../parts/copy'
import {
  AccountNumber,
  formatAccountNumber,
  formatWallet,
  Reference,
} from '../../parts/identifiers'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, PageHead, Skeleton } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { formatRateNaira } from '../conversions/format-rate'
import {
  apiPaths,
  type Collected,
  type Kind,
  pathOfKind,
  paymentLinksPath,
  referenceOf,
} from './kinds'
import { PayDialog, type PayTarget } from './pay-dialog'
import { Payments } from './payments-of'
import { Qr } from './qr'
import { State } from './state'

/** One one-time link, collection account or wallet, with what was paid to it. */
function Detail<K extends Kind>({ kind }: { kind: K }) {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `${apiPaths[kind]}/${reference}`
  const { data, error, refetch, isPending } = useRead<Collected[K]>('collected', path)
  return (
    <>
      <PageHead
        title={data ? <Title one={data} /> : words.create[kind]}
        tab={words.create[kind]}
        parent={{ to: pathOfKind(kind), label: words.tabs[kind], current: reference }}
        beside={data && <State value={data.status} />}
        actions={data && <Actions kind={kind} one={data} path={path} />}
      />
      {error && !data && (
        <Card>
          <ErrorState error={error} retry={() => void refetch()} />
        </Card>
      )}
      {isPending && <Skeleton height={320} />}
      {data && (
        <div className="with-aside wide-aside">
          <Payments one={data} />
          <div className="stack">
            <Scan kind={kind} one={data} />
            <Card title={words.facts.title}>
              <Facts>
                <DetailFacts one={data} />
              </Facts>
            </Card>
          </div>
        </div>
      )}
      {data && (
        <Card title={words.answer}>
          <div className="padded" style={{ paddingTop: 0 }}>
            <JsonView value={data} label={words.answer} />
          </div>
        </Card>
      )}
    </>
  )
}

/** The amount, or for places without one the number or address. */
function Title({ one }: { one: Collected[Kind] }) {
  if ('url' in one || ('accountNumber' in one && 'amount' in one))
    return <Money amount={one.amount} asset="NGN" />
  if ('asset' in one) return <Money amount={one.amount} asset={one.asset} />
  if ('accountNumber' in one) return <>{formatAccountNumber(one.accountNumber)}</>
  return <>{formatWallet(one.address)}</>
}

/** A code to show to the payer: of the page of a link, or of a wallet. */
function Scan({ kind, one }: { kind: Kind; one: Collected[Kind] }) {
  const isOpen = one.status === 'pending' || one.status === 'ACTIVE'
  const text = 'url' in one ? one.url : 'address' in one ? one.address : undefined
  if (text === undefined || !isOpen) return null
  return (
    <Card title={words.qr}>
      <div className="qr-box">
        <Qr text={text} />
        <p className="soft small">{kind === 'links' ? words.scanLink : words.scanAddress}</p>
        <p className="small break-anywhere">
          <Copy text={text}>{text}</Copy>
        </p>
      </div>
    </Card>
  )
}

function DetailFacts({ one }: { one: Collected[Kind] }) {
  const { facts } = words
  const optional = one as Partial<Record<'paidAt' | 'expiresAt', string | null>>
  return (
    <>
      <Fact name={facts.reference}>
        <Reference value={referenceOf(one)} isShort />
      </Fact>
      <Fact name={facts.yourReference}>{ownReferenceOf(one)}</Fact>
      {'url' in one && <SessionFacts session={one} />}
      {'accountNumber' in one && (
        <>
          <Fact name={facts.accountNumber}>
            <AccountNumber value={one.accountNumber} />
          </Fact>
          <Fact name={facts.bank}>{one.bankName}</Fact>
          <Fact name={facts.accountName}>{one.accountName}</Fact>
        </>
      )}
      {'address' in one && (
        <Fact name={facts.address}>
          <Reference value={one.address} />
        </Fact>
      )}
      {'assets' in one && <Fact name={facts.coins}>{one.assets.join(', ')}</Fact>}
      {'amountReceived' in one && <Amounts one={one} />}
      <Fact name={facts.created}>
        <Time value={one.createdAt} />
      </Fact>
      <Fact name={facts.expires}>
        {optional.expiresAt && !optional.paidAt ? <Time value={optional.expiresAt} /> : null}
      </Fact>
      <Fact name={facts.paid}>{optional.paidAt && <Time value={optional.paidAt} />}</Fact>
    </>
  )
}

function ownReferenceOf(one: Collected[Kind]): string | undefined {
  return 'externalReference' in one ? one.externalReference : one.merchantReference
}

function SessionFacts({ session }: { session: CheckoutSession }) {
  const { facts } = words
  const { customer, description, openedAt, crypto, paymentLink, metadata } = session
  const { answers } = metadata as { answers?: Record<string, string> }
  return (
    <>
      <Fact name={facts.customer}>{customer.name}</Fact>
      <Fact name={facts.email}>{customer.email}</Fact>
      <Fact name={facts.description}>{description}</Fact>
      {paymentLink && (
        <Fact name={facts.paymentLink}>
          <RouterLink className="link" to={`${paymentLinksPath}/${paymentLink}`}>
            {facts.seeLink}
          </RouterLink>
        </Fact>
      )}
      {paymentLink &&
        Object.entries(answers ?? {}).map(([label, answer]) => (
          <Fact key={label} name={label}>
            {String(answer)}
          </Fact>
        ))}
      <Fact name={facts.coinPrice}>
        {crypto && formatMoney(crypto.amount, crypto.asset)}
        {crypto?.rate && facts.byRate(formatRateNaira(crypto.rate), crypto.asset)}
      </Fact>
      <Fact name={facts.opened}>
        {openedAt ? <Time value={openedAt} /> : words.facts.notOpened}
      </Fact>
    </>
  )
}

function Amounts({ one }: { one: Collected['links' | 'accounts' | 'wallets'] }) {
  const asset = 'asset' in one ? one.asset : 'NGN'
  return (
    <Fact name={words.facts.received}>
      <Money amount={one.amountReceived} asset={asset} />
    </Fact>
  )
}

type ActionsProps = { kind: Kind; one: Collected[Kind]; path: string }

function Actions({ kind, one, path }: ActionsProps) {
  const { mode } = useScope()
  const mayCreate = useMay('collect.create')
  const [isPaying, setPaying] = useState(false)
  const isOpen = one.status === 'pending' || one.status === 'ACTIVE'
  const targets = targetsOf(one)
  return (
    <>
      {'url' in one && isOpen && (
        <>
          <CopyLink url={one.url} />
          <Button icon="external" href={one.url}>
            {words.open}
          </Button>
        </>
      )}
      {mayCreate && <Requery kind={kind} path={path} />}
      {mayCreate && isOpen && <End kind={kind} path={path} />}
      {mayCreate && isOpen && mode === 'test' && targets.length > 0 && (
        <Button kind="primary" icon="play" onClick={() => setPaying(true)}>
          {words.payAsCustomer}
        </Button>
      )}
      {isPaying && <PayDialog targets={targets} onClose={() => setPaying(false)} />}
    </>
  )
}

/** How a customer can pay this in test mode. */
function targetsOf(one: Collected[Kind]): PayTarget[] {
  const targets: PayTarget[] = []
  if ('url' in one) {
    const { bankTransfer, crypto } = one
    if (bankTransfer)
      targets.push({ accountNumber: bankTransfer.accountNumber, amount: one.amount })
    if (crypto)
      targets.push({ address: crypto.address, asset: crypto.asset, amount: crypto.amount })
  } else if ('accountNumber' in one) {
    const amount = 'amount' in one ? one.amount : null
    targets.push({ accountNumber: one.accountNumber, amount })
  } else if ('asset' in one)
    targets.push({ address: one.address, asset: one.asset, amount: one.amount })
  else targets.push({ address: one.address, asset: null, amount: null })
  return targets
}

/** Asks the bank or chain for payments whose notice was lost. */
function Requery({ kind, path }: { kind: Kind; path: string }) {
  const { write, isBusy, refusal } = useWrite({ topics: ['payments'], reads: ['collected'] })
  if (kind === 'links' || kind === 'dedicated') return null
  const requery = async () => {
    const found = await write(`${path}/requery`)
    if (found) void notify(words.requeried)
  }
  return (
    <>
      <Button icon="redo" isBusy={isBusy} onClick={() => void requery()}>
        {words.requery}
      </Button>
      {refusal && <Refusal error={refusal} />}
    </>
  )
}

/** Cancels what has an end, deactivates a dedicated account. Dedicated wallets stay. */
function End({ kind, path }: { kind: Kind; path: string }) {
  const [isAsking, setAsking] = useState(false)
  const { write, isBusy, refusal } = useWrite({ topics: ['payments'], reads: ['collected'] })
  if (kind === 'dedicated-wallets') return null
  const isDedicated = kind === 'dedicated'
  const end = async () => {
    const ended = await write(`${path}/${isDedicated ? 'deactivate' : 'cancel'}`)
    if (!ended) return
    setAsking(false)
    void notify(isDedicated ? words.deactivated : words.cancelled)
  }
  const label = isDedicated ? words.deactivate : words.cancel
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {label}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={isDedicated ? words.deactivateTitle : words.cancelTitles[kind]}
          confirmLabel={label}
          isDangerous
          isBusy={isBusy}
          refusal={refusal}
          onConfirm={() => void end()}
          onClose={() => setAsking(false)}
        >
          <p>{isDedicated ? words.deactivateText : words.cancelText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

const detailOf =
  (kind: Kind): (() => ReactNode) =>
  () => <Detail key={kind} kind={kind} />

export const Link = detailOf('links')
export const Account = detailOf('accounts')
export const DedicatedAccount = detailOf('dedicated')
export const Wallet = detailOf('wallets')
export const DedicatedWallet = detailOf('dedicated-wallets')
