import { useState } from 'react'
import { call } from '../../api/call'
import { ApiRefusal, toRefusal } from '../../api/refusal'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { Card, Note } from '../../parts/page'
import { Time } from '../../parts/time'
import { type Factors, useFactorWrite } from './factors'
import { youTexts } from './texts'

const t = youTexts.passkeys
type Passkey = Factors['passkeys'][number]

/** Browsers refuse passkeys for addresses that are numbers. */
const isNumber = /^[\d.]+$|^\[/.test(window.location.hostname)

export function PasskeysCard({ factors: { passkeys } }: { factors: Factors }) {
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey | null>(null)
  return (
    <Card
      title={t.title}
      aside={
        !isNumber && (
          <Button size="small" icon="finger" onClick={() => setAdding(true)}>
            {t.add}
          </Button>
        )
      }
    >
      {isNumber && (
        <div className="padded">
          <Note tone="calm" icon="finger">
            {t.needsName}
          </Note>
        </div>
      )}
      {passkeys.length === 0 ? (
        <p className="padded soft">
          {t.empty} {t.text}
        </p>
      ) : (
        <ul className="list">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <div className="text">
                <p className="bold">{passkey.name}</p>
                <p className="soft small">
                  {t.added} <Time value={passkey.createdAt} /> ·{' '}
                  {passkey.lastUsedAt ? (
                    <>
                      {t.lastUsed} <Time value={passkey.lastUsedAt} />
                    </>
                  ) : (
                    t.neverUsed
                  )}
                </p>
              </div>
              <Button
                size="small"
                label={`${t.remove}: ${passkey.name}`}
                onClick={() => setRemoved(passkey)}
              >
                {t.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {removed && <RemoveDialog passkey={removed} onClose={() => setRemoved(null)} />}
    </Card>
  )
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(t.defaultName)
  const [problem, setProblem] = useState<ApiRefusal | null>(null)
  const [isAsking, setAsking] = useState(false)
  const { write, isBusy, refusal } = useFactorWrite()
  async function add() {
    setProblem(null)
    setAsking(true)
    try {
      const passkey = await makePasskey()
      if ((await write('passkeys', { name: name.trim(), passkey })) === undefined) return
      void notify(t.done)
      onClose()
    } catch (error) {
      setProblem(toRefusal(error))
    } finally {
      setAsking(false)
    }
  }
  return (
    <ConfirmDialog
      title={t.add}
      confirmLabel={t.add}
      isBusy={isBusy || isAsking}
      isDisabled={name.trim() === ''}
      refusal={problem ?? refusal}
      onConfirm={() => void add()}
      onClose={onClose}
    >
      <p className="soft">{t.text}</p>
      <TextField
        label={t.name}
        description={t.nameHint}
        maxLength={100}
        isFirst
        value={name}
        onChange={setName}
      />
    </ConfirmDialog>
  )
}

async function makePasskey(): Promise<object> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  type Options = Parameters<typeof startRegistration>[0]['optionsJSON']
  const optionsJSON = await call<Options>('/console/session/passkeys/options', {
    method: 'POST',
    body: {},
  })
  try {
    return await startRegistration({ optionsJSON })
  } catch {
    // Browsers do not say why: the user closed their window, or the device has this passkey.
    throw new ApiRefusal({ status: 0, message: t.cancelled })
  }
}

function RemoveDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { write, isBusy, refusal } = useFactorWrite('DELETE')
  async function remove() {
    if ((await write(`passkeys/${passkey.id}`)) === undefined) return
    void notify(t.removed)
    onClose()
  }
  return (
    <ConfirmDialog
      title={t.removeTitle(passkey.name)}
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
