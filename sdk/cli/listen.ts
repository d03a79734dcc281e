import type { Command } from 'commander'
import { type Run, setAction } from './action.js'
import { exitCodes, Failure } from './failure.js'
import { type Forwarded, openForwarder } from './forwarder.js'
import { openEar } from './listening-endpoint.js'
import { paint } from './show.js'
import type { World } from './world.js'

type Options = { forwardTo?: string; events?: string; through?: string; port?: string }

export function registerListen(program: Command, world: World): void {
  const listen = program
    .command('listen')
    .description('see webhooks as they come, and forward them to your server, until Ctrl-C')
    .option('--forward-to <url>', 'your server, such as http://127.0.0.1:3000/webhooks')
    .option('--events <types>', 'only these, parted by commas: payment.*,virtual_account.paid')
    .option('--through <url>', 'a public address that leads here, for a service elsewhere')
    .option('--port <port>', 'where that address leads to', '0')
  setAction<Options>(listen, world, hear)
}

async function hear(run: Run<Options>): Promise<undefined> {
  const { world, manilla, account, options, isJson } = run
  const stop = world.stop()
  refuseUnreachable(account.baseUrl, options)
  const forwarder = await openForwarder({
    port: readPort(options.port),
    target: options.forwardTo === undefined ? undefined : readTarget(options.forwardTo),
    heard: (forwarded) => world.print(describe(world, forwarded, isJson)),
  })
  try {
    const url = options.through ?? forwarder.url
    const events = options.events?.split(',').map((type) => type.trim())
    const ear = await openEar({ manilla, world, account, url, events })
    try {
      forwarder.trust(ear.secret)
      tellStart(run, ear.secret)
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve))
    } finally {
      await ear.close()
    }
  } finally {
    await forwarder.close()
  }
}

function tellStart({ world, account, options, isJson }: Run<Options>, secret: string): void {
  if (isJson) {
    world.print(JSON.stringify({ secret, forwardTo: options.forwardTo ?? null }))
    return
  }
  const target = options.forwardTo ?? 'nobody: add --forward-to http://127.0.0.1:3000/webhooks'
  world.print(`Listening to ${account.baseUrl}, forwarding to ${target}`)
  world.print(`Signing secret: ${secret}`)
  world.note(paint(world, 'dim', 'It stays the same next time. Ctrl-C ends it.'))
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
function refuseUnreachable(baseUrl: string, { through }: Options): void {
  if (through !== undefined || isLocal(baseUrl)) return
  throw new Failure(
    `${baseUrl} cannot reach this machine.`,
    'Open a tunnel to a port here and say both: --port 4242 --through https://your-tunnel.example',
    exitCodes.misused,
  )
}

function readTarget(text: string): string {
  const url = /^\d+$/.test(text) ? `http://127.0.0.1:${text}/` : text
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new Failure(
    `${text} is no address to forward to.`,
    'Write it out: http://127.0.0.1:3000/webhooks',
    exitCodes.misused,
  )
}

function readPort(text = '0'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new Failure(`${text} is no port.`, 'Give one from 1 to 65535.', exitCodes.misused)
}
