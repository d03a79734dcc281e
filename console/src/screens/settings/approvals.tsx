import { ApprovalRule } from './approval-rule'
import { SettingsPage } from './settings-page'

export function Screen() {
  return (
    <SettingsPage tab="approvals">
      <ApprovalRule />
    </SettingsPage>
  )
}
