import type { Command } from 'commander'
import { type Access, modeOf } from './access.js'
import { type Run, setAction } from './action.js'
import { misused } from './failure.js'
import { type Forwarded, openForwarder } from './forwarder.js'
import { type ListeningEndpoint, openListeningEndpoint } from './listening-endpoint.js'
import { paint } from './show.js'
import type { World } from './world.js'

type Options = { forwardTo?: string; events?: string; through?: string; port?: string }

export function registerListen(program: Command, world: World): void {
  const listen = program
    .command('listen')
    .description('see webhooks as they come, and forward them to your server, until Ctrl-C')
    .option('--forward-to <url>', 'your server, such as http://127.0.0.1:3000/webhooks')
    .option('--events <types>', "only these, parted by commas: 'payment.*,balance.low'")
    .option('--through <url>', 'a public address that leads here, for a service elsewhere')
    .option('--port <port>', 'where that address leads to', '0')
  setAction<Options>(listen, world, hear)
}

async function hear(run: Run<Options>): Promise<undefined> {
  const { world, manilla, access, options, isJson } = run
  const stop = world.stop()
  refuseUnreachable(access, options)
  const forwarder = await openForwarder({
    port: readPort(options.port),
    target: options.forwardTo === undefined ? undefined : readTarget(options.forwardTo),
    heard: (forwarded) => world.print(describe(world, forwarded, isJson)),
  })
  try {
    const url = options.through ?? forwarder.url
    const events = options.events?.split(',').map((type) => type.trim())
    const endpoint = await openListeningEndpoint({ manilla, world, access, url, events })
    try {
      forwarder.trust(endpoint.secret)
      tellStart(run, endpoint)
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve))
    } finally {
      await endpoint.close()
    }
  } finally {
    await forwarder.close()
  }
}

function tellStart(
  { world, access, options, isJson }: Run<Options>,
  { secret, isKept }: ListeningEndpoint,
): void {
  if (isJson) {
    world.print(JSON.stringify({ secret, forwardTo: options.forwardTo ?? null }))
    return
  }
  const target = options.forwardTo ?? 'nobody: add --forward-to http://127.0.0.1:3000/webhooks'
  world.print(`Listening to ${access.baseUrl}, forwarding to ${target}`)
  world.print(`Signing secret: ${secret}`)
  const how = isKept
    ? 'It stays the same next time.'
    : 'Somebody listens here already: this secret is for this time only.'
  world.note(paint(world, 'dim', `${how} Ctrl-C ends it.`))
}

function describe(world: World, forwarded: Forwarded, isJson: boolean): string {
  const { event, status, problem, durationMs } = forwarded
  if (isJson) return JSON.stringify({ event, status, problem })
  const { id, type, data } = event
  const about = data.reference ?? data.accountReference ?? data.id ?? data.asset ?? ''
  const isTaken = status >= 200 && status < 300
  const said = forwarded.isForwarded ? `→ ${problem ?? `${status} in ${durationMs} ms`}` : ''
  const end = paint(world, isTaken ? 'green' : 'red', said)
  const head = `${new Date().toISOString().slice(11, 19)}  ${type}  ${about}`
  return `${head}  ${paint(world, 'dim', id)}  ${end}`.trimEnd()
}

export function isLocal(baseUrl: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname)
}

/** Webhooks come as requests: a service elsewhere cannot reach a port of this machine. */
function refuseUnreachable({ baseUrl, key }: Access, { through, port }: Options): void {
  const tunnel = '--port 4242 --through https://your-tunnel.example'
  const nextStep = `Open a tunnel to a port here and say both: ${tunnel}`
  if (through !== undefined && port === '0') throw misused('Nothing says where it leads.', nextStep)
  if (through !== undefined) return
  if (!isLocal(baseUrl)) throw misused(`${baseUrl} cannot reach this machine.`, nextStep)
  if (modeOf(key) === 'live')
    throw misused('Live webhooks go to public addresses only, not to this machine.', nextStep)
}

function readTarget(text: string): string {
  const url = /^\d+$/.test(text) ? `http://127.0.0.1:${text}/` : text
  const { protocol, username } = URL.canParse(url) ? new URL(url) : { protocol: '', username: '' }
  if (username !== '') throw misused('A password has no place in an address.', 'Leave it out.')
  if (/^https?:$/.test(protocol)) return url
  throw misused(
    `${text} is no address to forward to.`,
    'Write it out: http://127.0.0.1:3000/webhooks',
  )
}

function readPort(text = '0'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw misused(`${text} is no port.`, 'Give one from 1 to 65535.')
}
