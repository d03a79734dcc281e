import { type Command, Option } from 'commander'
import type { Manilla } from '../src/manilla.js'
import {
  isOperation,
  type Operation,
  type Operations,
  operations,
  parametersOf,
} from '../src/operations.js'
import { type Output, type Run, setAction, setTestAction } from './action.js'
import { confirmLive, yesFlag } from './confirm.js'
import { misused } from './failure.js'
import { filterAliases } from './flag-aliases.js'
import { toFlagName } from './flag-name.js'
import { described } from './flags.js'
import { describeMove, movesMoney } from './live-moves.js'
import { matchChoices, namedAsset, needsAsset, readData, readFlags } from './read-flags.js'
import { formatAnswer, formatList, type Money } from './show.js'
import type { Terminal } from './terminal.js'

/** One command per API operation: `virtualAccounts.create` becomes `virtual-accounts create`. */
export function registerResources(program: Command, terminal: Terminal): void {
  program.commandsGroup('API resources:')
  registerRows(program, terminal, operations, '')
}

function registerRows(parent: Command, terminal: Terminal, rows: Operations, prefix: string): void {
  for (const [name, row] of Object.entries(rows)) {
    if (handWritten.has(prefix + name)) continue
    const isDefault = worded[prefix + name] !== undefined
    const command = parent.command(toFlagName(name), { isDefault })
    if (isOperation(row)) registerOperation(command, terminal, row, prefix + name)
    else {
      command.description(describeGroup(name, row))
      registerRows(command, terminal, row, `${prefix}${name}.`)
    }
  }
}

/** Registered by batches.ts: they read a file or wait. */
const handWritten = new Set(['batches.create', 'batches.submit'])

function describeGroup(name: string, rows: Operations): string {
  const verbs = Object.keys(rows).map(toFlagName).join(', ')
  return name === 'test' ? `test mode only: ${verbs}` : verbs
}

/** Commands that take words in place of a flag; their group takes them too: `search chuka`. */
const worded: Record<string, string> = { 'search.list': 'q' }

type FlagValues = Record<string, string | undefined>

function registerOperation(
  command: Command,
  terminal: Terminal,
  operation: Operation,
  name: string,
): void {
  const { about, flags, takesIdempotencyKey } = described[name]!
  command.description(about)
  for (const place of parametersOf(operation.path)) command.argument(`<${toFlagName(place)}>`)
  const isWorded = worded[name] !== undefined
  if (isWorded) command.argument('[words...]', `instead of --${worded[name]}`)
  for (const [field, kind, text, isRequired, isNullable] of flags) {
    const alias = operation.takes === 'query' ? filterAliases[field] : undefined
    const names = [...(alias === undefined ? [] : [alias]), toFlagName(field)]
    const value = kind === 'switch' ? '' : ` <${kind}${isNullable ? ' or null' : ''}>`
    const flag = names.map((name) => `--${name}`).join(', ') + value
    command.addOption(
      new FieldOption(flag, isRequired && !isWorded ? `(required) ${text}` : text, field),
    )
  }
  if (operation.takes === 'body')
    command.option(
      '--data <json>',
      'the request as JSON, as the API takes it (naira in kobo); @file reads a file, - reads stdin',
    )
  if (takesIdempotencyKey)
    command.option('--idempotency-key <key>', 'makes the request safe to retry')
  // These simulate payers and never work with a live key.
  const isTestOnly = operation.path.startsWith('/v1/test/') || name === 'checkout.simulate'
  if (movesMoney(name, operation)) command.option(...yesFlag)
  const set = isTestOnly ? setTestAction : setAction
  set<FlagValues>(command, terminal, (run) => call(run, operation, name))
}

/** An option whose value is stored under the field's API name. */
class FieldOption extends Option {
  readonly field: string

  constructor(flags: string, about: string, field: string) {
    super(flags, about)
    this.field = field
  }

  override attributeName(): string {
    return this.field
  }
}

type Method = (...given: unknown[]) => Promise<unknown> & { page?: () => Promise<Page> }
type Page = { items: unknown[]; nextCursor: string | null }

/** Undefined if the result is already written. */
async function call(
  run: Run<FlagValues>,
  operation: Operation,
  name: string,
): Promise<Output | undefined> {
  const { data, idempotencyKey, yes, ...typed } = run.options
  const { manilla, terminal } = run
  const { flags, money } = described[name]!
  const word = worded[name]
  const args = word === undefined ? run.args : []
  if (word !== undefined) typed[word] ??= run.args.flat().join(' ') || undefined
  const given = matchChoices(flags, typed)
  if (args.includes(''))
    throw misused('An argument is empty.', 'Run the command with --help to see what it accepts.')
  const base = readData(data)
  const asset = needsAsset(flags, given, base)
    ? await assetFinders[name]?.(manilla, args)
    : undefined
  const input = readFlags(flags, given, { data: base, asset })
  if (run.isLive && !yes && movesMoney(name, operation))
    await confirmLive(terminal, () => describeMove(name, { manilla, args, input, money }))
  const options = idempotencyKey === undefined ? {} : { idempotencyKey }
  const inputs = operation.takes === 'nothing' ? [] : [input]
  const pending = findMethod(manilla, name)(...args, ...inputs, options)
  if (operation.gives === 'csv') {
    for await (const part of pending as unknown as AsyncIterable<string>)
      if (!(await terminal.write(part))) break
    return undefined
  }
  if (operation.gives === 'pdf') {
    await terminal.write((await pending) as unknown as Uint8Array)
    return undefined
  }
  const answer = operation.gives === 'pages' ? await pending.page!() : await pending
  const shown = { fields: money, asset: namedAsset('amount', input, {}) }
  return describe(operation, terminal, answer, { money: shown, operation: name })
}

/** The asset of requests that do not name it. */
const assetFinders: Record<string, (manilla: Manilla, args: string[]) => Promise<string>> = {
  'payments.refund': async (manilla, [reference = '']) =>
    (await manilla.payments.get(reference)).currency,
}

function findMethod(manilla: Manilla, name: string): Method {
  const found = name.split('.').reduce((at, part) => at[part] as Found, manilla as unknown as Found)
  return found as unknown as Method
}

type Found = { [part: string]: unknown }

type Shown = { money: Money; operation: string }

function describe({ gives }: Operation, terminal: Terminal, data: unknown, shown: Shown): Output {
  if (gives === 'pages') {
    const { items, nextCursor } = data as Page
    const more = nextCursor === null ? '' : `\nMore: --cursor ${nextCursor}`
    return { data, text: formatList(terminal, items, shown) + more }
  }
  if (gives === 'items') return { data, text: formatList(terminal, data as unknown[], shown) }
  return { data: data ?? null, text: formatAnswer(terminal, data ?? {}, shown) }
}
