import type { PayoutFreeze } from '../../api/answers'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { notify } from '../../parts/notify'
import { formatWhen } from '../../parts/time-format'
import { changes, path } from './freeze'
import { freezeTexts } from './texts'

const words = freezeTexts.thawDialog

type Props = {
  freeze: PayoutFreeze
  /** What it is of, in words. */
  what: string
  step: 'ask' | 'agree' | 'thaw'
  onClose: () => void
}

/** The first member asks, the second one thaws. */
export function ThawDialog({ freeze, what, step, onClose }: Props) {
  const { write, isBusy, refusal } = useWrite<PayoutFreeze>(changes)
  const { frozenBy, frozenAt, reason, thawAskedBy } = freeze
  const thaw = async () => {
    const changed = await write(`${path}/${freeze.id}/thaw`)
    if (!changed) return
    onClose()
    void notify(changed.thawedAt ? words.done : words.asked)
  }
  return (
    <ConfirmDialog
      title={words.title(what)}
      confirmLabel={words.steps[step].confirm}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void thaw()}
      onClose={onClose}
    >
      <div>
        <p className="break-anywhere">{reason}</p>
        <p className="soft small">{words.frozen(frozenBy.name, formatWhen(frozenAt))}</p>
      </div>
      <p>
        {step === 'ask' ? words.steps.ask.text : words.steps[step].text(thawAskedBy?.name ?? '')}
      </p>
      <p className="soft small">{words.proof}</p>
    </ConfirmDialog>
  )
}
