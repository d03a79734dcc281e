import type { Command } from 'commander'
import { type ApiAccess, modeOf } from './access.js'
import { type Run, setAction } from './action.js'
import { misused } from './failure.js'
import { type Forwarded, openForwarder } from './forwarder.js'
import { type ListeningEndpoint, openListeningEndpoint } from './listening-endpoint.js'
import { paint } from './style.js'
import type { Terminal } from './terminal.js'
import { formatTime, lagos } from './times.js'

type ListenOptions = { forwardTo?: string; events?: string; through?: string; port?: string }

export function registerListen(program: Command, terminal: Terminal): void {
  const listen = program
    .command('listen')
    .description('print webhooks as they arrive and forward them to your server')
    .option('--forward-to <url>', 'your server, such as http://127.0.0.1:3000/webhooks')
    .option('--events <types>', "only these types, separated by commas: 'payment.*,balance.low'")
    .option('--through <url>', 'public URL of a tunnel to this machine, for a remote service')
    .option('--port <port>', 'local port that the tunnel leads to', '0')
  setAction<ListenOptions>(listen, terminal, listenUntilStopped)
}

async function listenUntilStopped(run: Run<ListenOptions>): Promise<undefined> {
  const { terminal, manilla, access, options, isJson } = run
  const stop = terminal.stop()
  refuseUnreachable(access, options)
  const forwarder = await openForwarder({
    port: readPort(options.port),
    target: options.forwardTo === undefined ? undefined : readTarget(options.forwardTo),
    onForwarded: (forwarded) => terminal.print(describe(terminal, forwarded, isJson)),
  })
  try {
    const url = options.through ?? forwarder.url
    const events = options.events?.split(',').map((type) => type.trim())
    const endpoint = await openListeningEndpoint({ manilla, terminal, access, url, events })
    try {
      forwarder.trust(endpoint.secret)
      printStart(run, endpoint)
      if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve))
    } finally {
      await endpoint.close()
    }
  } finally {
    await forwarder.close()
  }
}

function printStart(
  { terminal, access, options, isJson }: Run<ListenOptions>,
  { secret, isKept }: ListeningEndpoint,
): void {
  if (isJson) {
    terminal.print(JSON.stringify({ secret, forwardTo: options.forwardTo ?? null }))
    return
  }
  const target = options.forwardTo
    ? `forwarding to ${options.forwardTo}`
    : 'not forwarding (add --forward-to http://127.0.0.1:3000/webhooks)'
  terminal.print(`Listening to ${access.baseUrl}, ${target}`)
  terminal.print(`Signing secret: ${secret}`)
  const validity = isKept
    ? 'The signing secret stays the same across runs.'
    : 'Another `manilla listen` is running here, so this secret is valid for this run only.'
  terminal.note(paint(terminal, 'dim', `${validity} Press Ctrl-C to stop.`))
}

function describe(terminal: Terminal, forwarded: Forwarded, isJson: boolean): string {
  const { event, status, problem, durationMs } = forwarded
  if (isJson) return JSON.stringify({ event, status, problem })
  const { id, type, data } = event
  const about = data.reference ?? data.accountReference ?? data.id ?? data.asset ?? ''
  const isAccepted = status >= 200 && status < 300
  const result = forwarded.isForwarded ? `→ ${problem ?? `${status} in ${durationMs} ms`}` : ''
  const end = paint(terminal, isAccepted ? 'green' : 'red', result)
  const time = formatTime(new Date().toISOString(), { zone: lagos, unit: 'second' })!
  const head = `${time.slice(11)}  ${type}  ${about}`
  return `${head}  ${paint(terminal, 'dim', id)}  ${end}`.trimEnd()
}

export function isLocal(baseUrl: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname)
}

/** Webhooks are HTTP requests: a remote service cannot reach a port of this machine. */
function refuseUnreachable({ baseUrl, key }: ApiAccess, { through, port }: ListenOptions): void {
  const tunnel = '--port 4242 --through https://your-tunnel.example'
  const nextStep = `Open a tunnel to a local port and name both: ${tunnel}`
  if (through !== undefined && port === '0')
    throw misused('--through needs the --port that the tunnel leads to.', nextStep)
  if (through !== undefined) return
  if (!isLocal(baseUrl)) throw misused(`${baseUrl} cannot reach this machine.`, nextStep)
  if (modeOf(key) === 'live')
    throw misused('Live webhooks are sent to public addresses only.', nextStep)
}

function readTarget(text: string): string {
  const url = /^\d+$/.test(text) ? `http://127.0.0.1:${text}/` : text
  const { protocol, username } = URL.canParse(url) ? new URL(url) : { protocol: '', username: '' }
  if (username !== '') throw misused('The URL must not contain a password.', 'Remove it.')
  if (/^https?:$/.test(protocol)) return url
  throw misused(
    `${text} is not a valid URL to forward to.`,
    'Use a full URL such as http://127.0.0.1:3000/webhooks',
  )
}

function readPort(text = '0'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw misused(`${text} is not a valid port.`, 'Use a number from 1 to 65535.')
}
