import type { Command } from 'commander'
import { Manilla } from '../src/manilla.js'
import { loginFile, readLogin, removeLogin, writePrivate } from './accounts.js'
import { setAction } from './action.js'
import { exitCodes, Failure } from './failure.js'
import { formatFields } from './show.js'
import type { World } from './world.js'

export function registerLogin(program: Command, world: World): void {
  program
    .command('login')
    .description('keep a secret key, so that commands can use it; a test and a live one at most')
    .option('--url <url>', 'where your Manilla runs', 'http://127.0.0.1:8080')
    .action(async ({ url }: { url: string }) => {
      const key = (await readKey(world)).trim()
      if (!/^sk_(test|live)_/.test(key))
        throw misused('That is no secret key: they start with sk_test_ or sk_live_.')
      await login(world, url, key)
    })

  program
    .command('logout')
    .description('forget the keys that were kept')
    .action(() => {
      removeLogin(world)
      world.print('Forgotten. The keys themselves still work: `manilla keys revoke` ends one.')
    })

  const whoami = program.command('whoami').description('which key is used, from where, and whose')
  setAction(whoami, world, async ({ manilla, account }) => {
    const { merchant, mode } = await manilla.profile.get()
    const data = { merchant, mode, baseUrl: account.baseUrl, source: account.source }
    return { data, text: formatFields(data) }
  })
}

/** Kept only when the service knows the key. */
async function login(world: World, url: string, key: string): Promise<void> {
  const { merchant, mode } = await new Manilla(key, { baseUrl: url }).profile.get()
  const kept = readLogin(world)
  // Keys of another service have no business beside this one.
  const others = kept?.baseUrl === url ? kept : {}
  writePrivate(loginFile(world), { ...others, baseUrl: url, [mode]: key })
  world.print(
    `You are ${merchant.displayName} (${mode} mode) at ${url}. Kept in ${loginFile(world)}.`,
  )
}

/** Never as an argument: those can be read by everybody on the machine. */
async function readKey(world: World): Promise<string> {
  if (!world.isInteractive) return world.readInput()
  const { password, isCancel } = await import('@clack/prompts')
  const key = await password({ message: 'Secret key (sk_test_… or sk_live_…)' })
  if (isCancel(key)) throw misused('Nothing was kept.')
  return key
}

function misused(message: string): Failure {
  return new Failure(message, 'Paste a secret key, or pipe it in.', exitCodes.misused)
}
