import { allPermissions, permissions, roles } from '../../../../src/team/permissions'
import { type Role, useMembership } from '../../api/session'
import { Checkbox } from '../../parts/choices'
import { SelectField } from '../../parts/fields'
import { teamTexts as t } from './texts'

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
      <SelectField
        label={t.role}
        options={offered}
        labels={t.roles}
        value={access.role}
        onChange={(role) => onChange({ ...access, role })}
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
        isDisabled={!mayGiveLive && !access.maySeeLive}
        isOn={access.maySeeLive}
        onChange={(maySeeLive) => onChange({ ...access, maySeeLive })}
      />
    </>
  )
}
