import { commonTexts } from '../texts/common'
import './messages.css'
import '@mantine/core/styles/Notification.css'
import '@mantine/notifications/styles.css'
import { MantineProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { createRoot } from 'react-dom/client'
import { resolveVariables, theme } from '../theme'
import type { Tone } from './status'

const holder = document.body.appendChild(document.createElement('div'))
createRoot(holder).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={resolveVariables}
    getStyleNonce={() => (globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ ?? ''}
  >
    <Notifications position="bottom-right" />
  </MantineProvider>,
)

export function showMessage(message: string, tone: Tone): void {
  notifications.show({
    message,
    color: tone === 'bad' ? 'red' : 'brand',
    closeButtonProps: { 'aria-label': commonTexts.close },
  })
}
