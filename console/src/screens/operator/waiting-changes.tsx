import { Link } from '@tanstack/react-router'
import type { OperatorAction } from '../../api/answers'
import { type Asset, formatMoney, parseMoney } from '../../parts/money-format'
import { Note } from '../../parts/page'
import { exchangeTexts } from './exchange-texts'
import { usePolled } from './use-polled'

const t = exchangeTexts.waiting

/** Changes of the exchange that another operator must confirm. */
export function WaitingChanges() {
  const { data } = usePolled<{ items: OperatorAction[] }>(
    'exchange actions',
    '/operator/v1/actions',
    { state: 'waiting', limit: 100 },
  )
  const changes = (data?.items ?? []).flatMap((action) => {
    const text = describe(action)
    return text === undefined ? [] : [{ ...action, text }]
  })
  if (changes.length === 0) return null
  return (
    <Note tone="calm" icon="users" title={t.title}>
      {changes.map(({ id, text, isOwn, proposedBy }) => (
        <p key={id}>
          {text} · {isOwn ? t.own : t.other(proposedBy)}
        </p>
      ))}
      <Link className="link" to="/operator/actions">
        {t.open}
      </Link>
    </Note>
  )
}

function describe({ kind, payload }: OperatorAction): string | undefined {
  const { amount = '', asset = '', buy = '', sell = '' } = payload as Record<string, string>
  const money = () => formatMoney(parseMoney(amount, asset as Asset) ?? 0n, asset as Asset)
  if (kind === 'exchange.add') return t.add(money())
  if (kind === 'exchange.take') return t.take(money())
  return kind === 'rate.set' ? t.rate(asset, buy, sell) : undefined
}
