import { Link } from '@tanstack/react-router'
import type { CheckoutSession } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay, useSession } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { Card, Tile } from '../../parts/page'
import { ProgressBar } from '../../parts/progress-bar'
import { Refusal } from '../../parts/refusals'
import { homeTexts } from './texts'

const words = homeTexts.start

/** Naira 12,500.00 in kobo. */
const testAmount = 1_250_000

/** Opens a checkout page to pay with play money. */
function useTestPayment() {
  const { write, isBusy, refusal } = useWrite<CheckoutSession>({ topics: ['payments'] })
  const make = async () => {
    // Browsers open a tab only while they handle the click, so before the page is known.
    const tab = window.open('', '_blank')
    const session = await write('/v1/checkout/sessions', {
      amount: testAmount,
      description: words.product,
      customer: { name: words.customer, email: 'customer@example.com' },
    })
    if (!tab) return
    if (!session) tab.close()
    else {
      tab.opener = null
      tab.location.replace(session.url)
    }
  }
  return { make: () => void make(), isBusy, refusal }
}

/** The first thing that a new merchant sees. Gone after the first payment. */
export function FirstPayment() {
  const { data } = useRead<Page<unknown>>('latest', '/v1/collections/payments', { limit: 1 })
  const { make, isBusy, refusal } = useTestPayment()
  if (!data || data.items.length > 0) return null
  return (
    <Card isPadded>
      <div className="row wrap" style={{ gap: 16 }}>
        <Tile icon="play" tone="brand" />
        <div style={{ flex: '1 1 260px' }}>
          <h2>{words.firstTitle}</h2>
          <p className="soft">{words.firstText}</p>
        </div>
        <Button kind="primary" icon="external" isBusy={isBusy} onClick={make}>
          {words.makePayment}
        </Button>
      </div>
      <Refusal error={refusal} />
    </Card>
  )
}

type Item = { name: string; text: string; isDone: boolean; to?: string; onClick?: () => void }

export function Checklist() {
  const { user } = useSession()
  const maySeeDevelopers = useMay('developers.see')
  const { make } = useTestPayment()
  const first = { limit: 1 }
  const isEnabled = maySeeDevelopers
  const payments = useRead<Page<unknown>>('latest', '/v1/collections/payments', first)
  const payouts = useRead<Page<unknown>>('latest', '/v1/disbursements', first)
  const requests = useRead<Page<{ keyId: string | null }>>(
    'latest requests',
    '/v1/request-logs',
    { limit: 25 },
    { isEnabled, topics: [] },
  )
  const endpoints = useRead<Page<unknown>>('endpoints', '/v1/webhook-endpoints', first, {
    isEnabled,
  })
  const kyc = useRead<{ status: string }>('kyc', '/v1/kyc', {}, { mayBeMissing: true })
  const has = ({ data }: { data?: Page<unknown> | null | undefined }) =>
    (data?.items.length ?? 0) > 0

  const items: Item[] = [
    {
      name: words.testPayment,
      text: words.testPaymentText,
      isDone: has(payments),
      onClick: make,
    },
    {
      name: words.request,
      text: words.requestText,
      isDone: requests.data?.items.some(({ keyId }) => keyId !== null) ?? false,
      to: '/quick-start',
    },
    {
      name: words.webhook,
      text: words.webhookText,
      isDone: has(endpoints),
      to: '/webhooks',
    },
    { name: words.payout, text: words.payoutText, isDone: has(payouts), to: '/payouts/new' },
    {
      name: words.passkey,
      text: words.passkeyText,
      isDone: user.passkeys > 0,
      to: '/you',
    },
    {
      name: words.live,
      text: words.liveText,
      isDone: kyc.data?.status === 'APPROVED',
      to: '/settings',
    },
  ]
  const done = items.filter(({ isDone }) => isDone).length
  if (done === items.length) return null
  return (
    <Card
      title={words.title}
      aside={<span className="soft small">{words.progress(done, items.length)}</span>}
    >
      <div style={{ padding: '0 20px 6px' }}>
        <ProgressBar share={done / items.length} />
      </div>
      <ul className="list plain" style={{ paddingBottom: 10 }}>
        {items.map((item) => (
          <ChecklistItem key={item.name} item={item} />
        ))}
      </ul>
    </Card>
  )
}

function ChecklistItem({ item: { name, text, isDone, to, onClick } }: { item: Item }) {
  if (isDone)
    return (
      <li>
        <span className="step-done">
          <Icon name="check" size={13} />
        </span>
        <div className="text">
          <p className="soft">{name}</p>
        </div>
      </li>
    )
  return (
    <li>
      <span className="step-open" />
      <div className="text">
        {to === undefined ? (
          <button type="button" className="link" onClick={onClick}>
            {name}
          </button>
        ) : (
          <Link className="bold" to={to}>
            {name}
          </Link>
        )}
        <p className="soft small">{text}</p>
      </div>
    </li>
  )
}
