import type { Command } from 'commander'
import { loginFile, openClient, readLogin, removeLogin, writePrivate } from './access.js'
import { setAction } from './action.js'
import { misused } from './failure.js'
import { formatFields } from './show.js'
import type { World } from './world.js'

export function registerLogin(program: Command, world: World): void {
  program
    .command('login')
    .description('keep a secret key, so that commands can use it; a test and a live one at most')
    .option('--url <url>', 'where your Manilla runs', 'http://127.0.0.1:8080')
    .action(async ({ url }: { url: string }) => {
      // Never as an argument: those can be read by everybody on the machine.
      const key = (await world.readSecret('Secret key (sk_test_… or sk_live_…): ')).trim()
      if (!/^sk_(test|live)_/.test(key)) {
        const message = 'That is no secret key: they start with sk_test_ or sk_live_.'
        throw misused(message, 'Nothing was kept. Paste a secret key, or pipe it in.')
      }
      await login(world, url.replace(/\/+$/, ''), key)
    })

  program
    .command('logout')
    .description('forget the keys that were kept')
    .action(() => {
      removeLogin(world)
      world.print(
        'Forgotten. The keys themselves still work: who runs the service can revoke them.',
      )
    })

  const whoami = program.command('whoami').description('which key is used, from where, and whose')
  setAction(whoami, world, async ({ manilla, access }) => {
    const { merchant, mode } = await manilla.profile.get()
    const data = { merchant, mode, baseUrl: access.baseUrl, source: access.source }
    return { data, text: formatFields(data) }
  })
}

/** Kept only when the service knows the key. */
async function login(world: World, url: string, key: string): Promise<void> {
  const access = { baseUrl: url, key, source: 'login' }
  const { merchant, mode } = await openClient(access).profile.get()
  const kept = readLogin(world)
  const isSame = kept?.baseUrl === url
  // Keys of another service have no business beside this one.
  if (kept && !isSame) world.note(`What was kept for ${kept.baseUrl} is forgotten.`)
  writePrivate(loginFile(world), { ...(isSame ? kept : {}), baseUrl: url, [mode]: key })
  world.print(
    `You are ${merchant.displayName} (${mode} mode) at ${url}. Kept in ${loginFile(world)}.`,
  )
}
