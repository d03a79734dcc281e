import type { Emulator } from './emulator.js'
import { type Faults, noFaults } from './faults.js'
import { type ProviderAnswer, type ProviderServer, serveProvider } from './http-server.js'
import { koboOfNaira } from './naira.js'

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
export function serveControl(emulator: Emulator, port: number): Promise<ProviderServer> {
  const unknown = { status: 404, body: `Commands: ${Object.keys(commands).join(', ')}.\n` }
  return serveProvider({
    port,
    faults: noFaults(),
    routes: {
      'POST /:command': ({ segment, body }) => {
        const command = commands[segment]
        return command ? run(emulator, command, body) : unknown
      },
    },
    notFound: unknown,
  })
}

async function run(emulator: Emulator, command: Command, text: string): Promise<ProviderAnswer> {
  try {
    const fields = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>
    const result = (await command(emulator, fields)) ?? null
    const body = JSON.stringify(result, (_name, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    )
    return { status: 200, body: `${body}\n` }
  } catch (error) {
    return { status: 400, body: `${(error as Error).message}\n` }
  }
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
