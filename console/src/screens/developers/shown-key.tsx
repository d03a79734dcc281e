import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { Dialog } from '../../parts/dialog'
import type { ShownKey } from './api-key'
import { keyTexts as words } from './key-texts'

/** The key itself. A live key is shown once, so the dialog closes by its button only. */
export function ShownKeyDialog({ shown, onClose }: { shown: ShownKey; onClose: () => void }) {
  const isNew = !shown.isRevealable || shown.mode === 'live'
  return (
    <Dialog isSticky={isNew} title={isNew ? words.madeTitle : shown.name} onClose={onClose}>
      <div className="stack" style={{ gap: 16 }}>
        <p className="soft">{shown.isRevealable ? words.madeTest : words.madeOnce}</p>
        <CopyBlock text={shown.key} label={words.key} />
        <div className="actions-end">
          <Button kind="primary" onClick={onClose}>
            {words.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
