import './tabs.css'
import { Link } from '@tanstack/react-router'
import { usePath } from '../frame/menu'

type Props = { label: string; pages: { path: string; label: string }[] }

/** On phones the tabs scroll. */
function showWhole(tab: HTMLAnchorElement | null): void {
  tab?.scrollIntoView({ inline: 'center', block: 'nearest' })
}

/** Links to the pages of one area, below its title. */
export function PageTabs({ label: name, pages }: Props) {
  const current = usePath()
  return (
    <nav className="tab-bar flat" aria-label={name}>
      {pages.map(({ path, label }) => (
        <Link
          key={path}
          to={path}
          className={current === path ? 'selected' : ''}
          aria-current={current === path ? 'page' : undefined}
          ref={current === path ? showWhole : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
