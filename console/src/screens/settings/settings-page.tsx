import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useScope } from '../../api/scope'
import { usePermissions } from '../../api/session'
import { usePath } from '../../frame/menu'
import { PageHead } from '../../parts/page'
import { texts } from '../../texts/en'
import { settingsPages } from './settings-pages'

const { tabs, title, ofMode } = texts.settings

/** On phones the tabs scroll. */
function showWhole(tab: HTMLAnchorElement | null): void {
  tab?.scrollIntoView({ inline: 'center', block: 'nearest' })
}

type Props = { tab: keyof typeof tabs; actions?: ReactNode; children: ReactNode }

/** The head of every page of the settings, with a link to each. */
export function SettingsPage({ tab, actions, children }: Props) {
  const path = usePath()
  const permissions = usePermissions()
  const { mode } = useScope()
  const shown = settingsPages.filter(({ permission }) => permissions.has(permission))
  return (
    <>
      <PageHead
        title={title}
        tab={`${tabs[tab]} · ${title}`}
        beside={<span className="soft small">{tab !== 'kyc' && ofMode(mode)}</span>}
        actions={actions}
      />
      <nav className="tab-bar flat" aria-label={title}>
        {shown.map((page) => (
          <Link
            key={page.path}
            to={page.path}
            className={path === page.path ? 'selected' : ''}
            aria-current={path === page.path ? 'page' : undefined}
            ref={path === page.path ? showWhole : undefined}
          >
            {page.label}
          </Link>
        ))}
      </nav>
      {children}
    </>
  )
}
