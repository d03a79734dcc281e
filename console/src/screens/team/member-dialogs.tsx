import { useState } from 'react'
import { useMembership } from '../../api/session'
import { useWrite } from '../../api/writes'
import { frameTexts } from '../../frame/texts'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { Note } from '../../parts/page'
import { AccessFields, type MemberAccess } from './access-fields'
import type { Member } from './member'
import type { MadeLink } from './shown-link'
import { teamTexts as t } from './texts'

type Props = { member: Member; onClose: () => void }

export function ChangeDialog({ member, onClose }: Props) {
  const { role, maySeeLive, name } = member
  const [access, setAccess] = useState<MemberAccess>({ role, maySeeLive })
  const { write, isBusy, refusal } = useWrite({ method: 'PATCH', reads: ['team', 'invitations'] })
  async function save() {
    if ((await write(`/v1/team/users/${member.id}`, access)) === undefined) return
    void notify(t.saved)
    onClose()
  }
  return (
    <ConfirmDialog
      title={t.changeTitle(name)}
      confirmLabel={t.save}
      isBusy={isBusy}
      isDisabled={access.role === role && access.maySeeLive === maySeeLive}
      refusal={refusal}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <AccessFields access={access} onChange={setAccess} />
      <p className="soft small">{t.changeText}</p>
    </ConfirmDialog>
  )
}

export function DisableDialog({ member, onClose }: Props) {
  const { name, isDisabled } = member
  const { write, isBusy, refusal } = useWrite({
    method: 'PATCH',
    reads: ['team', 'invitations'],
  })
  async function change() {
    const body = { isDisabled: !isDisabled }
    if ((await write(`/v1/team/users/${member.id}`, body)) === undefined) return
    void notify(t.saved)
    onClose()
  }
  return (
    <ConfirmDialog
      title={isDisabled ? t.enableTitle(name) : t.disableTitle(name)}
      confirmLabel={isDisabled ? t.enable : t.disable}
      isDangerous={!isDisabled}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void change()}
      onClose={onClose}
    >
      {!isDisabled && <p className="soft">{t.disableText}</p>}
      {!isDisabled && member.keys.length > 0 && (
        <Note title={t.disableKeys}>
          <ul>
            {member.keys.map(({ id, name, mode }) => (
              <li key={id}>{t.keyOf(name, frameTexts.modes[mode])}</li>
            ))}
          </ul>
          <p>{t.disableKeysText}</p>
        </Note>
      )}
    </ConfirmDialog>
  )
}

export function EndSessionsDialog({ member, onClose }: Props) {
  const { write, isBusy, refusal } = useWrite({ reads: ['team'] })
  async function end() {
    if ((await write(`/v1/team/users/${member.id}/end-sessions`)) === undefined) return
    void notify(t.ended)
    onClose()
  }
  return (
    <ConfirmDialog
      title={t.endTitle(member.name)}
      confirmLabel={t.endSessions}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void end()}
      onClose={onClose}
    >
      <p className="soft">{t.endText}</p>
    </ConfirmDialog>
  )
}

type LinkProps = Props & { onMade: (link: MadeLink, email: string) => void }

export function LinkDialog({ member, onClose, onMade }: LinkProps) {
  const { write, isBusy, refusal } = useWrite<MadeLink>({ reads: ['invitations'] })
  async function make() {
    const made = await write(`/v1/team/users/${member.id}/link`)
    if (made) onMade(made, member.email)
  }
  return (
    <ConfirmDialog
      title={t.linkTitle(member.name)}
      confirmLabel={t.makeLink}
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void make()}
      onClose={onClose}
    >
      <p className="soft">{t.linkText}</p>
    </ConfirmDialog>
  )
}

export function InviteDialog({ onClose, onMade }: Omit<LinkProps, 'member'>) {
  const [email, setEmail] = useState('')
  const maySeeLive = useMembership()?.maySeeLive ?? false
  const [access, setAccess] = useState<MemberAccess>({ role: 'finance', maySeeLive })
  const { write, isBusy, refusal } = useWrite<MadeLink>({ reads: ['invitations'] })
  async function invite() {
    const made = await write('/v1/team/invitations', { email: email.trim(), ...access })
    if (made) onMade(made, email.trim())
  }
  return (
    <ConfirmDialog
      title={t.inviteTitle}
      confirmLabel={t.makeInvitation}
      isBusy={isBusy}
      isDisabled={!email.includes('@')}
      refusal={refusal}
      atFields={['email']}
      onConfirm={() => void invite()}
      onClose={onClose}
    >
      <p className="soft">{t.inviteText}</p>
      <TextField
        type="email"
        label={t.email}
        autoComplete="off"
        isFirst
        value={email}
        error={refusal?.issueOf('email')}
        onChange={setEmail}
      />
      <AccessFields access={access} onChange={setAccess} />
    </ConfirmDialog>
  )
}
