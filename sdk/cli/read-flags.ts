import { readFileSync } from 'node:fs'
import { type Failure, misused } from './failure.js'

type Kind = 'text' | 'integer' | 'boolean' | 'amount' | 'list' | 'json'

/** One field of a request. A dotted name is a nested field: `customer.name`. */
export type Flag = [
  ...[name: string, kind: Kind, about: string],
  ...[isRequired: boolean, isNullable: boolean],
]

type Input = Record<string, unknown>

/** `destination.bankCode` becomes `--destination.bank-code`. */
export function toFlagName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

/** Builds the request from the flags, on top of `--data`. */
export function readFlags(flags: Flag[], given: Input, data: string | undefined): Input {
  const input: Input = data === undefined ? {} : readObject(data)
  for (const [name, kind, , , isNullable] of flags) {
    const text = given[name] as string | undefined
    if (text === undefined) continue
    const asset = (given.asset ?? input.asset) as string | undefined
    const value = isNullable && text === 'null' ? null : readers[kind]({ name, text, asset })
    put(input, name.split('.'), value)
  }
  return input
}

type Given = { name: string; text: string; asset: string | undefined }

const readers: Record<Kind, (given: Given) => unknown> = {
  text: ({ text }) => text,
  list: ({ text }) => text.split(',').map((item) => item.trim()),
  json: ({ name, text }) => parse(text, `--${toFlagName(name)}`),
  integer: ({ name, text }) => {
    const isExact = /^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text))
    if (!isExact)
      throw wrongFlag(`--${toFlagName(name)} must be a whole number below 2^53, not ${text}.`)
    return Number(text)
  },
  boolean: ({ name, text }) => {
    if (text !== 'true' && text !== 'false')
      throw wrongFlag(`--${toFlagName(name)} must be true or false, not ${text}.`)
    return text === 'true'
  },
  // The API takes naira as a number of kobo and coins as a decimal string.
  amount: ({ text, asset }) =>
    /^\d{1,15}$/.test(text) && (asset === undefined || asset === 'NGN') ? Number(text) : text,
}

function put(target: Input, [name, ...deeper]: string[], value: unknown): void {
  if (deeper.length === 0) {
    target[name!] = value
    return
  }
  target[name!] ??= {}
  const inside = target[name!]
  if (typeof inside !== 'object' || inside === null)
    throw wrongFlag(`${name} in --data is not an object, but a flag sets a field inside it.`)
  put(inside as Input, deeper, value)
}

/** `-` reads stdin, `@file` a file. */
function readObject(data: string): Input {
  const text = data === '-' ? readText(0) : data[0] === '@' ? readText(data.slice(1)) : data
  const value = parse(text, '--data')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongFlag('--data must be a JSON object.')
  return value as Input
}

function readText(from: string | number): string {
  try {
    return readFileSync(from, 'utf8')
  } catch (error) {
    throw wrongFlag(`Cannot read --data: ${(error as Error).message}.`)
  }
}

function parse(text: string, flag: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongFlag(`${flag} must be JSON, such as '{"colour":"green"}'; quote it for your shell.`)
  }
}

function wrongFlag(message: string): Failure {
  return misused(message, 'Run the command with --help to see what it accepts.')
}
