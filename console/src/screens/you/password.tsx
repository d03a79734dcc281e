import { useState } from 'react'
import { useSession } from '../../api/session'
import { Button } from '../../parts/button'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { notify } from '../../parts/notify'
import { Card } from '../../parts/page'
import { PasswordField } from '../../parts/password-field'
import { type Factors, useFactorWrite } from './factors'
import { youTexts } from './texts'

const t = youTexts.password

export function PasswordCard({ factors: { hasPassword } }: { factors: Factors }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title={t.title}
      aside={
        <Button size="small" onClick={() => setOpen(true)}>
          {hasPassword ? t.change : t.set}
        </Button>
      }
    >
      <p className="padded soft">{hasPassword ? t.has : t.hasNone}</p>
      {isOpen && <PasswordDialog onClose={() => setOpen(false)} />}
    </Card>
  )
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const { write, isBusy, refusal } = useFactorWrite()
  async function save() {
    if ((await write('own-password', { password })) === undefined) return
    void notify(t.done)
    onClose()
  }
  return (
    <ConfirmDialog
      title={user.hasPassword ? t.change : t.set}
      confirmLabel={user.hasPassword ? t.change : t.set}
      isBusy={isBusy}
      isDisabled={password.length < 12}
      refusal={refusal}
      atFields={['password']}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <input type="hidden" name="email" autoComplete="username" value={user.email} />
      <PasswordField
        label={t.field}
        description={t.hint}
        autoComplete="new-password"
        isFirst
        value={password}
        error={refusal?.issueOf('password')}
        onChange={setPassword}
      />
      <p className="soft small">{t.ends}</p>
    </ConfirmDialog>
  )
}
