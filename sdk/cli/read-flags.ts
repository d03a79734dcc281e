import { readFileSync } from 'node:fs'
import { exitCodes, Failure } from './failure.js'

type Kind = 'text' | 'integer' | 'boolean' | 'amount' | 'list' | 'json'

/** The name as the API has it (`customer.name` is inside of `customer`), its kind, what it is. */
export type Flag = [name: string, kind: Kind, about: string, isRequired: boolean]

type Input = Record<string, unknown>

/** `customer.bankCode` is typed as `--customer.bank-code`. */
export function toFlagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The request that the flags make, on top of what `--data` gives. */
export function readFlags(flags: Flag[], given: Input, data: string | undefined): Input {
  const input: Input = data === undefined ? {} : readObject(data)
  for (const [name, kind] of flags) {
    const text = given[name] as string | undefined
    if (text === undefined) continue
    const asset = given.asset as string | undefined
    put(input, name.split('.'), readers[kind]({ name, text, asset }))
  }
  return input
}

type Given = { name: string; text: string; asset: string | undefined }

const readers: Record<Kind, (given: Given) => unknown> = {
  text: ({ text }) => text,
  list: ({ text }) => text.split(',').map((one) => one.trim()),
  json: ({ name, text }) => parse(text, `--${toFlagName(name)}`),
  integer: ({ name, text }) => {
    const isExact = /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
    if (!isExact) throw misused(`--${toFlagName(name)} must be a whole number, not ${text}.`)
    return Number(text)
  },
  boolean: ({ name, text }) => {
    if (text !== 'true' && text !== 'false')
      throw misused(`--${toFlagName(name)} must be true or false, not ${text}.`)
    return text === 'true'
  },
  // Naira are whole kobo, coins a decimal: the API tells them apart by their type, and so do we.
  amount: ({ text, asset }) =>
    /^\d{1,15}$/.test(text) && (asset === undefined || asset === 'NGN') ? Number(text) : text,
}

function put(target: Input, [name, ...deeper]: string[], value: unknown): void {
  if (deeper.length === 0) target[name!] = value
  else {
    target[name!] ??= {}
    put(target[name!] as Input, deeper, value)
  }
}

/** `-` is what comes in, `@file` what is in a file. */
function readObject(data: string): Input {
  const text = data === '-' ? readText(0) : data[0] === '@' ? readText(data.slice(1)) : data
  const value = parse(text, '--data')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw misused('--data must be a JSON object.')
  return value as Input
}

function readText(from: string | number): string {
  try {
    return readFileSync(from, 'utf8')
  } catch (error) {
    throw misused(`--data cannot be read: ${(error as Error).message}.`)
  }
}

function parse(text: string, flag: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw misused(`${flag} must be JSON, such as '{"colour":"green"}'; quote it for your shell.`)
  }
}

function misused(message: string): Failure {
  return new Failure(message, '--help says what it takes.', exitCodes.misused)
}
