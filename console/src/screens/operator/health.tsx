import { Link } from '@tanstack/react-router'
import type { Check, Doctor, Health, Queues, Rails, Treasuries } from '../../api/answers'
import { Button } from '../../parts/button'
import { LineChart } from '../../parts/chart'
import { Icon, type IconName } from '../../parts/icons'
import { Money } from '../../parts/money'
import { Card, Fact, Facts, ListItem, PageHead, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { formatClock, formatDuration } from '../../parts/time-format'
import { operatorTexts as t } from './texts'
import './operator.css'
import { CoinBars } from './coin-bars'
import { RailTable } from './rail-table'
import { usePolled } from './use-polled'

export function Screen() {
  const doctor = usePolled<Doctor>('doctor', '/operator/v1/doctor')
  const health = usePolled<Health>('health', '/operator/v1/health')
  const rails = usePolled<Rails>('rails', '/operator/v1/rails')
  const treasuries = usePolled<Treasuries>('treasuries', '/operator/v1/treasuries')
  const checks = doctor.data?.checks ?? []
  const troubles = checks
    .filter(({ state }) => state !== 'ok')
    .toSorted((a, b) => Number(b.state === 'error') - Number(a.state === 'error'))
  const isBusy = doctor.isFetching
  const again = () => {
    for (const read of [doctor, health, rails, treasuries]) void read.refetch()
  }
  const waiting = doctor.error ? t.health.unchecked : t.health.checking
  const title = doctor.data ? t.health.title(troubles.length) : waiting
  const wallets = treasuries.data?.treasuries ?? []
  const wallet = wallets.find(({ mode }) => mode === 'live') ?? wallets[0]
  return (
    <>
      <PageHead
        title={title}
        over={t.all}
        actions={
          <>
            {doctor.data && (
              <span className="live-badge" style={{ alignSelf: 'center' }} role="status">
                {t.health.checked(formatClock(doctor.data.checkedAt))}
              </span>
            )}
            <Button icon="redo" isBusy={isBusy} onClick={again}>
              {t.health.again}
            </Button>
          </>
        }
      />
      {doctor.error && !doctor.data && <ErrorState error={doctor.error} retry={again} />}
      {troubles.length > 0 && (
        <Card>
          <ul className="list attention-list">
            {troubles.map((check) => (
              <Trouble key={`${check.check} ${check.message}`} check={check} />
            ))}
          </ul>
        </Card>
      )}
      {health.error && !health.data ? (
        <ErrorState error={health.error} retry={again} />
      ) : (
        <Figures health={health.data ?? undefined} />
      )}
      <div className="with-aside">
        <div className="stack">
          <Card
            title={t.health.rails}
            aside={
              <Link className="link small" to="/operator/rails">
                {t.health.allRails}
              </Link>
            }
          >
            <RailTable rails={rails.data?.items} error={rails.error} />
          </Card>
          <Well checks={checks.filter(({ state }) => state === 'ok')} />
        </div>
        <div className="stack">
          {wallet && (
            <Card
              title={t.health.wallet(wallet.mode)}
              aside={
                <Link className="link small" to="/operator/treasury">
                  {t.health.treasury}
                </Link>
              }
            >
              <CoinBars treasury={wallet} />
            </Card>
          )}
          <Rate health={health.data ?? undefined} />
          <Waiting queues={health.data?.queues} />
        </div>
      </div>
    </>
  )
}

const icons: Record<string, IconName> = {
  Payouts: 'payOut',
  Notices: 'held',
  Webhooks: 'hook',
  Wallets: 'coin',
  Rates: 'swap',
  Workers: 'pulse',
  Work: 'clock',
  Jobs: 'clock',
  'Audit log': 'shield',
}

function iconOf(check: string): IconName {
  if (check.startsWith('Treasury')) return 'coin'
  if (check.startsWith('Bank') || check.startsWith('Solana')) return 'bank'
  return icons[check] ?? 'alert'
}

function Trouble({ check }: { check: Check }) {
  const { state, message, fix, link } = check
  return (
    <ListItem
      icon={iconOf(check.check)}
      tone={state === 'error' ? 'bad' : 'warn'}
      title={`${check.check}: ${message}`}
      text={fix && <WithCode text={fix} />}
    >
      {link && (
        <Button size="small" kind={state === 'error' ? 'primary' : 'plain'} to={link}>
          {t.health.open}
        </Button>
      )}
    </ListItem>
  )
}

/** Commands are written between backticks. */
function WithCode({ text }: { text: string }) {
  const parts = text.split('`')
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text keep their order
  return parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))
}

function Figures({ health }: { health: Health | undefined }) {
  if (!health) return <Skeleton height={104} />
  const { received, webhookDelay, payouts, overdue, workers } = health
  const [first] = received.amounts
  const late = overdue.reduce((sum, { count }) => sum + count, 0)
  return (
    <div className="four-columns">
      <Figure
        name={t.health.received}
        value={
          received.isMore ? t.health.receivedMore(received.count) : received.count.toLocaleString()
        }
        note={first ? <Money amount={first.amount} asset={first.asset} /> : t.health.noneReceived}
      />
      <Figure
        name={t.health.delay}
        value={webhookDelay.p99Ms === null ? '–' : formatDuration(webhookDelay.p99Ms)}
        note={
          webhookDelay.measured === 0 ? t.health.noDelay : t.health.delayOf(webhookDelay.measured)
        }
      />
      <Figure
        name={t.health.openPayouts}
        value={payouts.open.toLocaleString()}
        note={
          payouts.oldestAgeMs === null
            ? t.health.noOpen
            : t.health.oldest(formatAge(payouts.oldestAgeMs), payouts.inReview)
        }
      />
      <Figure
        name={t.health.overdue}
        value={late.toLocaleString()}
        isBad={late > 0}
        note={workers.alive === 0 ? t.health.noWorker : t.health.workers(workers.alive)}
      />
    </div>
  )
}

type FigureProps = { name: string; value: string; note: React.ReactNode; isBad?: boolean }

function Figure({ name, value, note, isBad = false }: FigureProps) {
  return (
    <Card isPadded>
      <p className="soft small">{name}</p>
      <p className={isBad ? 'figure smaller down' : 'figure smaller'}>{value}</p>
      <p className="small soft">{note}</p>
    </Card>
  )
}

const hourMs = 3_600_000

function formatAge(durationMs: number): string {
  const days = Math.floor(durationMs / (24 * hourMs))
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'}`
  return formatDuration(durationMs)
}

function Well({ checks }: { checks: Check[] }) {
  if (checks.length === 0) return null
  return (
    <Card title={t.health.well} aside={<span className="soft small">{t.health.doctor}</span>}>
      <ul className="workers">
        {checks.map(({ check, message }) => (
          <li key={`${check} ${message}`}>
            <span className="check-dot">
              <Icon name="check" size={12} />
            </span>
            <b>{check}</b>
            <span className="soft" title={message}>
              {message}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Rate({ health }: { health: Health | undefined }) {
  if (!health) return null
  const { buckets } = health.payouts.perTenMinutes
  const perMinute = (count: number) => Math.round(count) / 10
  const points = buckets.map(({ start, count }) => ({
    label: formatClock(start),
    value: perMinute(count),
    text: String(perMinute(count)),
  }))
  const last = points.at(-1)
  return (
    <Card isPadded>
      <div className="row spread">
        <h2>{t.health.rate}</h2>
        <span className="soft small">{t.health.hours}</span>
      </div>
      <p className="figure smaller" style={{ marginTop: 2 }}>
        {last?.text ?? '0'}
      </p>
      <LineChart points={points} name={t.health.rate} summary={t.health.rateSummary} isSmall />
    </Card>
  )
}

function Waiting({ queues }: { queues: Queues | undefined }) {
  if (!queues) return null
  const line = (name: string, count: number, to: string) => (
    <Fact name={name}>
      {count === 0 ? (
        <span className="soft">0</span>
      ) : (
        <Link className="link" to={to}>
          {count}
        </Link>
      )}
    </Fact>
  )
  return (
    <Card title={t.health.queues}>
      <Facts>
        {line(t.health.queueKyc, queues.kyc, '/operator/kyc')}
        {line(t.health.queueNotices, queues.notices, '/operator/notices')}
        {line(t.health.queueActions, queues.actions, '/operator/actions')}
        {line(t.health.queueDifferences, queues.differences, '/operator/reconciliation')}
        {line(t.health.queueEndpoints, queues.endpointsOff, '/operator/merchants')}
      </Facts>
    </Card>
  )
}
