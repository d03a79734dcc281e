import type { Emulator, EmulatorOptions, Provider } from './emulator.js'
import { createFlutterwaveEmulator } from './flutterwave/emulator.js'
import { createMonnifyEmulator } from './monnify/emulator.js'
import { createPaystackEmulator } from './paystack/emulator.js'

const creators: Record<Provider, (options: EmulatorOptions) => Promise<Emulator>> = {
  paystack: createPaystackEmulator,
  monnify: createMonnifyEmulator,
  flutterwave: createFlutterwaveEmulator,
}

export function openEmulator(provider: Provider, options: EmulatorOptions): Promise<Emulator> {
  return creators[provider](options)
}

/** The variables of an emulator with the mode in their names, such as PAYSTACK_LIVE_URL. */
export function variablesFor(
  { variables }: Pick<Emulator, 'variables'>,
  mode: 'TEST' | 'LIVE',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name.replace('_', `_${mode}_`), value]),
  )
}
