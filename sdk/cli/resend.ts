import type { Command } from 'commander'
import { setAction } from './action.js'
import type { Terminal } from './terminal.js'

/** `events resend`, the name that Stripe users expect; `events redeliver` is the API's name. */
export function registerResend(program: Command, terminal: Terminal): void {
  const events = program.commands.find((command) => command.name() === 'events')!
  events.description(`${events.description()}, resend`)
  const resend = events
    .command('resend')
    .description('send an event again to every subscribed endpoint, or to one')
    .argument('<id>', 'event id, evt_…')
    .option('--endpoint <id>', 'only this endpoint, we_…')
  setAction<{ endpoint?: string }>(resend, terminal, async ({ manilla, args, options }) => {
    const [id = ''] = args
    const data = await manilla.events.redeliver(id, { endpointId: options.endpoint })
    const count = data.deliveries === 1 ? 'one endpoint' : `${data.deliveries} endpoints`
    const hint = data.deliveries === 0 ? ' No endpoint subscribes to it; try `manilla listen`.' : ''
    return { data, text: `Resending ${id} to ${count}.${hint}` }
  })
}
