import { useState } from 'react'
import type { LevyDebit } from '../../api/answers'
import type { Mode } from '../../api/scope'
import { useWrite } from '../../api/writes'
import { Checkbox } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextField } from '../../parts/fields'
import { formatDigits } from '../../parts/money-format'
import { MoneyInput } from '../../parts/money-input'
import { notify } from '../../parts/notify'
import { Note } from '../../parts/page'
import { taxTexts } from './tax-texts'

const t = taxTexts.levies
const reads = ['levies', 'levy report']
const everyRail = 'every'

type DialogProps = { onClose: () => void }

/** Midnight in Lagos of a chosen day. */
export const startOfDay = (day: string) => `${day}T00:00:00+01:00`

/** In naira, as the command takes it. */
const decimalOf = (amount: bigint) => formatDigits(amount, 'NGN').replaceAll(',', '')

type ModeProps = { value: Mode; onChange: (mode: Mode) => void }

export function ModeField({ value, onChange }: ModeProps) {
  return (
    <SelectField label={taxTexts.mode} options={taxTexts.modes} value={value} onChange={onChange} />
  )
}

type RailProps = { rails: string[]; value: string; onChange: (rail: string) => void }

function RailField({ rails, value, onChange }: RailProps) {
  const names = Object.fromEntries(rails.map((rail) => [rail, rail]))
  return (
    <SelectField
      label={t.rail}
      options={{ [everyRail]: t.allRails, ...names }}
      value={value}
      onChange={onChange}
    />
  )
}

/** A write of this screen, and the message after it. */
function useLevyWrite(onClose: () => void, done: string) {
  const { write, isBusy, refusal } = useWrite({ reads, isKeyed: false })
  const send = async (path: string, body: object) => {
    if ((await write(`/operator/v1/levies${path}`, body)) === undefined) return
    void notify(done)
    onClose()
  }
  return { send, isBusy, refusal }
}

export function PresetDialog({ onClose }: DialogProps) {
  const words = taxTexts.presetDialog
  const [mode, setMode] = useState<Mode>('live')
  const { send, isBusy, refusal } = useLevyWrite(onClose, words.done)
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void send('/presets/nigeria', { mode })}
      onClose={onClose}
    >
      <p>{words.text}</p>
      <Note tone="warn" title={words.check} />
      <ModeField value={mode} onChange={setMode} />
    </ConfirmDialog>
  )
}

export function SetLevyDialog({ rails, onClose }: DialogProps & { rails: string[] }) {
  const words = taxTexts.setDialog
  const [mode, setMode] = useState<Mode>('live')
  const [rail, setRail] = useState(everyRail)
  const [amount, setAmount] = useState<bigint | null>(5_000n)
  const [threshold, setThreshold] = useState<bigint | null>(1_000_000n)
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const [chargeSalaries, setChargeSalaries] = useState(false)
  const [chargeOwnAccounts, setChargeOwnAccounts] = useState(false)
  const { send, isBusy, refusal } = useLevyWrite(onClose, words.done)
  const isComplete = amount !== null && amount > 0n && threshold !== null
  const body = () => ({
    mode,
    ...(rail !== everyRail && { rail }),
    amount: decimalOf(amount!),
    threshold: decimalOf(threshold!),
    ...(from && { from: startOfDay(from) }),
    ...(until && { until: startOfDay(until) }),
    ...(chargeSalaries && { chargeSalaries }),
    ...(chargeOwnAccounts && { chargeOwnAccounts }),
  })
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      isDisabled={!isComplete}
      refusal={refusal}
      atFields={['amount', 'threshold', 'from', 'until']}
      onConfirm={() => void send('', body())}
      onClose={onClose}
    >
      <p className="soft">{words.text}</p>
      <div className="two-columns">
        <ModeField value={mode} onChange={setMode} />
        <RailField rails={rails} value={rail} onChange={setRail} />
        <MoneyInput
          asset="NGN"
          label={words.amount}
          value={amount}
          error={refusal?.issueOf('amount')}
          onChange={setAmount}
        />
        <MoneyInput
          asset="NGN"
          label={words.threshold}
          value={threshold}
          error={refusal?.issueOf('threshold')}
          onChange={setThreshold}
        />
        <TextField
          type="date"
          label={words.from}
          description={words.fromHint}
          isDescribedBelow
          value={from}
          error={refusal?.issueOf('from')}
          onChange={setFrom}
        />
        <TextField
          type="date"
          label={words.until}
          description={words.untilHint}
          isDescribedBelow
          value={until}
          error={refusal?.issueOf('until')}
          onChange={setUntil}
        />
      </div>
      <Checkbox label={words.chargeSalaries} isOn={chargeSalaries} onChange={setChargeSalaries} />
      <Checkbox
        label={words.chargeOwnAccounts}
        isOn={chargeOwnAccounts}
        onChange={setChargeOwnAccounts}
      />
    </ConfirmDialog>
  )
}

export function EndDialog({ rails, onClose }: DialogProps & { rails: string[] }) {
  const words = taxTexts.endDialog
  const [mode, setMode] = useState<Mode>('live')
  const [rail, setRail] = useState(everyRail)
  const [from, setFrom] = useState('')
  const { send, isBusy, refusal } = useLevyWrite(onClose, words.done)
  const body = {
    mode,
    ...(rail !== everyRail && { rail }),
    ...(from && { from: startOfDay(from) }),
  }
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={words.confirm}
      isDangerous
      isBusy={isBusy}
      refusal={refusal}
      atFields={['from']}
      onConfirm={() => void send('/end', body)}
      onClose={onClose}
    >
      <p>{words.text}</p>
      <div className="two-columns">
        <ModeField value={mode} onChange={setMode} />
        <RailField rails={rails} value={rail} onChange={setRail} />
      </div>
      <TextField
        type="date"
        label={taxTexts.setDialog.from}
        description={taxTexts.setDialog.fromHint}
        value={from}
        error={refusal?.issueOf('from')}
        onChange={setFrom}
      />
    </ConfirmDialog>
  )
}

type DebitProps = DialogProps & Pick<LevyDebit, 'rail' | 'debits'>

/** For reconciliation, which compares the balance at the provider with the books. */
export function DebitDialog({ rail, debits, onClose }: DebitProps) {
  const words = taxTexts.debits
  const [kind, setKind] = useState(debits)
  const [since, setSince] = useState('')
  const { send, isBusy, refusal } = useLevyWrite(onClose, words.done)
  const body = { rail, debits: kind, ...(since && { since: startOfDay(since) }) }
  return (
    <ConfirmDialog
      title={words.title(rail)}
      confirmLabel={words.confirm}
      isBusy={isBusy}
      refusal={refusal}
      atFields={['since']}
      onConfirm={() => void send('/debits', body)}
      onClose={onClose}
    >
      <p className="soft">{words.hint}</p>
      <SelectField label={words.kind} options={words.kinds} value={kind} onChange={setKind} />
      <TextField
        type="date"
        label={words.since}
        description={words.sinceHint}
        value={since}
        error={refusal?.issueOf('since')}
        onChange={setSince}
      />
    </ConfirmDialog>
  )
}
