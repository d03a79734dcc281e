import { useNavigate } from '@tanstack/react-router'
import { useScope, writeScope } from '../api/scope'
import { useMembership, useSession } from '../api/session'
import { Icon } from '../parts/icons'
import { Menu, MenuDivider, MenuItem } from '../parts/menu'
import { initialsOf } from '../parts/person'
import { useIsOperatorArea } from './menu'
import { frameTexts } from './texts'

/** Who is shown, and a switch to the user's other merchants and to the operator area. */
export function MerchantMenu({ isOnPhone = false }: { isOnPhone?: boolean }) {
  const { memberships, user } = useSession()
  const membership = useMembership()
  const { mode } = useScope()
  const navigate = useNavigate()
  const isOperatorArea = useIsOperatorArea()
  const name = isOperatorArea ? frameTexts.operator : (membership?.name ?? user.name)
  const role = isOperatorArea ? user.name : membership && frameTexts.roles[membership.role]
  return (
    <Menu
      position="bottom-start"
      width={220}
      button={
        <button
          type="button"
          className={isOnPhone ? 'merchant-button phone-only' : 'merchant-button'}
          aria-label={`${frameTexts.merchants}: ${name}`}
        >
          <span className="logo">{initialsOf(name)}</span>
          {isOnPhone ? (
            <b>{name}</b>
          ) : (
            <span className="ellipsis">
              <b className="ellipsis">{name}</b>
              <span className="soft small">{role}</span>
            </span>
          )}
          <span className={isOnPhone ? 'soft' : 'push-end soft'}>
            <Icon name="chevron" />
          </span>
        </button>
      }
    >
      {memberships.map((one) => (
        <MenuItem
          key={one.merchant}
          before={<span className="logo">{initialsOf(one.name)}</span>}
          after={
            one.merchant === membership?.merchant && !isOperatorArea ? (
              <Icon name="check" size={16} />
            ) : null
          }
          onClick={() => {
            writeScope({ merchant: one.merchant, mode: one.maySeeLive ? mode : 'test' })
            void navigate({ to: '/' })
          }}
        >
          {one.name}
        </MenuItem>
      ))}
      {user.isOperator && (
        <>
          <MenuDivider />
          <MenuItem icon="scale" onClick={() => void navigate({ to: '/operator' })}>
            {frameTexts.toOperator}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
