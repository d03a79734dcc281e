import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useScope } from '../../api/scope'
import { type Permission, usePermissions } from '../../api/session'
import { usePath } from '../../frame/menu'
import { PageHead } from '../../parts/page'
import { texts } from '../../texts/en'

const { tabs, title, ofMode } = texts.settings

const pages: { path: string; label: string; permission: Permission }[] = [
  { path: '/settings', label: tabs.checkout, permission: 'settings.see' },
  { path: '/settings/payments', label: tabs.payments, permission: 'settings.see' },
  { path: '/settings/approvals', label: tabs.approvals, permission: 'settings.see' },
  { path: '/settings/settlements', label: tabs.settlements, permission: 'settings.see' },
  { path: '/settings/bank-accounts', label: tabs.bankAccounts, permission: 'business.see' },
  { path: '/settings/kyc', label: tabs.kyc, permission: 'business.see' },
  { path: '/settings/fees', label: tabs.fees, permission: 'settings.see' },
]

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
  const shown = pages.filter(({ permission }) => permissions.has(permission))
  return (
    <>
      <PageHead
        title={title}
        tab={`${tabs[tab]} · ${title}`}
        beside={<span className="soft sm">{tab !== 'kyc' && ofMode(mode)}</span>}
        actions={actions}
      />
      <nav className="tb flat" aria-label={title}>
        {shown.map((page) => (
          <Link
            key={page.path}
            to={page.path}
            className={path === page.path ? 'on' : ''}
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
