import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Claim } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Reference, ResourceLink } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Money } from '../../parts/money'
import { formatMoney } from '../../parts/money-format'
import { notify } from '../../parts/notify'
import { Fact, Facts, Note, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { commonTexts } from '../../texts/common'
import { ClaimStatus } from './claim-status'
import { claimTexts } from './texts'

const words = claimTexts.page

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const path = `/v1/claims/${reference}`
  const read = useRead<Claim>('claim', path)
  return (
    <ResourcePage path={path} read={read} heights={[320]} isWide>
      {(claim) => <ClaimPage claim={claim} />}
    </ResourcePage>
  )
}

function ClaimPage({ claim }: { claim: Claim }) {
  const { reference, status, asset, amount, description, payment, payout } = claim
  const title = `${formatMoney(amount, asset)} · ${description}`
  useEffect(() => noteRecent({ path: `/payouts/claims/${reference}`, title }), [reference, title])
  return (
    <>
      <PageHead
        parent={{
          to: '/payouts/claims',
          label: claimTexts.title,
          current: <Reference value={reference} />,
        }}
        title={
          <>
            <Money amount={amount} asset={asset} /> · {description}
          </>
        }
        tab={title}
        beside={<ClaimStatus claim={claim} />}
        actions={status === 'OPEN' && <Actions claim={claim} />}
      />
      {claim.locked && (
        <Note tone="warn" title={words.lockedTitle}>
          <p>{words.lockedText}</p>
        </Note>
      )}
      <JsonCard title={words.claim} value={claim} words={words}>
        <p className="padded soft">{(payment ? words.aboutReturn : words.about)[status]}</p>
        <Facts>
          <Fact name={words.amount}>
            <b>
              <Money amount={amount} asset={asset} />
            </b>
          </Fact>
          <Fact name={words.feeMax}>
            <Money amount={claim.feeMax} asset={asset} />
          </Fact>
          <Fact name={words.payment}>
            {payment && <ResourceLink to={`/payments/${payment}`} reference={payment} />}
          </Fact>
          <Fact name={words.recipient}>{claim.recipientName}</Fact>
          <Fact name={words.email}>{claim.email}</Fact>
          <Fact name={words.word}>{claim.hasSecretWord ? words.wordYes : words.wordNo}</Fact>
          <Fact name={words.payout}>
            {payout && <ResourceLink to={`/payouts/${payout}`} reference={payout} />}
          </Fact>
          <Fact name={words.reference}>{claim.merchantReference}</Fact>
          <Fact name={words.created}>
            <Time value={claim.createdAt} />
          </Fact>
          <Fact name={words.expires}>
            <Time value={claim.expiresAt} />
          </Fact>
          <Fact name={words.claimed}>{claim.claimedAt && <Time value={claim.claimedAt} />}</Fact>
          <Fact name={words.ended}>{claim.endedAt && <Time value={claim.endedAt} />}</Fact>
        </Facts>
      </JsonCard>
    </>
  )
}

function Actions({ claim: { reference, locked, amount, asset, payment } }: { claim: Claim }) {
  const mayChange = useMay('payouts.create')
  const mayDecide = useMay('payments.decide')
  const [isCancelling, setCancelling] = useState(false)
  const { write, isBusy, refusal } = useWrite<Claim>({
    topics: ['balances', 'payouts', 'payments'],
    reads: ['claim'],
  })
  if (!mayChange) return null
  const unlock = async () => {
    const isDone = (await write(`/v1/claims/${reference}/unlock`)) !== undefined
    void notify(isDone ? words.unlocked : commonTexts.failed, isDone ? 'good' : 'bad')
  }
  const cancel = async () => {
    if (!(await write(`/v1/claims/${reference}/cancel`))) return
    setCancelling(false)
    void notify(claimTexts.cancelDialog.done)
  }
  return (
    <>
      {locked && (
        <Button isDisabled={isBusy} onClick={() => void unlock()}>
          {words.unlock}
        </Button>
      )}
      {(payment === null || mayDecide) && (
        <Button kind="danger" onClick={() => setCancelling(true)}>
          {words.cancel}
        </Button>
      )}
      {isCancelling && (
        <ConfirmDialog
          title={claimTexts.cancelDialog.title}
          confirmLabel={claimTexts.cancelDialog.confirm}
          isDangerous
          isBusy={isBusy}
          refusal={refusal}
          onConfirm={() => void cancel()}
          onClose={() => setCancelling(false)}
        >
          <p>
            {payment
              ? claimTexts.cancelDialog.textOfReturn(formatMoney(amount, asset))
              : claimTexts.cancelDialog.text(formatMoney(amount, asset))}
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
