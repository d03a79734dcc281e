import { Command, InvalidArgumentError, Option } from 'commander'
import { serveControl } from '#emulators/control-server.js'
import { openEmulator, variablesFor } from '#emulators/open-emulator.js'
import { systemClock } from '../base/clock.js'
import { providers } from '../base/config.js'
import { forceExitLater, waitForSignal } from './signals.js'

type EmulatorFlags = {
  mode: 'test' | 'live'
  port: number
  controlPort: number
  notices?: string
  file?: string
}

/** `npm run emulator -- paystack`: a provider on loopback, until Ctrl-C. */
async function emulate(name: string, flags: EmulatorFlags): Promise<void> {
  const { mode, port, controlPort, notices, file } = flags
  const provider = providers.find((known) => known === name)
  if (!provider) throw new InvalidArgumentError(`Choose one of ${providers.join(', ')}.`)
  const emulator = await openEmulator(provider, {
    clock: systemClock,
    port,
    ...(notices && { noticeUrl: notices }),
    ...(file && { file }),
  })
  const control = await serveControl(emulator, controlPort)
  const variables = variablesFor(emulator, mode === 'live' ? 'LIVE' : 'TEST')
  const upper = mode.toUpperCase()
  const lines = [
    `${provider} emulator on ${emulator.url}`,
    '',
    'Variables for Manilla:',
    `  export BANK_${upper}=${provider}`,
    ...Object.entries(variables).map(([variable, value]) => `  export ${variable}='${value}'`),
    '',
    'Make a payer pay ₦5,000 (settle, reverse, float, faults, books work alike):',
    `  curl -X POST ${control.url}/pay -d '{"accountNumber":"…","amount":"5000"}'`,
    '',
    notices
      ? `Notices go to ${notices}`
      : `Notices go nowhere. Set their URL: curl -X POST ${control.url}/notices -d '{"url":"http://127.0.0.1:8080/rails/${provider}/notices/${mode}"}'`,
    '',
  ]
  process.stdout.write(lines.join('\n'))
  await waitForSignal()
  forceExitLater()
  await control.close()
  await emulator.close()
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('Must be a port.')
  return port
}

new Command('emulator')
  .description('run the emulator of a payment provider on loopback')
  .argument('<provider>', providers.join(', '))
  .addOption(
    new Option('--mode <mode>', 'mode of the printed variables')
      .choices(['test', 'live'])
      .default('live'),
  )
  .addOption(new Option('--port <port>', '0 picks a free one').argParser(readPort).default(0))
  .addOption(
    new Option('--control-port <port>', 'of the control commands; 0 picks a free one')
      .argParser(readPort)
      .default(0),
  )
  .option('--notices <url>', 'where notices are sent')
  .option('--file <path>', 'file in which the emulator keeps its books')
  .action(emulate)
  .parseAsync()
  .then(
    () => process.exit(0),
    (error: Error) => {
      process.stderr.write(`${error.message}\n`)
      process.exit(1)
    },
  )
