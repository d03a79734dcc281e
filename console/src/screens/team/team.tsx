import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { allPermissions, permissions, roles } from '../../../../src/team/permissions'
import { toList, useRead } from '../../api/reads'
import { useMay, useMembership } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { type Column, DataTable } from '../../parts/data-table'
import { Icon } from '../../parts/icons'
import { Menu, MenuItem } from '../../parts/menu'
import { notify } from '../../parts/notify'
import { Card, EmptyState, Note, PageHead } from '../../parts/page'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { commonTexts } from '../../texts/common'
import { FreezeDialog } from '../freezes/freeze-dialog'
import { frozenTexts } from '../freezes/frozen-texts'
import { freezeTexts } from '../freezes/texts'
import type { Invitation, Member } from './member'
import {
  ChangeDialog,
  DisableDialog,
  EndSessionsDialog,
  InviteDialog,
  LinkDialog,
} from './member-dialogs'
import { type MadeLink, ShownLink } from './shown-link'
import { teamTexts as t } from './texts'
import './team.css'

type Action = 'change' | 'end' | 'link' | 'freeze' | 'disable'
type Chosen = { member: Member; action: Action }

export function Screen() {
  const mayChange = useMay('team.change')
  const seesFactors = useMembership()?.role === 'owner'
  const read = useRead<{ items: Member[] }>('team', '/v1/team/users')
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const search = useSearch({ strict: false }) as { new?: string }
  const navigate = useNavigate()
  const isInviting = mayChange && search.new === 'invitation'
  const setInviting = (isOpen: boolean) =>
    void navigate({ to: '/team', search: isOpen ? { new: 'invitation' } : {}, replace: true })
  const [shown, setShown] = useState<{ link: MadeLink; email: string } | null>(null)
  const members = read.data?.items ?? []
  const approvers = members.filter(
    ({ role, isDisabled }) => !isDisabled && permissions['payouts.approve'].may[role] === 'both',
  )
  const close = () => {
    setChosen(null)
    if (isInviting) setInviting(false)
  }
  const show = (link: MadeLink, email: string) => {
    close()
    setShown({ link, email })
  }

  return (
    <>
      <PageHead
        title={t.title}
        actions={
          mayChange && (
            <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
              {t.invite}
            </Button>
          )
        }
      />
      {mayChange && read.data && approvers.length < 2 && <Note>{t.alone}</Note>}
      <Card>
        <DataTable
          caption={t.caption}
          columns={columnsOf({ mayChange, seesFactors }, setChosen)}
          list={toList(read)}
          keyOf={({ id }) => id}
          empty={<EmptyState icon="users">{t.alone}</EmptyState>}
        />
      </Card>
      {mayChange && <OpenInvitations />}
      <RoleTable />
      {isInviting && <InviteDialog onClose={close} onMade={show} />}
      {chosen?.action === 'change' && <ChangeDialog member={chosen.member} onClose={close} />}
      {chosen?.action === 'end' && <EndSessionsDialog member={chosen.member} onClose={close} />}
      {chosen?.action === 'freeze' && (
        <FreezeDialog
          target={{
            kind: 'member',
            subject: chosen.member.id,
            what: frozenTexts.what.member(chosen.member.name),
          }}
          onClose={close}
        />
      )}
      {chosen?.action === 'disable' && <DisableDialog member={chosen.member} onClose={close} />}
      {chosen?.action === 'link' && (
        <LinkDialog member={chosen.member} onClose={close} onMade={show} />
      )}
      {shown && <ShownLink {...shown} onClose={() => setShown(null)} />}
    </>
  )
}

type Shown = { mayChange: boolean; seesFactors: boolean }

function columnsOf(
  { mayChange, seesFactors }: Shown,
  choose: (chosen: Chosen) => void,
): Column<Member>[] {
  return [
    {
      name: 'name',
      head: t.name,
      isGrowing: true,
      phone: 1,
      cell: ({ name, email, isYou }) => (
        <>
          <span className="bold">{name}</span> {isYou && <span className="soft">({t.you})</span>}
          <br />
          <span className="soft small">{email}</span>
        </>
      ),
    },
    {
      name: 'role',
      head: t.role,
      phone: 3,
      cell: ({ role, maySeeLive }) => (
        <>
          {t.roles[role]}
          {!maySeeLive && <span className="soft small"> · {t.testOnly}</span>}
        </>
      ),
    },
    ...(seesFactors ? [factorColumn] : []),
    {
      name: 'seen',
      head: t.seen,
      isWideOnly: true,
      cell: ({ lastSeenAt }) => (
        <span className="soft">{lastSeenAt ? <Time value={lastSeenAt} /> : t.never}</span>
      ),
    },
    {
      name: 'state',
      head: t.state,
      phone: 2,
      cell: ({ isDisabled }) => (
        <Chip tone={isDisabled ? 'calm' : 'good'}>{isDisabled ? t.disabled : t.active}</Chip>
      ),
    },
    {
      name: 'actions',
      head: <span className="hidden">{t.actions}</span>,
      align: 'end',
      phone: 4,
      cell: (member) => mayChange && <Actions member={member} choose={choose} />,
    },
  ]
}

const factorColumn: Column<Member> = {
  name: 'factor',
  head: t.factor,
  isWideOnly: true,
  cell: ({ hasSecondFactor }) => (hasSecondFactor ? t.hasFactor : t.hasNoFactor),
}

type ActionsProps = { member: Member; choose: (chosen: Chosen) => void }

/** Members do not change their own membership, and only owners change owners. */
function Actions({ member, choose }: ActionsProps) {
  const isOwner = useMembership()?.role === 'owner'
  const mayFreeze = useMay('payouts.freeze')
  const { isYou, role, isDisabled, name } = member
  if (isYou || (role === 'owner' && !isOwner)) return null
  const item = (action: Action, label: string, isDangerous = false) => (
    <MenuItem isDangerous={isDangerous} onClick={() => choose({ member, action })}>
      {label}
    </MenuItem>
  )
  return (
    <Menu
      isFlat
      width={230}
      button={
        <button type="button" className="icon-button" aria-label={`${t.actions}: ${name}`}>
          <Icon name="dots" />
        </button>
      }
    >
      {!isDisabled && item('change', t.change)}
      {!isDisabled && item('end', t.endSessions)}
      {!isDisabled && item('link', t.link)}
      {mayFreeze && item('freeze', freezeTexts.ofMember)}
      {isDisabled ? item('disable', t.enable) : item('disable', t.disable, true)}
    </Menu>
  )
}

function OpenInvitations() {
  const { data } = useRead<{ items: Invitation[] }>('invitations', '/v1/team/invitations')
  const { write, isBusy } = useWrite({ method: 'DELETE', reads: ['invitations'] })
  if (!data || data.items.length === 0) return null
  async function withdraw(id: string) {
    const isDone = (await write(`/v1/team/invitations/${id}`)) !== undefined
    void notify(isDone ? t.withdrawn : commonTexts.failed, isDone ? 'good' : 'bad')
  }
  return (
    <Card title={t.open}>
      <DataTable
        caption={t.openCaption}
        list={{ rows: data.items }}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          { name: 'email', head: t.email, isGrowing: true, phone: 1, cell: ({ email }) => email },
          {
            name: 'kind',
            head: t.kind,
            phone: 3,
            cell: ({ kind, role, maySeeLive }) => (
              <span className="no-wrap">
                {t.kinds[kind]}
                {role && ` · ${t.roles[role]}`}
                {!maySeeLive && <span className="soft small"> · {t.testOnly}</span>}
              </span>
            ),
          },
          {
            name: 'maker',
            head: t.madeBy,
            isWideOnly: true,
            cell: ({ createdByName }) => (
              <span className="no-wrap">{createdByName ?? t.operator}</span>
            ),
          },
          {
            name: 'until',
            head: t.until,
            phone: 2,
            isSoft: true,
            cell: ({ expiresAt }) => <Time value={expiresAt} />,
          },
          {
            name: 'withdraw',
            head: <span className="hidden">{t.actions}</span>,
            align: 'end',
            phone: 4,
            cell: ({ id, email }) => (
              <Button
                size="small"
                label={`${t.withdraw}: ${email}`}
                isDisabled={isBusy}
                onClick={() => void withdraw(id)}
              >
                {t.withdraw}
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}

const marks = { both: '✓', test: t.test, none: '–' } as const

/** The table that the server decides by. */
function RoleTable() {
  return (
    <Card>
      <details className="padded">
        <summary className="bold">{t.may}</summary>
        <section
          aria-label={t.mayCaption}
          style={{ overflowX: 'auto', marginTop: 12 }}
          tabIndex={0}
        >
          <table className="role-table small">
            <caption className="hidden">{t.mayCaption}</caption>
            <thead>
              <tr>
                <td />
                {roles.map((role) => (
                  <th key={role} scope="col">
                    {t.roles[role]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {allPermissions.map((name) => (
                <tr key={name}>
                  <th scope="row">{permissions[name].does}</th>
                  {roles.map((role) => {
                    const grant = permissions[name].may[role]
                    return (
                      <td key={role} className={grant === 'none' ? 'soft' : ''}>
                        <span aria-hidden="true">{marks[grant]}</span>
                        <span className="hidden">{t[grant]}</span>
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </Card>
  )
}
