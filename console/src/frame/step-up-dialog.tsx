import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call'
import { ApiRefusal, toRefusal } from '../api/refusal'
import { sessionKey, useSession } from '../api/session'
import { Button } from '../parts/button'
import { Dialog } from '../parts/dialog'
import { TextField } from '../parts/fields'
import { Form } from '../parts/form'
import { Note } from '../parts/page'
import { PasswordField } from '../parts/password-field'
import { Refusal } from '../parts/refusals'
import { frameTexts } from './texts'

const words = frameTexts.stepUp

/** Asks for a factor again. The call that was refused for want of one is then repeated. */
export function StepUp({ onAnswer }: { onAnswer: (isProven: boolean) => void }) {
  const { user } = useSession()
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<ApiRefusal | null>(null)

  // A password confirms only users without a second factor.
  const isPasswordEnough = user.hasPassword && !user.hasTotp && user.passkeys === 0
  const way = user.hasTotp ? 'totp' : isPasswordEnough ? 'password' : null

  async function prove(makeProof: () => Promise<object>): Promise<void> {
    setBusy(true)
    setRefusal(null)
    try {
      const body = await makeProof()
      await call('/console/session/step-up', { method: 'POST', body, asksForStepUp: false })
      await client.invalidateQueries({ queryKey: sessionKey })
      onAnswer(true)
    } catch (error) {
      setRefusal(toRefusal(error))
      setTyped('')
    } finally {
      setBusy(false)
    }
  }

  async function usePasskey(): Promise<object> {
    const { startAuthentication } = await import('@simplewebauthn/browser')
    type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
    const optionsJSON = await call<Options>('/console/session/passkey/options', {
      method: 'POST',
      body: {},
      asksForStepUp: false,
    })
    try {
      return { passkey: await startAuthentication({ optionsJSON }) }
    } catch {
      // Browsers do not say why: the user closed their window, or has no passkey here.
      throw new ApiRefusal({ status: 0, message: words.cancelled })
    }
  }

  const submit = () => {
    void prove(async () => (way === 'totp' ? { totp: typed.trim() } : { password: typed }))
  }

  return (
    <Dialog isOnTop title={words.title} onClose={() => onAnswer(false)}>
      <Form gap={14} onSubmit={submit}>
        <p className="soft">{words.text}</p>
        {user.passkeys > 0 && (
          <Button
            kind="primary"
            size="big"
            icon="finger"
            isBusy={isBusy}
            onClick={() => void prove(usePasskey)}
          >
            {words.passkey}
          </Button>
        )}
        {way === 'totp' && (
          <TextField
            label={words.totp}
            value={typed}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={11}
            isFirst
            onChange={setTyped}
          />
        )}
        {way === 'password' && (
          <PasswordField
            label={words.password}
            value={typed}
            autoComplete="current-password"
            isFirst
            onChange={setTyped}
          />
        )}
        {way === null && user.passkeys === 0 && <Note>{words.none}</Note>}
        <Refusal error={refusal} />
        {way && (
          <div className="actions-end">
            <Button
              type="submit"
              kind={user.passkeys > 0 ? 'plain' : 'primary'}
              isBusy={isBusy}
              isDisabled={typed === ''}
            >
              {words.confirm}
            </Button>
          </div>
        )}
      </Form>
    </Dialog>
  )
}
