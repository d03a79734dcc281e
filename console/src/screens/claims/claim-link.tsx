import type { Claim } from '../../../../sdk/src/types'
import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { Dialog } from '../../parts/dialog'
import { claimTexts } from './texts'

const words = claimTexts.link

/** The link of a new claim: it is not stored, so it is shown only here. */
export function ClaimLink({ claim, onClose }: { claim: Claim; onClose: () => void }) {
  const { url, email } = claim
  return (
    <Dialog title={words.title} onClose={onClose} isSticky>
      <div className="stack" style={{ gap: 16 }}>
        <p>{words.text}</p>
        {email && <p className="soft">{words.mailed(email)}</p>}
        <CopyBlock text={url!} label={words.title} />
        <div className="actions-end">
          <Button kind="primary" onClick={onClose}>
            {words.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
