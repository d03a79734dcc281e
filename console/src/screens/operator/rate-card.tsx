import { useState } from 'react'
import type { Coin, CoinRate, CurrentRate, RatePair, RateSource } from '../../api/answers'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { DataTable } from '../../parts/data-table'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, Note } from '../../parts/page'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { currentTime, formatDuration } from '../../parts/time-format'
import { formatRateNaira } from '../conversions/format-rate'
import { exchangeTexts } from './exchange-texts'
import { RateHistory } from './rate-history'
import { SetRateDialog } from './set-rate-dialog'

const t = exchangeTexts.rates

type Opened = 'set' | 'clear' | 'accept' | 'history' | null

type Props = { rate: CoinRate; maxAgeSeconds: number; maxDeviationPercent: number }

/** The rate of one coin: its origin, its age and the rates of its sources. */
export function RateCard({ rate: shown, maxAgeSeconds, maxDeviationPercent }: Props) {
  const { asset, rate, median, sources, isMissing } = shown
  const [opened, setOpened] = useState<Opened>(null)
  const close = () => setOpened(null)
  const isOther = median !== null && (median.buy !== rate?.buy || median.sell !== rate?.sell)
  return (
    <Card
      title={t.coin(asset)}
      aside={
        <Chip tone={rate ? 'good' : isMissing ? 'bad' : 'calm'}>
          {rate ? t.kinds[rate.origin] : t.none}
        </Chip>
      }
    >
      {rate ? <Current rate={rate} /> : <Missing isMissing={isMissing} />}
      {sources.length > 0 && (
        <>
          <Sources coin={asset} sources={sources} />
          <p className="soft small padded">
            {isOther && `${t.median(median.buy, median.sell)} `}
            {t.bounds(formatDuration(maxAgeSeconds * 1_000), maxDeviationPercent)}
          </p>
        </>
      )}
      <div className="actions-end">
        <Button size="small" icon="clock" onClick={() => setOpened('history')}>
          {t.history}
        </Button>
        {rate?.origin === 'operator' && (
          <Button size="small" kind="danger" onClick={() => setOpened('clear')}>
            {t.clear}
          </Button>
        )}
        {isOther && (
          <Button size="small" onClick={() => setOpened('accept')}>
            {t.accept}
          </Button>
        )}
        <Button size="small" kind="primary" onClick={() => setOpened('set')}>
          {t.set}
        </Button>
      </div>
      {opened === 'set' && <SetRateDialog coin={asset} rate={rate} onClose={close} />}
      {opened === 'clear' && <ClearDialog coin={asset} onClose={close} />}
      {opened === 'accept' && median && (
        <AcceptDialog coin={asset} median={median} onClose={close} />
      )}
      {opened === 'history' && <RateHistory coin={asset} onClose={close} />}
    </Card>
  )
}

/** `Set by ada@example.com`, `Median of bank-a, bank-b`. */
const originOf = ({ origin, givenBy }: CurrentRate) => `${t.origins[origin]} ${givenBy}`

function Missing({ isMissing }: { isMissing: boolean }) {
  return (
    <div className="padded no-top-padding">
      {isMissing ? <Note tone="bad" title={t.missing} /> : <p className="soft">{t.noneText}</p>}
    </div>
  )
}

function Current({ rate }: { rate: CurrentRate }) {
  const ageMs = Math.max(0, currentTime().getTime() - Date.parse(rate.createdAt))
  return (
    <>
      <div className="quotes">
        <div>
          <p className="soft small">{t.sell}</p>
          <p className="figure smaller">{formatRateNaira(rate.sell)}</p>
        </div>
        <div>
          <p className="soft small">{t.buy}</p>
          <p className="figure smaller">{formatRateNaira(rate.buy)}</p>
        </div>
      </div>
      <Facts isSmall>
        <Fact name={t.from}>{originOf(rate)}</Fact>
        <Fact name={t.since}>
          <Time value={rate.createdAt} /> · {t.age(formatDuration(ageMs))}
        </Fact>
        {rate.expiresAt && (
          <Fact name={t.until}>
            <Time value={rate.expiresAt} />
          </Fact>
        )}
        {!rate.expiresAt && rate.origin === 'operator' && (
          <Fact name={t.until}>{t.untilCleared}</Fact>
        )}
      </Facts>
    </>
  )
}

function Sources({ coin, sources }: { coin: Coin; sources: RateSource[] }) {
  return (
    <div className="rate-sources top-line">
      <DataTable
        caption={t.sourcesCaption(coin)}
        list={{ rows: sources }}
        keyOf={({ source }) => source}
        empty={null}
        columns={[
          {
            name: 'source',
            head: t.source,
            phone: 1,
            cell: ({ source, problem }) => (
              <>
                <b>{source}</b>
                {problem && <p className="problem">{problem}</p>}
              </>
            ),
          },
          {
            name: 'pair',
            head: t.pair,
            align: 'end',
            phone: 2,
            cell: ({ buy, sell }) => (
              <span className="no-wrap">{buy && sell ? `${buy} / ${sell}` : '–'}</span>
            ),
          },
          {
            name: 'read',
            head: t.read,
            phone: 3,
            cell: ({ readAt }) => (
              <span className="soft no-wrap">
                {readAt ? <Time value={readAt} show="seconds" /> : t.neverRead}
              </span>
            ),
          },
        ]}
      />
    </div>
  )
}

const reads = ['rates', 'exchange', 'rate history', 'doctor']

function ClearDialog({ coin, onClose }: { coin: Coin; onClose: () => void }) {
  const { write, isBusy, refusal } = useWrite({ reads, isKeyed: false })
  return (
    <ConfirmDialog
      isDangerous
      title={exchangeTexts.clear.title(coin)}
      confirmLabel={exchangeTexts.clear.confirm}
      isBusy={isBusy}
      refusal={refusal}
      onClose={onClose}
      onConfirm={async () => {
        if ((await write(`/operator/v1/rates/${coin}/clear`)) === undefined) return
        void notify(exchangeTexts.clear.done)
        onClose()
      }}
    >
      <p>{exchangeTexts.clear.text}</p>
    </ConfirmDialog>
  )
}

function AcceptDialog(props: { coin: Coin; median: RatePair; onClose: () => void }) {
  const { coin, onClose } = props
  // As shown when the dialog opened: the server refuses if the sources moved far since then.
  const [{ buy, sell }] = useState(props.median)
  const { write, isBusy, refusal } = useWrite({ reads, isKeyed: false })
  return (
    <ConfirmDialog
      title={exchangeTexts.accept.title(coin)}
      confirmLabel={exchangeTexts.accept.confirm}
      isBusy={isBusy}
      refusal={refusal}
      onClose={onClose}
      onConfirm={async () => {
        const answer = await write(`/operator/v1/rates/${coin}/accept`, { buy, sell })
        if (answer === undefined) return
        void notify(exchangeTexts.accept.done)
        onClose()
      }}
    >
      <p>{exchangeTexts.accept.text(buy, sell)}</p>
    </ConfirmDialog>
  )
}
