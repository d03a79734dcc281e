import type { Command } from 'commander'
import { loginFile, openClient, readLogin, removeLogin, writePrivate } from './access.js'
import { setAction } from './action.js'
import { misused } from './failure.js'
import { formatFields } from './show.js'
import type { Terminal } from './terminal.js'

export function registerLogin(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description('save a secret key for later commands; one test and one live key at most')
    .option('--url <url>', 'URL of your Manilla service', 'http://127.0.0.1:8080')
    .action(async ({ url }: { url: string }) => {
      // Never as an argument: every user of the machine can read those.
      const key = (await terminal.readSecret('Secret key (sk_test_… or sk_live_…): ')).trim()
      if (!/^sk_(test|live)_/.test(key)) {
        const message = 'This is not a secret key. Secret keys start with sk_test_ or sk_live_.'
        throw misused(message, 'Nothing was saved. Paste a secret key, or pipe it in.')
      }
      await login(terminal, url.replace(/\/+$/, ''), key)
    })

  program
    .command('logout')
    .description('delete the saved keys')
    .action(() => {
      removeLogin(terminal)
      terminal.print('Logged out. The keys stay valid until the operator revokes them.')
    })

  const whoami = program
    .command('whoami')
    .description('show the key in use: its merchant, mode and source')
  setAction(whoami, terminal, async ({ manilla, access }) => {
    const { merchant, mode } = await manilla.profile.get()
    const data = { merchant, mode, baseUrl: access.baseUrl, source: access.source }
    return { data, text: formatFields(data) }
  })
}

/** Saves the key if the service accepts it. */
async function login(terminal: Terminal, url: string, key: string): Promise<void> {
  const access = { baseUrl: url, key, source: 'login' }
  const { merchant, mode } = await openClient(access).profile.get()
  const saved = readLogin(terminal)
  const isSame = saved?.baseUrl === url
  if (saved && !isSame) terminal.note(`Logged out of ${saved.baseUrl}.`)
  writePrivate(loginFile(terminal), { ...(isSame ? saved : {}), baseUrl: url, [mode]: key })
  terminal.print(
    `Logged in to ${url} as ${merchant.displayName} (${mode} mode). Saved in ${loginFile(terminal)}.`,
  )
}
