import './batches.css'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { ExportButton } from '../../parts/export-button'
import { Reference, ResourceLink } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { Simulate } from '../payouts/simulate'
import { type Batch, BatchStatus, isOpen, path, titleOf } from './batch'
import { BatchApproval } from './batch-approval'
import { BatchItems } from './batch-items'
import { BatchProgress } from './batch-progress'
import { SubmitBatch, Totals } from './submit-batch'
import { batchTexts } from './texts'

const words = batchTexts.page

/** One batch from the upload to the result. */
export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const read = useRead<Batch>('batch', `${path}/${reference}`)
  return (
    <ResourcePage path={`${path}/${reference}`} read={read} heights={[420]} isWide>
      {(batch) => <BatchPage batch={batch} />}
    </ResourcePage>
  )
}

function BatchPage({ batch }: { batch: Batch }) {
  const { reference, kind, items, status } = batch
  const { mode } = useScope()
  const mayCreate = useMay('payouts.create')
  const title = titleOf(batch)
  useEffect(() => noteRecent({ path: `/payouts/batches/${reference}`, title }), [reference, title])
  return (
    <>
      <PageHead
        parent={{
          to: '/payouts/batches',
          label: batchTexts.title,
          current: <Reference value={reference} />,
        }}
        title={title}
        beside={
          <>
            <BatchStatus batch={batch} />
            {batch.name && <span className="soft">{batchTexts.kinds[kind](items)}</span>}
          </>
        }
        actions={<Actions batch={batch} />}
      />
      <div className="with-aside wide-aside batch">
        <div className="stack">
          <BatchProgress batch={batch} />
          <BatchItems batch={batch} />
        </div>
        <div className={isOpen(batch) || status === 'PENDING' ? 'stack decision' : 'stack'}>
          {isOpen(batch) ? (
            <SubmitBatch batch={batch} />
          ) : (
            <Card title={words.summary}>
              <Totals batch={batch} />
            </Card>
          )}
          {batch.approval && <BatchApproval batch={batch} />}
          {mode === 'test' && status === 'PENDING' && mayCreate && (
            <Simulate reference={reference} />
          )}
          <Card className="dates">
            <div className="above-space">
              <Facts isSmall>
                <Fact name={words.createdBy}>
                  {batch.createdBy &&
                    (batch.createdBy.kind === 'key'
                      ? words.key(batch.createdBy.name)
                      : batch.createdBy.name)}
                </Fact>
                <Fact name={words.created}>
                  <Time value={batch.createdAt} />
                </Fact>
                <Fact name={words.submitted}>
                  {batch.submittedAt && <Time value={batch.submittedAt} />}
                </Fact>
                <Fact name={words.ended}>{batch.endedAt && <Time value={batch.endedAt} />}</Fact>
                <Fact name={words.retryOf}>
                  {batch.retryOf && (
                    <ResourceLink
                      to={`/payouts/batches/${batch.retryOf}`}
                      reference={batch.retryOf}
                    />
                  )}
                </Fact>
                <Fact name={words.orderHash}>
                  {status === 'PENDING' && batch.orderHash ? (
                    <Reference value={batch.orderHash} isShort />
                  ) : null}
                </Fact>
              </Facts>
            </div>
          </Card>
        </div>
      </div>
    </>
  )
}

const topics = ['batches', 'approvals', 'balances'] as const

function Actions({ batch }: { batch: Batch }) {
  const { reference, status, counts } = batch
  const mayCreate = useMay('payouts.create')
  const mayExport = useMay('exports.make')
  const [isCancelling, setCancelling] = useState(false)
  const hasResults = status === 'PROCESSING' || status === 'COMPLETED'
  const isPaying = status === 'PROCESSING' && counts.valid > 0
  const canCancel = isOpen(batch) || status === 'VALIDATING' || isPaying
  return (
    <>
      {mayExport && hasResults && (
        <ExportButton
          path={`${path}/${reference}/report`}
          filters={{}}
          fileName={`${reference}.csv`}
          isNamed
          label={words.report}
        />
      )}
      {mayCreate && canCancel && (
        <Button kind="danger" onClick={() => setCancelling(true)}>
          {endingOf(batch).confirm}
        </Button>
      )}
      {mayCreate && status === 'COMPLETED' && counts.failed > 0 && <Retry batch={batch} />}
      {isCancelling && <Cancel batch={batch} onClose={() => setCancelling(false)} />}
    </>
  )
}

function Retry({ batch: { reference } }: { batch: Batch }) {
  const navigate = useNavigate()
  const { write, isBusy, refusal } = useWrite<Batch>({ topics })
  useEffect(() => {
    if (refusal) void notify(refusal.sentence, 'bad')
  }, [refusal])
  const retry = async () => {
    const created = await write(`${path}/${reference}/retry`)
    if (!created) return
    await notify(words.retried)
    await navigate({
      to: '/payouts/batches/$reference',
      params: { reference: created.reference } as never,
    })
  }
  return (
    <Button kind="primary" icon="redo" isBusy={isBusy} onClick={() => void retry()}>
      {words.retry}
    </Button>
  )
}

/** The words for ending it early: the rest is stopped once it is paid. */
const endingOf = ({ status }: Batch) => (status === 'PROCESSING' ? words.stop : words.cancel)

function Cancel({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const ending = endingOf(batch)
  const { write, isBusy, refusal } = useWrite({ topics, reads: ['batch'] })
  return (
    <ConfirmDialog
      isDangerous
      title={ending.title}
      confirmLabel={ending.confirm}
      isBusy={isBusy}
      refusal={refusal}
      onClose={onClose}
      onConfirm={async () => {
        if ((await write(`${path}/${batch.reference}/cancel`)) === undefined) return
        onClose()
        await notify(ending.done)
      }}
    >
      <p>{ending.text(batch.counts)}</p>
    </ConfirmDialog>
  )
}
