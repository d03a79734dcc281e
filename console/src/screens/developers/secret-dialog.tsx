import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { Dialog } from '../../parts/dialog'
import { Note } from '../../parts/page'
import { developerTexts } from './texts'

const words = developerTexts.webhooks.secret

/** A secret that was just made. Closing the dialog forgets it. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog isSticky title={words.shownOnce} onClose={onClose}>
      <div className="stack" style={{ gap: 16 }}>
        <Note>{words.shownOnceText}</Note>
        <CopyBlock text={secret} label={words.shownOnce} />
        <div className="actions-end">
          <Button kind="primary" onClick={onClose}>
            {words.stored}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
