import { useState } from 'react'
import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Dialog } from '../../parts/dialog'
import { Card } from '../../parts/page'
import { type Factors, useFactorWrite } from './factors'
import { youTexts } from './texts'

const t = youTexts.codes

export function CodesCard({ factors: { recoveryCodes } }: { factors: Factors }) {
  const [isAsking, setAsking] = useState(false)
  const [codes, setCodes] = useState<string[]>([])
  const { write, isBusy, refusal } = useFactorWrite<{ recoveryCodes: string[] }>()
  async function make() {
    const made = await write('recovery-codes')
    if (!made) return
    setAsking(false)
    setCodes(made.recoveryCodes)
  }
  return (
    <Card
      title={t.title}
      aside={
        <Button size="small" onClick={() => setAsking(true)}>
          {t.make}
        </Button>
      }
    >
      <p className="padded soft">
        {t.left(recoveryCodes)} {t.text}
      </p>
      {isAsking && (
        <ConfirmDialog
          title={t.makeTitle}
          confirmLabel={t.make}
          isBusy={isBusy}
          refusal={refusal}
          onConfirm={() => void make()}
          onClose={() => setAsking(false)}
        >
          <p className="soft">{t.makeText}</p>
        </ConfirmDialog>
      )}
      {codes.length > 0 && <ShownCodes codes={codes} onClose={() => setCodes([])} />}
    </Card>
  )
}

/** Codes that were just made. Closing the dialog forgets them. */
export function ShownCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <Dialog isSticky title={t.shownTitle} onClose={onClose}>
      <div className="stack" style={{ gap: 16 }}>
        <p className="soft">{t.shownText}</p>
        <CopyBlock text={codes.join('\n')} label={t.label} />
        <div className="actions-end">
          <Button kind="primary" onClick={onClose}>
            {t.stored}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
