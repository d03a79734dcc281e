import { Card, Note } from '../../parts/page'
import { type Batch, payableOf } from './batch'
import { batchTexts } from './texts'

const words = batchTexts.page

/** A progress bar while items are checked or paid, then the result. */
export function BatchProgress({ batch }: { batch: Batch }) {
  const { status, items, progress, counts } = batch
  if (status === 'VALIDATING')
    return (
      <Card isPadded>
        <h2>{words.checking}</h2>
        <Bar name={words.checking} done={progress.validated} all={items} />
        <p className="row spread wrap" role="status">
          <b>{words.checked(progress.validated, items)}</b>
        </p>
        <p className="soft small">{words.checkingText}</p>
      </Card>
    )
  if (status === 'PROCESSING') {
    const all = payableOf(batch)
    return (
      <Card isPadded>
        <h2>{words.paying}</h2>
        <Bar name={words.paying} done={progress.ended} sent={progress.processed} all={all} />
        <p role="status">
          <b>{words.paid(progress.ended, counts.submitted, all)}</b>
        </p>
      </Card>
    )
  }
  if (status === 'COMPLETED') return <Result batch={batch} />
  if (status === 'CANCELLED' || status === 'REJECTED' || status === 'EXPIRED')
    return <Note tone="calm" icon="close" title={words.nothingPaid} />
  return null
}

type BarProps = { name: string; done: number; sent?: number; all: number }

function Bar({ name, done, sent = 0, all }: BarProps) {
  const share = (value: number) => `${all === 0 ? 100 : (value / all) * 100}%`
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={done}
    >
      <i className="sent" style={{ width: share(sent) }} />
      <i style={{ width: share(done) }} />
    </div>
  )
}

function Result({ batch: { counts } }: { batch: Batch }) {
  const { completed, failed, invalid } = counts
  const all = completed + failed
  return (
    <Card title={words.result} aside={<b>{words.done(completed, failed)}</b>}>
      <div className="padded no-top-padding">
        <div className="progress" aria-hidden="true">
          <i className="good" style={{ width: `${all === 0 ? 0 : (completed / all) * 100}%` }} />
        </div>
      </div>
      <dl className="outcomes">
        <div>
          <dt>{words.paidItems}</dt>
          <dd>{completed.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>{words.failedItems}</dt>
          <dd className={failed > 0 ? 'down' : ''}>{failed.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>{words.leftOut}</dt>
          <dd>{invalid.toLocaleString('en')}</dd>
        </div>
      </dl>
    </Card>
  )
}
