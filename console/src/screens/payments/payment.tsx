import { Menu, MenuItem } from '../../parts/menu'
import { commonTexts } from '../../texts/common'
import { paymentTexts as words } from './texts'
import './payments.css'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Claim, ListedPayment, Payment, PaymentReturn } from '../../../../sdk/src/types'
import { type Page, usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { AmountParts } from '../../parts/amount-parts'
import { Button } from '../../parts/button'
import { useCopy } from '../../parts/copy'
import { DataTable } from '../../parts/data-table'
import { Icon } from '../../parts/icons'
import {
  AccountNumber,
  formatAccountNumber,
  Reference,
  shorten,
  Wallet,
} from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Money } from '../../parts/money'
import { formatMoney, toUnits } from '../../parts/money-format'
import { Notes } from '../../parts/notes'
import { notify, useNotifiedRefusal } from '../../parts/notify'
import { Card, EmptyState, Fact, Facts, PageHead } from '../../parts/page'
import { ResourceTimeline } from '../../parts/resource-timeline'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { CasesCard } from '../cases/cases-card'
import { ClaimLink } from '../claims/claim-link'
import { Allocations } from './allocations'
import { Decision } from './decision'
import { type AnyPayment, nameOf } from './describe-payment'
import { RefundDialog } from './refund-dialog'
import { Requests } from './requests'
import { Shares } from './shares'

const path = '/v1/collections/payments'

/** The payment, with what only the list has: the checkout session and the account. */
export function usePayment(reference: string) {
  const read = useRead<Payment>('payment', `${path}/${reference}`)
  const listed = useRead<Page<ListedPayment>>(
    'payment row',
    path,
    { q: reference, limit: 1 },
    // Not for a payment that does not exist.
    { isEnabled: Boolean(read.data) },
  )
  const row = listed.data?.items.find((one) => one.reference === reference)
  const payment: AnyPayment | undefined = read.data ? { ...row, ...read.data } : undefined
  return { ...read, payment }
}

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const { payment, error, refetch } = usePayment(reference)
  return (
    <ResourcePage
      path={`${path}/${reference}`}
      read={{ data: payment, error, refetch }}
      heights={[134, 440]}
    >
      {(found) => <PaymentPage payment={found} />}
    </ResourcePage>
  )
}

function PaymentPage({ payment }: { payment: AnyPayment }) {
  const { reference, amount, currency, status, receivedAt } = payment
  const [isRefunding, setRefunding] = useState(false)
  // Here and not in the dialogs: the decision about held money goes once it is made.
  const [link, setLink] = useState<Claim | null>(null)
  const mayDecide = useMay('payments.decide')
  const shown = formatMoney(amount, currency)
  const title = `${shown} from ${nameOf(payment)}`
  useEffect(() => noteRecent({ path: `/payments/${reference}`, title }), [reference, title])
  const isRefundable = toUnits(payment.amountAccepted, currency) > 0n && mayDecide
  return (
    <>
      <PageHead
        parent={{ to: '/payments', label: words.title, current: <Reference value={reference} /> }}
        title={<Money amount={amount} asset={currency} />}
        tab={title}
        beside={
          <>
            <Status value={status} />
            <span className="soft">
              {words.from(nameOf(payment))} <Time value={receivedAt} />
            </span>
          </>
        }
        actions={
          <>
            {isRefundable && (
              <Button icon="redo" onClick={() => setRefunding(true)}>
                {words.refund}
              </Button>
            )}
            <Button icon="print" to={`/payments/${reference}/receipt`}>
              {words.receipt}
            </Button>
            <Requery payment={payment} />
          </>
        }
      />
      {status === 'HELD' && <Decision payment={payment} onLink={setLink} />}
      <Requests payment={payment} />
      <div className="with-aside">
        <div className="stack">
          <Amounts payment={payment} />
          <Shares payment={payment} />
          <Allocations payment={payment} />
          <ResourceTimeline reference={reference} />
          <Returns reference={reference} />
        </div>
        <div className="stack">
          <PaymentFacts payment={payment} />
          <Sender payment={payment} />
          <Notes path={`${path}/${reference}/notes`} />
          <CasesCard item={reference} />
          <ForDevelopers payment={payment} />
        </div>
      </div>
      {isRefunding && (
        <RefundDialog payment={payment} onLink={setLink} onClose={() => setRefunding(false)} />
      )}
      {link && <ClaimLink claim={link} onClose={() => setLink(null)} />}
    </>
  )
}

/** Paths of the accounts and wallets that can be asked for missed payments. */
const requeryPaths: Partial<Record<Payment['source'], string>> = {
  virtual_account: '/v1/collections/virtual-accounts',
  crypto_wallet: '/v1/collections/crypto-wallets',
  dedicated_crypto_wallet: '/v1/collections/dedicated-crypto-wallets',
}

/** Asks the bank or chain again, for a payment that is said to be missing. */
function Requery({ payment: { source, accountReference } }: { payment: Payment }) {
  const { write, refusal } = useWrite({ topics: ['payments'] })
  useNotifiedRefusal(refusal)
  const mayAsk = useMay('payments.decide')
  const start = requeryPaths[source]
  if (!start || !mayAsk) return null
  const run = async () => {
    const answer = await write(`${start}/${accountReference}/requery`)
    if (answer !== undefined) await notify(words.requeried)
  }
  return (
    <Menu
      button={
        <button
          type="button"
          className="button"
          aria-label={commonTexts.more}
          style={{ flex: 'none' }}
        >
          <Icon name="dots" size={16} />
        </button>
      }
    >
      <MenuItem icon="search" onClick={() => void run()}>
        {words.requery}
      </MenuItem>
    </Menu>
  )
}

/** The four amounts of a payment: they always add up to what was received. */
function Amounts({ payment }: { payment: Payment }) {
  return (
    <AmountParts
      title={words.money.title}
      asset={payment.currency}
      total={payment.amount}
      summary={words.money.summary}
      parts={[
        { name: words.money.accepted, amount: payment.amountAccepted, colour: 'var(--good)' },
        { name: words.money.held, amount: payment.amountHeld, colour: 'var(--brass)' },
        { name: words.money.returning, amount: payment.amountReturning, colour: 'var(--edge)' },
        { name: words.money.returned, amount: payment.amountReturned, colour: 'var(--soft)' },
      ]}
    />
  )
}

function PaymentFacts({ payment }: { payment: AnyPayment }) {
  const { currency, amount, amountAccepted, fee, checkoutSession, merchantReference } = payment
  const { amountExpected } = payment
  const net = toUnits(amountAccepted, currency) - toUnits(fee, currency)
  return (
    <Card title={words.facts.title} aside={<CopyFacts payment={payment} />}>
      <Facts>
        <Fact name={words.facts.order}>
          {checkoutSession && (
            <Link className="link" to={`/collect/links/${checkoutSession.reference}`}>
              {checkoutSession.description}
            </Link>
          )}
        </Fact>
        <Fact name={words.facts.reference}>{merchantReference}</Fact>
        <Fact name={words.facts.customer}>
          {checkoutSession && (
            <>
              {checkoutSession.customer.name}
              <br />
              <span className="soft">{checkoutSession.customer.email}</span>
            </>
          )}
        </Fact>
        <Fact name={words.facts.method}>{words.methods[payment.source]}</Fact>
        <Fact name={words.facts.when}>
          <Time value={payment.receivedAt} />
        </Fact>
        <Fact name={words.facts.asked}>
          {amountExpected == null ? null : <Money amount={amountExpected} asset={currency} />}
        </Fact>
        <Fact name={words.facts.paid}>
          <Money amount={amount} asset={currency} />
        </Fact>
        <Fact name={words.facts.fee}>
          <Money amount={fee} asset={currency} />
        </Fact>
        <Fact name={payment.shares ? words.facts.netBeforeSplit : words.facts.net}>
          <b>
            <Money amount={net} asset={currency} />
          </b>
        </Fact>
      </Facts>
    </Card>
  )
}

/** Text to paste into a message about this payment. */
function CopyFacts({ payment }: { payment: Payment }) {
  const { reference, amount, currency, receivedAt } = payment
  const text = [
    reference,
    formatMoney(amount, currency),
    nameOf(payment),
    receivedAt,
    payment.sessionId ?? '',
  ].join('\n')
  const { isCopied, copy } = useCopy(text)
  return (
    <button
      type="button"
      className="icon-button compact"
      aria-label={isCopied ? commonTexts.copied : commonTexts.copy}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}

function Sender({ payment }: { payment: Payment }) {
  const { sender, narration, sessionId } = payment
  const isBank = 'name' in sender
  return (
    <Card title={words.sender.title}>
      <Facts>
        {isBank ? (
          <>
            <Fact name={words.sender.name}>{sender.name}</Fact>
            <Fact name={words.sender.bank}>
              {sender.bankName} ({sender.bankCode})
            </Fact>
            <Fact name={words.sender.account}>
              <AccountNumber value={sender.accountNumber} />
            </Fact>
          </>
        ) : (
          <Fact name={words.sender.wallet}>
            {sender.address ? <Wallet value={sender.address} /> : words.unknownWallet}
          </Fact>
        )}
        <Fact name={words.sender.narration}>{narration}</Fact>
        <Fact name={isBank ? words.sender.sessionId : words.sender.signature}>
          {sessionId && <Reference value={sessionId} isShort />}
        </Fact>
      </Facts>
    </Card>
  )
}

function ForDevelopers({ payment }: { payment: AnyPayment }) {
  const { checkoutSession, accountReference } = payment
  const session = useRead<{ metadata: Record<string, unknown> }>(
    'checkout session',
    `/v1/checkout/sessions/${checkoutSession?.reference}`,
    {},
    { isEnabled: Boolean(checkoutSession) },
  ).data
  return (
    <JsonCard title={words.developers.title} value={payment} words={words.developers}>
      <Facts isSmall>
        <Fact name={words.developers.paidTo}>
          <Reference value={accountReference} isShort />
        </Fact>
        <Fact name={words.developers.session}>
          {checkoutSession && <Reference value={checkoutSession.reference} isShort />}
        </Fact>
        {Object.entries(session?.metadata ?? {}).map(([name, value]) => (
          <Fact key={name} name={`metadata.${name}`}>
            <span className="mono">
              {typeof value === 'string' ? value : JSON.stringify(value)}
            </span>
          </Fact>
        ))}
      </Facts>
    </JsonCard>
  )
}

/** `Paid twice · Same order, two transfers`. */
function whyOf({ reason, note }: PaymentReturn) {
  const said = [reason && (words.refundReasons[reason] ?? reason), note].filter(Boolean)
  return said.length > 0 && <span className="soft small">{said.join(' · ')}</span>
}

function formatDestination(destination: NonNullable<PaymentReturn['destination']>): string {
  if ('address' in destination) return shorten(destination.address, 8)
  const { accountName, bankName, accountNumber } = destination
  return `${accountName} · ${bankName} ${formatAccountNumber(accountNumber)}`
}

function Returns({ reference }: { reference: string }) {
  const list = usePages<PaymentReturn>(`${path}/${reference}/returns`)
  if (list.rows.length === 0) return null
  return (
    <Card title={words.returns.title}>
      <DataTable
        caption={words.returns.caption}
        list={list}
        keyOf={(row) => row.reference}
        empty={<EmptyState icon="redo">{commonTexts.notFound}</EmptyState>}
        detailOf={whyOf}
        columns={[
          {
            name: 'amount',
            head: words.columns.amount,
            align: 'end',
            phone: 2,
            cell: ({ amount, currency }) => <Money amount={amount} asset={currency} />,
          },
          {
            name: 'status',
            head: words.columns.status,
            phone: 4,
            cell: ({ status }) => <Status value={status} />,
          },
          {
            name: 'to',
            head: words.returns.to,
            phone: 1,
            isGrowing: true,
            cell: ({ destination, claim }) => (
              <>
                {destination && formatDestination(destination)}
                {destination && claim && ' · '}
                {claim && (
                  <Link className="link" to={`/payouts/claims/${claim}`}>
                    {words.returns.byLink}
                  </Link>
                )}
              </>
            ),
          },
          {
            name: 'at',
            head: words.facts.when,
            phone: 3,
            isSoft: true,
            cell: ({ createdAt }) => <Time value={createdAt} />,
          },
        ]}
      />
    </Card>
  )
}
