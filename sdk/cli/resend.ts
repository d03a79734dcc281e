import type { Command } from 'commander'
import { setAction } from './action.js'
import type { World } from './world.js'

/** `events resend evt_…`: the name that people look for; `events redeliver` is the API's. */
export function registerResend(program: Command, world: World): void {
  const events = program.commands.find((command) => command.name() === 'events')!
  events.description(`${events.description()}, resend`)
  const resend = events
    .command('resend')
    .description('send an event again, to every endpoint that listens to it or to one')
    .argument('<id>', 'of the event, evt_…')
    .option('--endpoint <id>', 'only this one, we_…')
  setAction<{ endpoint?: string }>(resend, world, async ({ manilla, args, options }) => {
    const [id = ''] = args
    const data = await manilla.events.redeliver(id, { endpointId: options.endpoint })
    const count = data.deliveries === 1 ? 'one endpoint' : `${data.deliveries} endpoints`
    const hint = data.deliveries === 0 ? ' None listens to it: `manilla listen` does.' : ''
    return { data, text: `${id} is sent again to ${count}.${hint}` }
  })
}
