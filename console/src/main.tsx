import '@mantine/core/styles/default-css-variables.css'
import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/global.css'
import '@mantine/core/styles/UnstyledButton.css'
import '@mantine/core/styles/VisuallyHidden.css'
import '@mantine/core/styles/Paper.css'
import '@mantine/core/styles/Popover.css'
import '@mantine/core/styles/CloseButton.css'
import '@mantine/core/styles/Overlay.css'
import '@mantine/core/styles/ModalBase.css'
import '@mantine/core/styles/Modal.css'
import '@mantine/core/styles/Menu.css'
import '@mantine/core/styles/ScrollArea.css'
import '@mantine/core/styles/Input.css'
import '@mantine/core/styles/InlineInput.css'
import '@mantine/core/styles/Combobox.css'
import '@mantine/core/styles/PasswordInput.css'
import '@mantine/core/styles/Checkbox.css'
import '@mantine/core/styles/Radio.css'
import '@mantine/core/styles/Switch.css'
import '@mantine/core/styles/Tooltip.css'
import './styles.css'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isKnownMissing, refetchOnHints } from './api/reads'
import { toRefusal } from './api/refusal'
import { reloadOnMissingCode } from './api/reload-on-missing-code'
import { router } from './router'
import { resolveVariables, theme } from './theme'

/** The page's policy allows style elements with this nonce only. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''
;(globalThis as { __webpack_nonce__?: string }).__webpack_nonce__ = nonce

const retriesMax = 2

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: (query) => !isKnownMissing(query),
      refetchOnReconnect: (query) => !isKnownMissing(query),
      // A refusal stays one; only missing answers and failures of the server are tried again.
      retry: (count, error) => {
        const { status } = toRefusal(error)
        return count < retriesMax && (status === 0 || status >= 500)
      },
    },
  },
})
refetchOnHints(client)
reloadOnMissingCode()

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      // The page loads its style sheets after this element: their defaults must not win.
      cssVariablesSelector=":root:root"
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
