import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { koboOfNaira } from '../../rails/bank/naira.js'
import type { Emulator } from './emulator.js'
import type { Faults } from './faults.js'

type Command = (emulator: Emulator, fields: Record<string, unknown>) => Promise<unknown> | unknown

/** What a developer can make a provider's bank, payers and staff do. Amounts are naira. */
const commands: Record<string, Command> = {
  pay: (emulator, { accountNumber, amount, senderName, narration }) =>
    emulator.pay({
      accountNumber: String(accountNumber),
      amount: readNaira(amount),
      ...(typeof senderName === 'string' && { senderName }),
      ...(typeof narration === 'string' && { narration }),
    }),
  settle: (emulator, { reference, state }) =>
    emulator.settle(toProviderSpelling(reference), state === 'failed' ? 'failed' : 'success'),
  reverse: (emulator, { reference }) => emulator.reverse(toProviderSpelling(reference)),
  float: (emulator, { amount }) => emulator.setFloat(readNaira(amount)),
  notices: (emulator, { url }) => emulator.sendNoticesTo(String(url)),
  faults: (emulator, fields) => Object.assign(emulator.faults, fields as Partial<Faults>),
  books: (emulator) => emulator.books(),
}

/** Serves `POST /{command}` with JSON on loopback, beside the API of the emulated provider. */
export async function serveControl(
  emulator: Emulator,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    run(emulator, incoming).then(
      ({ status, body }) =>
        outgoing.writeHead(status, { 'content-type': 'application/json' }).end(`${body}\n`),
      (error: Error) => outgoing.writeHead(400).end(`${error.message}\n`),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function run(emulator: Emulator, incoming: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const command = commands[(incoming.url ?? '').slice(1)]
  if (!command) return { status: 404, body: `Commands: ${Object.keys(commands).join(', ')}.` }
  const fields = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
  const result = (await command(emulator, fields)) ?? null
  const body = JSON.stringify(result, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return { status: 200, body }
}

function readNaira(amount: unknown): bigint {
  const kobo = koboOfNaira(String(amount))
  if (kobo === undefined) throw new Error('amount must be naira, such as 5000 or 5000.50')
  return kobo
}

/** As in our answers, such as bt_06dst…, or as the provider spells it. */
function toProviderSpelling(reference: unknown): string {
  return String(reference).replaceAll('_', '-')
}
