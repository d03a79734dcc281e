import { Link, useNavigate } from '@tanstack/react-router'
import { type Mode, useScope, writeScope } from '../api/scope'
import { useMembership } from '../api/session'
import { Icon } from '../parts/icons'
import { Menu, MenuDivider, MenuItem } from '../parts/menu'
import { isCurrent, type MenuRoute, useIsOperatorArea, useMenu, usePath } from './menu'
import { useCount } from './sidebar'
import { frameTexts } from './texts'
import { signOut } from './user-menu'

const tabsMax = 4

/** The menu of phones: four tabs, and everything else behind "More". */
export function Tabs() {
  const menu = useMenu()
  const tabs = menu.filter((entry) => entry.menu.isTab).slice(0, tabsMax)
  return (
    <nav className="phone-tabs" aria-label={frameTexts.main}>
      {tabs.map((entry) => (
        <Tab key={entry.path} entry={entry} paths={menu.map(({ path }) => path)} />
      ))}
      <More rest={menu.filter((entry) => !tabs.includes(entry))} />
    </nav>
  )
}

function Tab({ entry: { path, menu }, paths }: { entry: MenuRoute; paths: string[] }) {
  const isOn = isCurrent(usePath(), path, paths)
  const count = useCount(menu)
  return (
    <Link to={path} className={isOn ? 'selected' : ''} aria-current={isOn ? 'page' : undefined}>
      <Icon name={menu.icon} />
      {menu.tabLabel ?? menu.label}
      {count > 0 && <em />}
    </Link>
  )
}

function More({ rest }: { rest: MenuRoute[] }) {
  const navigate = useNavigate()
  const membership = useMembership()
  const { merchant, mode } = useScope()
  const isOperatorArea = useIsOperatorArea()
  const other: Mode = mode === 'test' ? 'live' : 'test'
  return (
    <Menu
      position="top-end"
      width={220}
      button={
        <button type="button">
          <Icon name="menu" />
          {frameTexts.more}
        </button>
      }
    >
      {rest.map(({ path, menu }) => (
        <MenuItem key={path} icon={menu.icon} onClick={() => void navigate({ to: path })}>
          {menu.label}
        </MenuItem>
      ))}
      <MenuDivider />
      {membership?.maySeeLive && !isOperatorArea && (
        <MenuItem icon="redo" onClick={() => writeScope({ merchant, mode: other })}>
          {frameTexts.palette.switchMode(other)}
        </MenuItem>
      )}
      <MenuItem icon="gear" onClick={() => void navigate({ to: '/you' })}>
        {frameTexts.you}
      </MenuItem>
      <MenuItem icon="signOut" onClick={() => void signOut()}>
        {frameTexts.signOut}
      </MenuItem>
    </Menu>
  )
}
