import { useState } from 'react'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { Copy } from '../../parts/copy'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { Card } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { ShownCodes } from './codes'
import { type Factors, useFactorWrite } from './factors'
import { youTexts } from './texts'

const t = youTexts.totp

type Offer = { secret: string; enrolment: string; qr: string }

export function TotpCard({ factors: { hasTotp } }: { factors: Factors }) {
  const [offer, setOffer] = useState<Offer | null>(null)
  const [codes, setCodes] = useState<string[]>([])
  const [isRemoving, setRemoving] = useState(false)
  const { write, isBusy, refusal } = useFactorWrite<Offer>()
  async function begin() {
    const made = await write('own-totp')
    if (made) setOffer(made)
  }
  return (
    <Card
      title={t.title}
      aside={
        <span className="row">
          {hasTotp && (
            <Button size="small" onClick={() => setRemoving(true)}>
              {t.remove}
            </Button>
          )}
          <Button size="small" isBusy={isBusy} onClick={() => void begin()}>
            {hasTotp ? t.replace : t.add}
          </Button>
        </span>
      }
    >
      <p className="padded soft">{hasTotp ? t.has : t.hasNone}</p>
      <Refusal error={refusal} />
      {offer && (
        <ConfirmTotp
          offer={offer}
          onClose={() => setOffer(null)}
          onDone={(made) => {
            setOffer(null)
            setCodes(made)
          }}
        />
      )}
      {isRemoving && <RemoveDialog onClose={() => setRemoving(false)} />}
      {codes.length > 0 && <ShownCodes codes={codes} onClose={() => setCodes([])} />}
    </Card>
  )
}

type ConfirmProps = { offer: Offer; onClose: () => void; onDone: (codes: string[]) => void }

function ConfirmTotp({ offer, onClose, onDone }: ConfirmProps) {
  const [code, setCode] = useState('')
  const { write, isBusy, refusal } = useFactorWrite<{ recoveryCodes: string[] }>()
  async function confirm() {
    const body = { enrolment: offer.enrolment, code: code.trim() }
    const made = await write('own-totp', body)
    if (!made) return
    void notify(t.done)
    onDone(made.recoveryCodes)
  }
  return (
    <ConfirmDialog
      title={t.title}
      confirmLabel={t.confirm}
      isBusy={isBusy}
      isDisabled={code.trim().length < 6}
      refusal={refusal}
      atFields={['code']}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.scan}</p>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(offer.qr)}`}
        alt={t.qr}
        width={196}
        height={196}
        style={{ justifySelf: 'center', borderRadius: 10 }}
      />
      <p className="soft small">
        {t.key}{' '}
        <Copy text={offer.secret}>
          <span className="mono">{offer.secret.replace(/(.{4})(?=.)/g, '$1 ')}</span>
        </Copy>
      </p>
      <TextField
        label={t.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        isFirst
        value={code}
        error={refusal?.issueOf('code')}
        onChange={setCode}
      />
    </ConfirmDialog>
  )
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { write, isBusy, refusal } = useFactorWrite('DELETE')
  async function remove() {
    if ((await write('own-totp')) === undefined) return
    void notify(t.removed)
    onClose()
  }
  return (
    <ConfirmDialog
      title={t.removeTitle}
      confirmLabel={t.remove}
      isDangerous
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p className="soft">{t.removeText}</p>
    </ConfirmDialog>
  )
}
