import { Argument, type Command, Option } from 'commander'
import { IsOptional, type TSchema } from 'typebox'
import { Refusal } from '../../base/refusal.js'
import type {
  Action,
  CommandAction,
  CommandCall,
  CommandOutput,
  Service,
  Terminal,
} from './definition.js'

/** What the program that runs commands gives them. */
export type Program = { terminal: Terminal; service: Service }

/** Adds the commands of these actions. `groups` describes the commands that contain them. */
export function registerCommands(
  program: Command,
  { terminal, service }: Program,
  actions: Action[],
  groups: Record<string, string>,
): void {
  for (const { command } of actions) {
    if (!command) continue
    const [group, name] = command.name.includes(' ') ? command.name.split(' ') : ['', command.name]
    const parent = group ? findGroup(program, group).description(groups[group]!) : program
    const added = parent.command(name!).description(command.description)
    addInputs(added, command)
    added.action(async (...given: unknown[]) => {
      const { json: isJson, yes: isConfirmed = false, ...flags } = added.opts()
      const args = command.args ?? []
      const input = { ...flags, ...Object.fromEntries(args.map((arg, at) => [arg, given[at]])) }
      try {
        const output = await terminal.withDatabase((db, seal) =>
          command.run(toCall({ terminal, service }, { db, seal }, isConfirmed), input),
        )
        terminal.print(isJson ? JSON.stringify(output.data) : toText(terminal, output))
      } catch (error) {
        // A refusal is one line on stderr; anything else is a bug.
        if (error instanceof Refusal) added.error(`error: ${error.message}`, { exitCode: 1 })
        throw error
      }
    })
  }
}

/** The commands of the API have some of these groups too. */
function findGroup(program: Command, name: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name)
}

function addInputs(command: Command, { input, args = [] }: CommandAction): void {
  for (const name of args) command.addArgument(toArgument(name, input[name]!))
  for (const [name, schema] of Object.entries(input))
    if (!args.includes(name)) command.addOption(toOption(name, schema))
  command.option('--json', 'print one line of JSON')
}

/** The keywords that describe an input on the command line; see fields.ts. */
type Described = {
  description: string
  type?: string
  enum?: string[]
  default?: unknown
  defaultText?: string
  placeholder?: string
  read?: (text: string) => unknown
}

function toArgument(name: string, schema: TSchema): Argument {
  const described = schema as unknown as Described
  const { description, placeholder = name, read } = described
  const argument = new Argument(`<${placeholder}>`, description)
  if (described.enum) argument.choices(described.enum)
  return read ? argument.argParser(read) : argument
}

function toOption(name: string, schema: TSchema): Option {
  const described = schema as unknown as Described
  const { description, type, placeholder = name, read } = described
  const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  if (type === 'boolean') return new Option(flag, description)
  const option = new Option(`${flag} <${placeholder}>`, description)
  if (described.enum) option.choices(described.enum)
  if (read) option.argParser<unknown>(type === 'array' ? collect(read) : read)
  if (described.default !== undefined) option.default(described.default, described.defaultText)
  else if (!IsOptional(schema)) option.makeOptionMandatory()
  return option
}

/** For flags that may be repeated. */
function collect(read: (text: string) => unknown) {
  return (text: string, before: unknown): unknown[] => [
    ...((before as unknown[]) ?? []),
    read(text),
  ]
}

function toCall(
  { terminal, service }: Program,
  { db, seal }: Pick<CommandCall, 'db' | 'seal'>,
  isConfirmed: boolean,
): CommandCall {
  return {
    db,
    seal,
    service,
    terminal,
    clock: terminal.clock,
    now: terminal.clock.now(),
    operator: terminal.actor,
    rateBook: () => service.rateBook(db),
    rateConfig: service.rateConfig,
    retention: service.retention,
    withRails: (work) => service.withRails(db, work),
    async confirm({ mode, facts, consequence }) {
      if (mode === 'live' && !isConfirmed) await terminal.confirmLive(facts, consequence)
      return terminal.clock.now()
    },
  }
}

function toText({ formatTable }: Terminal, { text }: CommandOutput): string {
  return [text]
    .flat()
    .map((part) => (typeof part === 'string' ? part : formatTable(part)))
    .join('\n')
}
