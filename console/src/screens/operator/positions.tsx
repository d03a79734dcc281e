import { useState } from 'react'
import type { ModeExchange, Position } from '../../api/answers'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { formatDigits } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts } from '../../parts/page'
import { exchangeTexts } from './exchange-texts'
import { ReasonDialog } from './reason-dialog'
import { operatorTexts } from './texts'

const t = exchangeTexts.positions

type Change = { kind: 'add' | 'take' | 'limit'; position: Position }

/** What the exchange holds of each asset, and what it earned. */
export function Positions({ exchange: { mode, profit, positions } }: { exchange: ModeExchange }) {
  const [change, setChange] = useState<Change | null>(null)
  const close = () => setChange(null)
  return (
    <Card
      title={t.title(mode)}
      aside={
        <span className="align-end">
          <span className="soft small">{t.profit}</span>{' '}
          <b className="no-wrap">{profit ?? t.profitUnknown}</b>
        </span>
      }
    >
      <div className="positions">
        {positions.map((position) => (
          <div key={position.asset}>
            <div className="position-head">
              <p className="soft small">
                {position.asset} · {t.inventory}
              </p>
              <p className="figure smaller">{position.inventory}</p>
            </div>
            <Facts isSmall>
              <Fact name={t.stock}>{position.stock}</Fact>
              <Fact name={t.bought}>{position.bought}</Fact>
              <Fact name={t.sold}>{position.sold}</Fact>
              <Fact name={t.fees}>{position.fees}</Fact>
              <Fact name={t.worth}>{position.worth ?? '–'}</Fact>
              <Fact name={t.limit}>{position.ceiling ?? t.noLimit}</Fact>
            </Facts>
            <div className="actions-end">
              {(['add', 'take', 'limit'] as const).map((kind) => (
                <Button
                  key={kind}
                  size="small"
                  label={`${actions[kind]} ${position.asset}, ${mode}`}
                  onClick={() => setChange({ kind, position })}
                >
                  {actions[kind]}
                </Button>
              ))}
            </div>
          </div>
        ))}
      </div>
      <p className="soft small padded top-line">{t.profitText}</p>
      {change?.kind === 'limit' && (
        <LimitDialog mode={mode} position={change.position} onClose={close} />
      )}
      {(change?.kind === 'add' || change?.kind === 'take') && (
        <StockDialog kind={change.kind} mode={mode} position={change.position} onClose={close} />
      )}
    </Card>
  )
}

const actions = { add: t.add, take: t.take, limit: t.setLimit }

type DialogProps = { mode: ModeExchange['mode']; position: Position; onClose: () => void }

/** Money of the operator, into the exchange or out of it. In live mode another one confirms it. */
function StockDialog({ kind, mode, position, onClose }: DialogProps & { kind: 'add' | 'take' }) {
  const { asset } = position
  const [amount, setAmount] = useState<bigint | null>(null)
  const words = exchangeTexts.stock
  const text = kind === 'add' ? words.addText : words.takeText
  const done = kind === 'add' ? words.added : words.taken
  const verb = kind === 'add' ? words.add : words.take
  const isProposal = mode === 'live'
  return (
    <ReasonDialog
      title={(kind === 'add' ? words.addTitle : words.takeTitle)(asset, mode)}
      text={isProposal ? `${text} ${operatorTexts.proposedText}` : text}
      confirmLabel={isProposal ? operatorTexts.propose : verb}
      path={`/operator/v1/exchange/${kind}`}
      field="note"
      label={words.note}
      hint={operatorTexts.reasonHint}
      reads={['exchange', 'treasuries', 'exchange actions']}
      done={isProposal ? operatorTexts.proposed : done}
      isDangerous={kind === 'take'}
      body={{ mode, asset, amount: decimalOf(amount, asset) }}
      isIncomplete={!amount}
      onClose={onClose}
    >
      <MoneyInput
        asset={asset}
        label={words.amount}
        value={amount}
        onChange={setAmount}
        autoFocus
      />
    </ReasonDialog>
  )
}

/** In the main unit, as the command takes it. */
const decimalOf = (amount: bigint | null, asset: Position['asset']) =>
  formatDigits(amount ?? 0n, asset).replaceAll(',', '')

function LimitDialog({ mode, position: { asset }, onClose }: DialogProps) {
  const [amount, setAmount] = useState<bigint | null>(null)
  const words = exchangeTexts.limit
  const { write, isBusy, refusal } = useWrite({ reads: ['exchange'], isKeyed: false })
  return (
    <ConfirmDialog
      title={words.title(asset, mode)}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      refusal={refusal}
      atFields={['amount']}
      onClose={onClose}
      onConfirm={async () => {
        const limit = amount === null ? null : decimalOf(amount, asset)
        const answer = await write('/operator/v1/exchange/limit', { mode, asset, amount: limit })
        if (answer === undefined) return
        void notify(words.done)
        onClose()
      }}
    >
      <p className="soft">{words.text}</p>
      <MoneyInput
        asset={asset}
        label={words.amount}
        description={words.hint}
        value={amount}
        error={refusal?.issueOf('amount')}
        onChange={setAmount}
        autoFocus
      />
    </ConfirmDialog>
  )
}
