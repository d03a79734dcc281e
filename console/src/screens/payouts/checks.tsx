import type { ReactNode } from 'react'
import type { Balance, RecipientHistory } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import type { IconName } from '../../parts/icons'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { Card, Tile } from '../../parts/page'
import type { Tone } from '../../parts/status'
import { formatSeconds } from '../../parts/time-format'
import { payoutTexts } from './texts'
import { amountOf, assetOf, isBank, path, recipientQuery, type Transfer } from './transfer'

const words = payoutTexts.checks

/** What an approver should know before deciding, read when the page opens. */
export function Checks({ transfer }: { transfer: Transfer }) {
  const asset = assetOf(transfer)
  const mayResolve = useMay('payouts.create')
  const maySeeBalances = useMay('balances.see')
  const name = useRead<{ accountName: string }>(
    'account name',
    '/v1/banks/resolve',
    isBank(transfer) ? recipientQuery(transfer) : {},
    { isEnabled: isBank(transfer) && mayResolve },
  )
  const history = useRead<RecipientHistory>(
    'recipient',
    `${path}/recipients`,
    recipientQuery(transfer),
  ).data
  const balances = useRead<{ items: Balance[] }>(
    'balances',
    '/v1/balances',
    {},
    { isEnabled: maySeeBalances },
  ).data
  const available = balances?.items.find((one) => one.asset === asset)?.available
  return (
    <Card
      title={words.title}
      aside={
        <span className="soft small">
          {name.dataUpdatedAt > 0 && formatSeconds(new Date(name.dataUpdatedAt).toISOString())}
        </span>
      }
    >
      <ul className="list">
        {isBank(transfer) ? (
          <NameCheck transfer={transfer} name={name.data?.accountName} error={name.error} />
        ) : (
          <Line tone="warn" icon="alert" title={words.wallet}>
            {words.walletText}
          </Line>
        )}
        {history && <HistoryChecks transfer={transfer} history={history} asset={asset} />}
        {available !== undefined && (
          <Line tone="good" icon="check" title={words.held}>
            {words.heldText(formatMoney(transfer.totalDebit, asset), formatMoney(available, asset))}
          </Line>
        )}
      </ul>
    </Card>
  )
}

type NameProps = { transfer: Transfer; name: string | undefined; error: unknown }

function NameCheck({ transfer, name, error }: NameProps) {
  if (!isBank(transfer)) return null
  if (error)
    return (
      <Line tone="warn" icon="alert" title={words.unknown}>
        {toRefusal(error).sentence}
      </Line>
    )
  if (name === undefined) return null
  return name === transfer.accountName ? (
    <Line tone="good" icon="check" title={words.same(name)}>
      {words.sameText(transfer.bankName)}
    </Line>
  ) : (
    <Line tone="bad" icon="alert" title={words.other(name)}>
      {words.otherText(transfer.accountName)}
    </Line>
  )
}

type HistoryProps = { transfer: Transfer; history: RecipientHistory; asset: Asset }

function HistoryChecks({ transfer, history, asset }: HistoryProps) {
  const own = history.totals.find(({ currency }) => currency === asset)
  if (!own)
    return (
      <Line tone="warn" icon="alert" title={words.first}>
        {words.firstText}
      </Line>
    )
  const isLarger = toUnits(amountOf(transfer), asset) > toUnits(own.largest, asset)
  const largest = formatMoney(own.largest, asset)
  return (
    <>
      <Line tone="good" icon="check" title={words.known}>
        {words.knownText(own.count, formatMoney(own.total, asset), history.cameBack)}
      </Line>
      {isLarger ? (
        <Line tone="warn" icon="alert" title={words.larger}>
          {words.largerText(largest)}
        </Line>
      ) : (
        <Line tone="good" icon="check" title={words.usual}>
          {words.usualText(largest)}
        </Line>
      )}
    </>
  )
}

type LineProps = { tone: Tone; icon: IconName; title: string; children: ReactNode }

function Line({ tone, icon, title, children }: LineProps) {
  return (
    <li>
      <Tile icon={icon} tone={tone} />
      <div className="text">
        <p className="bold">{title}</p>
        <p className="soft small">{children}</p>
      </div>
    </li>
  )
}
