import type { Balance, RecipientHistory } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { toRefusal } from '../../api/refusal'
import { useMay } from '../../api/session'
import { type Asset, formatMoney, toUnits } from '../../parts/money-format'
import { Card, ListItem } from '../../parts/page'
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
          <ListItem tone="warn" icon="alert" title={words.wallet} text={words.walletText} />
        )}
        {history && <HistoryChecks transfer={transfer} history={history} asset={asset} />}
        {available !== undefined && (
          <ListItem
            tone="good"
            icon="check"
            title={words.held}
            text={words.heldText(
              formatMoney(transfer.totalDebit, asset),
              formatMoney(available, asset),
            )}
          />
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
      <ListItem tone="warn" icon="alert" title={words.unknown} text={toRefusal(error).sentence} />
    )
  if (name === undefined) return null
  return name === transfer.accountName ? (
    <ListItem
      tone="good"
      icon="check"
      title={words.same(name)}
      text={words.sameText(transfer.bankName)}
    />
  ) : (
    <ListItem
      tone="bad"
      icon="alert"
      title={words.other(name)}
      text={words.otherText(transfer.accountName)}
    />
  )
}

type HistoryProps = { transfer: Transfer; history: RecipientHistory; asset: Asset }

function HistoryChecks({ transfer, history, asset }: HistoryProps) {
  const own = history.totals.find(({ currency }) => currency === asset)
  if (!own) return <ListItem tone="warn" icon="alert" title={words.first} text={words.firstText} />
  const isLarger = toUnits(amountOf(transfer), asset) > toUnits(own.largest, asset)
  const largest = formatMoney(own.largest, asset)
  return (
    <>
      <ListItem
        tone="good"
        icon="check"
        title={words.known}
        text={words.knownText(own.count, formatMoney(own.total, asset), history.cameBack)}
      />
      {isLarger ? (
        <ListItem tone="warn" icon="alert" title={words.larger} text={words.largerText(largest)} />
      ) : (
        <ListItem tone="good" icon="check" title={words.usual} text={words.usualText(largest)} />
      )}
    </>
  )
}
