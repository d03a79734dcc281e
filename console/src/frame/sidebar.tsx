import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { Icon, Mark } from '../parts/icons'
import { useAttention, useQueues } from './attention'
import { isCurrent, type MenuRoute, useMenu, usePath } from './menu'
import { MerchantMenu } from './merchant-menu'
import { frameTexts } from './texts'

/** Of Manilla; the page names it. */
const version = document.querySelector<HTMLMetaElement>('meta[name=version]')?.content ?? ''

export function Sidebar() {
  const menu = useMenu()
  return (
    <aside>
      <nav className="sidebar" aria-label={frameTexts.main}>
        <MerchantMenu />
        {menu.map((entry, at) => {
          const { group } = entry.menu
          const isFirst = group !== menu[at - 1]?.menu.group && group !== 'main' && at > 0
          return (
            <Fragment key={entry.path}>
              {isFirst && <p className="menu-group">{frameTexts.groups[group]}</p>}
              <MenuLink entry={entry} paths={menu.map(({ path }) => path)} />
            </Fragment>
          )
        })}
        <p className="maker">
          <Mark />
          {frameTexts.version(version)}
        </p>
      </nav>
    </aside>
  )
}

function MenuLink({ entry, paths }: { entry: MenuRoute; paths: string[] }) {
  const { path, menu } = entry
  const isOn = isCurrent(usePath(), path, paths)
  return (
    <Link
      to={path}
      className={isOn ? 'menu-entry selected' : 'menu-entry'}
      aria-current={isOn ? 'page' : undefined}
      title={menu.label}
    >
      <Icon name={menu.icon} />
      {menu.label}
      <Count entry={entry} />
    </Link>
  )
}

/** How much waits there. A failing endpoint is a warning, whatever its number. */
function Count({ entry: { menu } }: { entry: MenuRoute }) {
  const count = useCount(menu)
  if (count === 0) return null
  const isBad = menu.counts?.includes('endpoint_failing')
  return <span className={isBad ? 'count bad' : 'count'}>{isBad ? '!' : count}</span>
}

export function useCount({ counts = [], queue }: MenuRoute['menu']): number {
  const queues = useQueues(queue !== undefined)
  const waiting = useAttention().filter(({ kind }) => counts.includes(kind))
  if (queue) return queues[queue] ?? 0
  return waiting.reduce((sum, { count }) => sum + count, 0)
}
