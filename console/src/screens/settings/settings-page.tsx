import { settingTexts } from './texts'
import './settings.css'
import type { ReactNode } from 'react'
import { useScope } from '../../api/scope'
import { usePermissions } from '../../api/session'
import { PageHead } from '../../parts/page'
import { PageTabs } from '../../parts/page-tabs'
import { settingsPages } from './settings-pages'

const { tabs, title, ofMode } = settingTexts

type Props = { tab: keyof typeof tabs; actions?: ReactNode; children: ReactNode }

/** The head of every page of the settings, with a link to each. */
export function SettingsPage({ tab, actions, children }: Props) {
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
      <PageTabs label={title} pages={shown} />
      {children}
    </>
  )
}
