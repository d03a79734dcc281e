import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { Dialog } from '../../parts/dialog'
import { Time } from '../../parts/time'
import { teamTexts as t } from './texts'

export type MadeLink = { url: string; qr: string; expiresAt: string }

type Props = { link: MadeLink; email: string; onClose: () => void }

/** A link that was just made. Closing the dialog forgets it. */
export function ShownLink({ link, email, onClose }: Props) {
  return (
    <Dialog isSticky title={t.shownTitle} onClose={onClose}>
      <div className="stack" style={{ gap: 16 }}>
        <p className="soft">{t.shownText(email)}</p>
        <CopyBlock text={link.url} label={t.shownTitle} />
        <img
          src={`data:image/svg+xml,${encodeURIComponent(link.qr)}`}
          alt={t.qr}
          width={180}
          height={180}
          style={{ justifySelf: 'center', borderRadius: 10 }}
        />
        <p className="soft small">
          {t.shownUntil} <Time value={link.expiresAt} />
        </p>
        <div className="actions-end">
          <Button kind="primary" onClick={onClose}>
            {t.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
