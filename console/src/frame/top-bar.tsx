import { Link, useNavigate } from '@tanstack/react-router'
import { type Mode, useScope, writeScope } from '../api/scope'
import { useMay, useMembership, useSession } from '../api/session'
import { Icon } from '../parts/icons'
import { Menu, MenuItem } from '../parts/menu'
import { useAttention } from './attention'
import { useIsOperatorArea } from './menu'
import { MerchantMenu } from './merchant-menu'
import { openedPanel } from './panels'
import { frameTexts } from './texts'
import { UserMenu } from './user-menu'

export function TopBar() {
  const isOperatorArea = useIsOperatorArea()
  const { user } = useSession()
  return (
    <header className="top-bar">
      <MerchantMenu isOnPhone />
      <button
        type="button"
        className="search-button"
        aria-label={frameTexts.searchLabel}
        aria-keyshortcuts="Control+K"
        onClick={() => openedPanel.write('palette')}
      >
        <Icon name="search" />
        <span>{frameTexts.search}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {isOperatorArea ? (
        <span className="push-end desktop-only" />
      ) : (
        <>
          <ModeSwitch />
          <Bell />
          <NewMenu />
        </>
      )}
      <UserMenu name={user.name} />
    </header>
  )
}

/** Keeps the path: the same list in the other mode. */
function ModeSwitch() {
  const membership = useMembership()
  const { merchant, mode } = useScope()
  if (!membership?.maySeeLive) return <span className="push-end desktop-only" />
  const option = (one: Mode) => (
    <button
      type="button"
      className={one === mode ? `selected ${one}-mode` : ''}
      aria-pressed={one === mode}
      onClick={() => writeScope({ merchant, mode: one })}
    >
      {frameTexts.modes[one]}
    </button>
  )
  return (
    <span
      className="segments mode-switch push-end desktop-only"
      role="group"
      aria-label={frameTexts.mode}
    >
      {option('test')}
      {option('live')}
    </span>
  )
}

function Bell() {
  const waiting = useAttention()
  return (
    <Link className="icon-button" to="/" hash="attention" aria-label={frameTexts.attention}>
      <Icon name="bell" />
      {waiting.length > 0 && <em />}
    </Link>
  )
}

function NewMenu() {
  const navigate = useNavigate()
  const mayPay = useMay('payouts.create')
  const mayCollect = useMay('collect.create')
  if (!mayPay && !mayCollect) return null
  return (
    <Menu
      width={200}
      button={
        <button type="button" className="button desktop-only">
          <Icon name="plus" size={16} />
          {frameTexts.create}
        </button>
      }
    >
      {mayPay && (
        <MenuItem
          icon="payOut"
          after={<kbd>c</kbd>}
          onClick={() => void navigate({ to: '/payouts/new' })}
        >
          {frameTexts.newPayout}
        </MenuItem>
      )}
      {mayCollect && (
        <MenuItem
          icon="link"
          onClick={() => void navigate({ to: '/collect', search: { new: 'link' } as never })}
        >
          {frameTexts.newLink}
        </MenuItem>
      )}
    </Menu>
  )
}
