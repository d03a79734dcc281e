import { Checkbox, Select } from '@mantine/core'
import { allPermissions, permissions, roles } from '../../../../src/team/permissions'
import { type Role, useMembership } from '../../api/session'
import { teamTexts as t } from '../../texts/team'

export type MemberAccess = { role: Role; maySeeLive: boolean }

type Props = { access: MemberAccess; onChange: (access: MemberAccess) => void }

/** A role with what it may do, and whether it reaches live mode. Members give what they have. */
export function AccessFields({ access, onChange }: Props) {
  const own = useMembership()
  const mayGiveLive = own?.maySeeLive ?? false
  const offered = roles.filter((role) => role !== 'owner' || own?.role === 'owner')
  const granted = allPermissions.filter((name) => permissions[name].may[access.role] !== 'none')
  return (
    <>
      <Select
        label={t.role}
        data={offered.map((value) => ({ value, label: t.roles[value] }))}
        value={access.role}
        allowDeselect={false}
        onChange={(role) => role && onChange({ ...access, role: role as Role })}
      />
      <details>
        <summary className="soft small">{t.mayTitle(t.roles[access.role])}</summary>
        <ul className="soft small" style={{ paddingInlineStart: 18, listStyle: 'disc' }}>
          {granted.map((name) => (
            <li key={name}>
              {permissions[name].does}
              {permissions[name].may[access.role] === 'test' && ` (${t.testOnly})`}
            </li>
          ))}
        </ul>
      </details>
      <Checkbox
        label={t.live}
        description={mayGiveLive ? t.liveHint : t.liveNotOwn}
        disabled={!mayGiveLive && !access.maySeeLive}
        checked={access.maySeeLive}
        onChange={({ currentTarget }) => onChange({ ...access, maySeeLive: currentTarget.checked })}
      />
    </>
  )
}
