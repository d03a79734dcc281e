import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { PayoutFreeze } from '../../api/answers'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { AccountNumber, Reference, ResourceLink, Wallet } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { Notes } from '../../parts/notes'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note, PageHead } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { ResourceTimeline } from '../../parts/resource-timeline'
import { Status } from '../../parts/status'
import { Time } from '../../parts/time'
import { accountTexts } from '../../texts/account'
import { CasesCard } from '../cases/cases-card'
import { subjectOf } from '../freezes/freeze'
import { FreezeRecipient } from '../freezes/freeze-recipient'
import { FrozenNote } from '../freezes/frozen-note'
import { paymentTexts } from '../payments/texts'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import { Approval } from './approval'
import { Checks } from './checks'
import { Simulate } from './simulate'
import { payoutTexts } from './texts'
import {
  amountOf,
  assetOf,
  copyPath,
  isBank,
  isForMembers,
  nameOf,
  path,
  placeOf,
  statusOf,
  type Transfer,
  useTransfer,
} from './transfer'

const words = payoutTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  return (
    <ResourcePage
      path={`${path}/${reference}`}
      read={useTransfer(reference)}
      heights={[300, 220]}
      isWide
    >
      {(transfer) => <PayoutPage transfer={transfer} />}
    </ResourcePage>
  )
}

function PayoutPage({ transfer }: { transfer: Transfer }) {
  const { reference, status } = transfer
  const { mode } = useScope()
  const mayCreate = useMay('payouts.create')
  const asset = assetOf(transfer)
  const to = [nameOf(transfer), placeOf(transfer)].filter(Boolean).join(', ')
  const title = `${formatMoney(amountOf(transfer), asset)} ${words.to(nameOf(transfer))}`
  useEffect(() => noteRecent({ path: `/payouts/${reference}`, title }), [reference, title])
  const isWaiting = status === 'PENDING'
  const hasArrived = status === 'COMPLETED' || status === 'CONFIRMED'
  return (
    <>
      <PageHead
        parent={{
          to: '/payouts',
          label: payoutTexts.title,
          current: <Reference value={reference} />,
        }}
        title={<Money amount={amountOf(transfer)} asset={asset} />}
        tab={title}
        beside={
          <>
            <Status value={statusOf(transfer)} />
            <span className="soft">{words.to(to)}</span>
          </>
        }
        actions={
          <>
            {mayCreate && !transfer.payment && !isWaiting && (
              <Button icon="copy" to={copyPath(transfer)}>
                {payoutTexts.copyAsNew}
              </Button>
            )}
            {hasArrived && (
              <Button icon="print" to={`/payouts/${reference}/receipt`}>
                {words.receipt}
              </Button>
            )}
          </>
        }
      />
      {isBank(transfer) && transfer.reviewRequired && (
        <Note tone="warn" icon="clock">
          <p>{words.review}</p>
        </Note>
      )}
      {isWaiting && <FrozenNote isShown={(freeze) => isFrozenBy(freeze, transfer)} />}
      <div className="with-aside wide-aside">
        <div className="stack">
          {isWaiting && <Checks transfer={transfer} />}
          <PayoutFacts transfer={transfer} />
          <ResourceTimeline reference={reference} />
          <Attempts transfer={transfer} />
        </div>
        <div className="stack">
          <Approval transfer={transfer} />
          <Recipient transfer={transfer} />
          <Notes path={`${path}/${reference}/notes`} />
          <CasesCard item={reference} />
          {mode === 'test' && status === 'SUBMITTED' && mayCreate && <Settle transfer={transfer} />}
          {mode === 'test' && isWaiting && mayCreate && isForMembers(transfer) && (
            <Simulate reference={reference} />
          )}
        </div>
      </div>
    </>
  )
}

/** Which bank or chain carries it is not known here. */
function isFrozenBy({ kind, subject }: PayoutFreeze, transfer: Transfer): boolean {
  if (kind === 'merchant') return true
  if (kind === 'recipient') return subject === subjectOf(transfer)
  return subject === transfer.createdBy?.id
}

function PayoutFacts({ transfer }: { transfer: Transfer }) {
  const { createdBy, failureReason, payment, conversion, batch } = transfer
  const { refundReason, refundNote, settlement } = transfer
  const maySeeBalances = useMay('balances.see')
  const asset = assetOf(transfer)
  return (
    <JsonCard title={payment ? words.refund : words.payout} value={transfer} words={words}>
      <Facts>
        <Fact name={words.amount}>
          <b>
            <Money amount={amountOf(transfer)} asset={asset} />
          </b>
        </Fact>
        <Fact name={words.fee}>
          <Money amount={transfer.fee} asset={asset} />
        </Fact>
        <Fact name={words.levy}>
          {isBank(transfer) && transfer.levy > 0 && <Money amount={transfer.levy} asset={asset} />}
        </Fact>
        <Fact name={words.total}>
          <Money amount={transfer.totalDebit} asset={asset} />
        </Fact>
        <Fact name={words.saved}>
          {transfer.recipient && (
            <ResourceLink
              to={`/payouts/recipients/${transfer.recipient}`}
              reference={transfer.recipient}
            />
          )}
        </Fact>
        <Fact name={words.from}>
          {transfer.from && <SubaccountLink reference={transfer.from} />}
        </Fact>
        <Fact name={words.narration}>{isBank(transfer) ? transfer.narration : null}</Fact>
        <Fact name={words.reference}>
          {transfer.merchantReference && <span className="mono">{transfer.merchantReference}</span>}
        </Fact>
        <Fact name={words.payment}>
          {payment && <ResourceLink to={`/payments/${payment}`} reference={payment} />}
        </Fact>
        <Fact name={words.refundReason}>
          {refundReason && (paymentTexts.refundReasons[refundReason] ?? refundReason)}
        </Fact>
        <Fact name={words.refundNote}>{refundNote}</Fact>
        <Fact name={words.settlement}>
          {settlement && maySeeBalances && (
            <ResourceLink to={`/settlements/${settlement}`} reference={settlement} />
          )}
        </Fact>
        <Fact name={words.conversion}>
          {conversion && (
            <ResourceLink to={`/balances/conversions/${conversion}`} reference={conversion} />
          )}
        </Fact>
        <Fact name={words.batch}>
          {batch && <ResourceLink to={`/payouts/batches/${batch}`} reference={batch} />}
        </Fact>
        <Fact name={words.why}>
          {failureReason && (words.reasons[failureReason] ?? words.otherReason)}
        </Fact>
        <Fact name={words.createdBy}>
          {createdBy && (createdBy.kind === 'key' ? words.key(createdBy.name) : createdBy.name)}
        </Fact>
        <Fact name={words.created}>
          <Time value={transfer.createdAt} />
        </Fact>
        <Fact name={words.submitted}>
          {transfer.submittedAt && <Time value={transfer.submittedAt} />}
        </Fact>
        <Fact name={words.sessionId}>
          {isBank(transfer) && transfer.sessionId ? (
            <Reference value={transfer.sessionId} isShort />
          ) : null}
        </Fact>
        <Fact name={words.signature}>
          {!isBank(transfer) && transfer.transactionSignature ? (
            <Reference value={transfer.transactionSignature} isShort />
          ) : null}
        </Fact>
        <Fact name={words.orderHash}>
          {transfer.orderHash && <Reference value={transfer.orderHash} isShort />}
        </Fact>
      </Facts>
    </JsonCard>
  )
}

function Recipient({ transfer }: { transfer: Transfer }) {
  return (
    <Card
      title={words.recipient}
      aside={
        <FreezeRecipient
          size="small"
          recipient={transfer}
          place={placeOf(transfer) || nameOf(transfer)}
        />
      }
    >
      <Facts>
        {isBank(transfer) ? (
          <>
            <Fact name={payoutTexts.form.to}>{transfer.accountName}</Fact>
            <Fact name={accountTexts.bank}>
              {transfer.bankName} ({transfer.bankCode})
            </Fact>
            <Fact name={accountTexts.number}>
              <AccountNumber value={transfer.accountNumber} />
            </Fact>
          </>
        ) : (
          <Fact name={accountTexts.address}>
            <Wallet value={transfer.destinationAddress} />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}

/** Every signed try on the chain. Bank transfers have one order, which the timeline shows. */
function Attempts({ transfer }: { transfer: Transfer }) {
  if (isBank(transfer) || transfer.attempts.length === 0) return null
  return (
    <Card title={words.attempts}>
      <DataTable
        caption={words.attemptsCaption}
        list={{ rows: transfer.attempts }}
        keyOf={({ signature }) => signature}
        empty={null}
        columns={[
          {
            name: 'signature',
            head: words.signature,
            phone: 1,
            isGrowing: true,
            cell: ({ signature }) => <Reference value={signature} isShort />,
          },
          {
            name: 'state',
            head: payoutTexts.columns.status,
            phone: 2,
            cell: ({ state }) => <Status of="attempt" value={state} />,
          },
          {
            name: 'at',
            head: words.submitted,
            phone: 3,
            cell: ({ submittedAt }) => <Time value={submittedAt} />,
          },
        ]}
      />
    </Card>
  )
}

/** Test mode: chooses what the simulated bank or chain does. */
function Settle({ transfer }: { transfer: Transfer }) {
  const { write, isBusy, refusal } = useWrite({
    topics: ['payouts'],
    reads: ['payout', 'timeline'],
  })
  const outcomes = isBank(transfer) ? ['complete', 'fail', 'reverse'] : ['land', 'fail', 'expire']
  const settle = async (outcome: string) => {
    const answer = await write(`/v1/test/disbursements/${transfer.reference}/settle`, { outcome })
    if (answer !== undefined) await notify(words.settle.done)
  }
  return (
    <Card title={words.settle.title} layout="form">
      <p className="soft small">{words.settle.text}</p>
      <div className="row wrap">
        {outcomes.map((outcome) => (
          <Button key={outcome} size="small" isBusy={isBusy} onClick={() => void settle(outcome)}>
            {words.settle.outcomes[outcome]}
          </Button>
        ))}
      </div>
      <Refusal error={refusal} />
    </Card>
  )
}
