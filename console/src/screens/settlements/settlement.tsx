import { Link, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { BalanceEntry, Settlement } from '../../../../sdk/src/types'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { pathOfReference } from '../../frame/paths-of'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { type Column, DataTable } from '../../parts/data-table'
import { ExportButton } from '../../parts/export-button'
import {
  AccountNumber,
  formatWallet,
  Reference,
  ResourceLink,
  Wallet,
} from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { ResourceTimeline } from '../../parts/resource-timeline'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { formatWhen } from '../../parts/time-format'
import { describeCounterparty, describeEntry } from '../balances/describe-entry'
import { balanceTexts } from '../balances/texts'
import { payoutTexts } from '../payouts/texts'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import { subaccountTexts } from '../subaccounts/texts'
import { settlementTexts } from './texts'

const words = settlementTexts.page
const path = '/v1/settlements'

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const read = useRead<Settlement>('settlement', `${path}/${reference}`)
  return (
    <ResourcePage path={`${path}/${reference}`} read={read} heights={[300, 320]} isWide>
      {(settlement) => <SettlementPage settlement={settlement} />}
    </ResourcePage>
  )
}

function SettlementPage({ settlement }: { settlement: Settlement }) {
  const { reference, amount, status, transferReference } = settlement
  const mayExport = useMay('exports.make')
  const to = words.to(settlement.accountName ?? formatWallet(settlement.walletAddress ?? ''))
  const title = `${formatMoney(amount, 'NGN')} ${to}`
  useEffect(() => noteRecent({ path: `/settlements/${reference}`, title }), [reference, title])
  return (
    <>
      <PageHead
        parent={{
          to: '/settlements',
          label: settlementTexts.title,
          current: <Reference value={reference} />,
        }}
        title={<Money amount={amount} asset="NGN" />}
        tab={title}
        beside={
          <>
            <Status value={status} />
            <span className="soft">{to}</span>
          </>
        }
        actions={
          mayExport && (
            <ExportButton
              path={`${path}/${reference}/entries`}
              filters={{}}
              fileName={`settlement-${reference}.csv`}
              isNamed
              label={words.exportEntries}
            />
          )
        }
      />
      {status === 'PENDING' && (
        <Note tone="warn" icon="clock" title={words.waits}>
          <Link className="link" to={`/payouts/${transferReference}`}>
            {words.toPayout}
          </Link>
        </Note>
      )}
      <div className="with-aside wide-aside">
        <div className="stack">
          <Report settlement={settlement} />
          <Entries settlement={settlement} />
        </div>
        <div className="stack">
          <SettlementFacts settlement={settlement} />
          <Destination settlement={settlement} />
          <ResourceTimeline reference={transferReference} />
        </div>
      </div>
    </>
  )
}

/** What the balance was, what changed it, and what is left. */
function Report({ settlement }: { settlement: Settlement }) {
  const { amount, fee, levy, report } = settlement
  const own = ownWords(settlement)
  return (
    <Card title={words.report}>
      <p className="soft hint">{describePeriod(settlement)}</p>
      <Facts>
        <Fact name={words.opening}>
          <Money amount={report.opening} asset="NGN" />
        </Fact>
        {report.lines.map((line) => (
          <Fact
            key={`${line.type} ${line.effect}`}
            name={
              <>
                {describeEntry(line, own)}{' '}
                <span className="soft small">{words.times(line.count)}</span>
              </>
            }
          >
            <Money amount={line.amount} asset="NGN" />
          </Fact>
        ))}
        <Fact name={words.paidOut}>
          <b>
            <Money amount={-amount} asset="NGN" />
          </b>
        </Fact>
        <Fact name={words.fee}>
          <Money amount={-fee} asset="NGN" />
        </Fact>
        <Fact name={words.levy}>{levy > 0 && <Money amount={-levy} asset="NGN" />}</Fact>
        <Fact name={words.closing}>
          <Money amount={report.closing} asset="NGN" />
        </Fact>
      </Facts>
    </Card>
  )
}

/** Words for entries of a sub-account, if it is the one that was settled. */
const ownWords = ({ subaccount }: Settlement) => (subaccount ? subaccountTexts.types : {})

/** `What changed your naira balance since 1 November`, or that of a sub-account. */
function describePeriod({ period, subaccount }: Settlement): string {
  const whose = subaccount ? words.itsBalance : words.yourBalance
  return period.from ? words.since(whose, formatWhen(period.from)) : words.sinceFirst(whose)
}

function SettlementFacts({ settlement }: { settlement: Settlement }) {
  const { asset, assetAmount, assetFee, conversion, transferReference } = settlement
  const { failureReason, scheduledFor } = settlement
  const reasons = payoutTexts.page.reasons
  return (
    <JsonCard title={words.settlement} value={settlement} words={words}>
      <Facts>
        <Fact name={words.amount}>
          <b>
            <Money amount={settlement.amount} asset="NGN" />
          </b>
        </Fact>
        <Fact name={words.fee}>
          <Money amount={settlement.fee} asset="NGN" />
        </Fact>
        <Fact name={words.levy}>
          {settlement.levy > 0 && <Money amount={settlement.levy} asset="NGN" />}
        </Fact>
        <Fact name={words.coins}>{asset && <Money amount={assetAmount!} asset={asset} />}</Fact>
        <Fact name={words.coinFee}>{asset && <Money amount={assetFee!} asset={asset} />}</Fact>
        <Fact name={words.why}>{failureReason && (reasons[failureReason] ?? failureReason)}</Fact>
        <Fact name={words.subaccount}>
          {settlement.subaccount && <SubaccountLink reference={settlement.subaccount} />}
        </Fact>
        <Fact name={words.by}>
          {scheduledFor ? (
            <>
              {settlementTexts.scheduled}, <Time value={scheduledFor} />
            </>
          ) : (
            settlementTexts.requested
          )}
        </Fact>
        <Fact name={words.reserve}>
          <Money amount={settlement.reserve} asset="NGN" />
        </Fact>
        <Fact name={words.transfer}>
          <ResourceLink to={`/payouts/${transferReference}`} reference={transferReference} />
        </Fact>
        <Fact name={words.conversion}>
          {conversion && (
            <ResourceLink to={`/balances/conversions/${conversion}`} reference={conversion} />
          )}
        </Fact>
        <Fact name={words.created}>
          <Time value={settlement.createdAt} />
        </Fact>
        <Fact name={words.paid}>{settlement.paidAt && <Time value={settlement.paidAt} />}</Fact>
        <Fact name={words.failed}>
          {settlement.failedAt && <Time value={settlement.failedAt} />}
        </Fact>
        <Fact name={words.reversed}>
          {settlement.reversedAt && <Time value={settlement.reversedAt} />}
        </Fact>
      </Facts>
    </JsonCard>
  )
}

function Destination({ settlement }: { settlement: Settlement }) {
  const { accountName, accountNumber, bankName, walletAddress } = settlement
  return (
    <Card title={words.destination}>
      <Facts>
        <Fact name={words.holder}>{accountName}</Fact>
        <Fact name={words.bank}>{bankName}</Fact>
        <Fact name={words.accountNumber}>
          {accountNumber && <AccountNumber value={accountNumber} />}
        </Fact>
        <Fact name={words.wallet}>{walletAddress && <Wallet value={walletAddress} />}</Fact>
      </Facts>
    </Card>
  )
}

const columnsWith = (own: Record<string, string>): Column<BalanceEntry>[] => [
  {
    name: 'what',
    head: balanceTexts.columns.what,
    isGrowing: true,
    phone: 1,
    cell: (entry) => (
      <>
        <b className="medium">{describeEntry(entry, own)}</b>{' '}
        <span className="soft small desktop-only">{describeCounterparty(entry)}</span>
      </>
    ),
  },
  {
    name: 'when',
    head: balanceTexts.columns.when,
    phone: 3,
    isSoft: true,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    name: 'change',
    head: balanceTexts.columns.change,
    align: 'end',
    phone: 2,
    cell: ({ amount, asset }) => (
      <span className="no-wrap">
        <Money amount={amount} asset={asset} />
      </span>
    ),
  },
]

/** Several entries may have the same reference. */
const keyOf = ({ number }: BalanceEntry) => String(number)

function Entries({ settlement }: { settlement: Settlement }) {
  const { reference } = settlement
  const list = usePages<BalanceEntry>(`${path}/${reference}/entries`, {}, { keyOfRow: keyOf })
  return (
    <Card title={words.entries}>
      <DataTable
        caption={words.entriesCaption}
        columns={columnsWith(ownWords(settlement))}
        list={list}
        keyOf={keyOf}
        pathOf={(entry) => pathOfReference(entry.reference)}
        empty={null}
      />
    </Card>
  )
}
