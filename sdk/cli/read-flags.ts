import { readFileSync } from 'node:fs'
import { type Failure, misused } from './failure.js'
import { toFlagName } from './flag-name.js'
import { isAsset, isTooMuch, nairaMax, parseMoney, toKobo } from './money.js'
import { isTimeField, withZone } from './times.js'

/** `naira` and `coins` have one unit; of an `amount`, the asset decides. No value: `switch`. */
type Kind =
  | 'text'
  | 'integer'
  | 'boolean'
  | 'switch'
  | 'naira'
  | 'coins'
  | 'amount'
  | 'list'
  | 'json'

/** One field of a request. A dotted name is a nested field: `customer.name`. */
export type Flag = [
  ...[name: string, kind: Kind, about: string],
  ...[isRequired: boolean, isNullable: boolean, choices?: string[]],
]

/** An operation of the API, as generated from openapi.json. */
export type Described = {
  about: string
  flags: Flag[]
  /** Fields of the answer that are amounts, by dotted name. */
  money: string[]
  /** Whether the request can be repeated with an `Idempotency-Key`. */
  takesIdempotencyKey?: true
}

export type Input = Record<string, unknown>

/** `--data` as an object. */
export function readData(data: string | undefined): Input {
  return data === undefined ? {} : readObject(data)
}

/** Choices as the API writes them: `--status held` becomes HELD. */
export function matchChoices<Given extends Input>(flags: Flag[], given: Given): Given {
  const matched = flags.flatMap(([name, , , , , choices = []]): [string, unknown][] => {
    const text = given[name]
    if (typeof text !== 'string' || choices.length === 0) return []
    const match = (word: string) => {
      const same = choices.filter((one) => one.toLowerCase() === word.trim().toLowerCase())
      return same.includes(word) ? word : (same[0] ?? word)
    }
    return [[name, text.split(',').map(match).join(',')]]
  })
  return { ...given, ...Object.fromEntries(matched) }
}

/** Whether the asset of an amount must be found out, because nothing in the request names it. */
export function needsAsset(flags: Flag[], given: Input, data: Input): boolean {
  return flags.some(([name, kind]) => {
    const text = given[name]
    if (kind !== 'amount' || typeof text !== 'string') return false
    return (parseMoney(text)?.asset ?? namedAsset(name, given, data)) === undefined
  })
}

/** The asset of an amount: named beside it in the request, or by the field: `lowBalance.USDC`. */
export function namedAsset(name: string, given: Input, data: Input): string | undefined {
  const path = name.split('.')
  const before = path.slice(0, -1)
  const beside = before.reduce<Input>((at, part) => (at[part] ?? {}) as Input, data)
  const flags = ['asset', 'currency'].map((word) => given[[...before, word].join('.')])
  return [path.at(-1), ...flags, beside.asset, beside.currency].find(isAsset)
}

/** Builds the request from the flags, on top of `--data`. */
export function readFlags(
  flags: Flag[],
  given: Input,
  { data, asset }: { data: Input; asset?: string | undefined },
): Input {
  const input: Input = structuredClone(data)
  const hasCurrency = flags.some(([name]) => name === 'currency')
  for (const [name, kind, , , isNullable] of flags) {
    const text = given[name] as string | undefined
    if (text === undefined) continue
    const known = namedAsset(name, given, data) ?? asset
    const value = isNullable && text === 'null' ? null : readers[kind]({ name, text, asset: known })
    put(input, name.split('.'), value)
    // Without the currency, a filter such as `--min-amount "25 USDC"` would mean kobo.
    const written = kind === 'amount' && hasCurrency ? parseMoney(text)?.asset : undefined
    if (written !== undefined) input.currency ??= written
  }
  return input
}

type Given = { name: string; text: string; asset: string | undefined }

const readers: Record<Kind, (given: Given) => unknown> = {
  text: ({ name, text }) => (isTimeField(name) ? withZone(text) : text),
  switch: () => '1',
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
  naira: ({ name, text }) => readNaira({ name, text, asset: 'NGN' }),
  coins: readCoins,
  amount: (given) => {
    const asset = given.asset ?? parseMoney(given.text)?.asset ?? 'NGN'
    return asset === 'NGN' ? readNaira({ ...given, asset }) : readCoins(given)
  },
}

/** Naira as a number of kobo. */
function readNaira({ name, text }: Given): number {
  const written = parseMoney(text)
  const kobo = written && (written.asset ?? 'NGN') === 'NGN' && toKobo(written.decimal)
  if (typeof kobo === 'number') return kobo
  const flag = `--${toFlagName(name)}`
  if (written && kobo !== false && isTooMuch(written.decimal))
    throw misused(`${flag} must be at most ${nairaMax}, not ${text}.`, 'Write a smaller amount.')
  throw misused(
    `${flag} must be naira with at most two decimals, not ${text}.`,
    `Write ${flag} 5000 or ${flag} 5000.50; ₦5,000.50 works too.`,
  )
}

/** Coins as a decimal text; the service checks how many decimals the coin has. */
function readCoins({ name, text, asset }: Given): string {
  const written = parseMoney(text)
  const isOther = asset !== undefined && written?.asset !== undefined && written.asset !== asset
  if (written && !isOther && written.asset !== 'NGN') return written.decimal
  const flag = `--${toFlagName(name)}`
  const coin = asset ?? 'USDC'
  throw misused(
    `${flag} must be an amount of ${asset ?? 'a coin'}, not ${text}.`,
    `Write ${flag} 25.5 or ${flag} "25.5 ${coin}".`,
  )
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
