import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Clock, RealTime } from '../../base/clock.js'
import type { Config, RetentionPeriods } from '../../base/config.js'
import type { Environment, Mode } from '../../base/environment.js'
import type { RateConfig } from '../../base/rate-sources.js'
import type { Outcome } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import type { Database } from '../../postgres/database.js'
import type { RateBook } from '../../rates/rate-book.js'
import type { Screening } from '../../screening/ports.js'
import type { Sessions } from '../../team/sessions.js'
import type { ConsoleOperator, Operator } from '../changes/audit-operator.js'
import type { CheckResult } from '../doctor/check-result.js'
import type { WatchedFloat } from '../metrics/watch-floats.js'
import type { WatchedTreasury } from '../metrics/watch-treasuries.js'
import type { WorkFigures } from '../metrics/work-figures.js'
import type { ReconcilableRails } from '../reconcile/reconcile.js'
import type { TextTable } from './table.js'

/** Something that operators do or see: a command of `manilla`, a route of the console, or both. */
export type Action = { command?: CommandAction; route?: RouteAction }

/** What an action uses, on the command line and in the console. */
export type ActionCall = {
  db: Database
  seal: Seal
  now: Date
  clock: Clock
  operator: Operator
  /** The rates that conversions use now. */
  rateBook(): RateBook
  /** Sources and bounds of rates, as configured. */
  rateConfig(): RateConfig
  /** How long personal data is kept, as configured. */
  retention(): RetentionPeriods
  /** Opens the rails for the duration of `work`, unless the process has them open. */
  withRails<Result>(work: (rails: ReconcilableRails) => Promise<Result>): Promise<Result>
  /** Sessions of the console that this process remembers; commands run in another process. */
  sessions?: Sessions
}

export type CommandCall = ActionCall & {
  /** Account name of the shell. */
  operator: string
  terminal: Pick<Terminal, 'startProgress' | 'paint'>
  service: Service
  /** For commands that move money: asks in live mode, unless `yes`. Returns the time after. */
  confirm(question: { mode: Mode; facts: Facts; consequence?: string }): Promise<Date>
}

export type RouteCall = ActionCall & {
  operator: ConsoleOperator
  /** For the merchant, which does not learn the operator's e-mail address. */
  operatorName: string
  config: Config
  sessions: Sessions
  rails: WatchedRails
  /** Result of the checks of `manilla doctor`, at most some seconds old. */
  examine(): Promise<{ at: Date; value: CheckResult[] }>
  readWork(): Promise<WorkFigures>
  /** Draws a QR code, as an SVG file. */
  drawQr(text: string, label: string): string
  /** Refuses the request unless a factor was proven in the last minutes. */
  requireStepUp(): void
}

/** The rails that operators watch; all of them, in both modes. */
export type WatchedRails = ReconcilableRails & {
  treasuries: WatchedTreasury[]
  floats: WatchedFloat[]
  /** URL of the embedded chain. */
  chainUrl?: string | undefined
}

/** The program that runs commands. */
export type Terminal = {
  withDatabase<Result>(work: (db: Database, seal: Seal) => Promise<Result>): Promise<Result>
  clock: Clock
  /** Name of the operator, recorded with every change. */
  actor: string
  print(text: string): void
  /** Shows the progress of long work. */
  startProgress(label: string, steps?: number): Progress
  formatTable(table: TextTable): string
  /** Colours a text if the terminal shows colours. */
  paint(color: Color, text: string): string
  /** Asks before real money moves, and throws if the operator does not confirm. */
  confirmLive(facts: Facts, consequence?: string): Promise<void>
}

/** What commands use of the service besides its database; compose.ts gives it to routes. */
export type Service = {
  withRails: WithRails
  rateConfig(): RateConfig
  retention(): RetentionPeriods
  rateBook(db: Database): RateBook
  resolveHolder: ResolveHolder
  /** Opens the list and the provider of this configuration; undefined: there is neither. */
  openScreening(): Promise<Screening | undefined>
  /** URL where users sign in. */
  findConsoleUrl(): Promise<string>
  /** Makes a link into the console. */
  openStart(db: Database, now: RealTime): Promise<string>
  /** False where there is no browser to open. */
  openBrowser(url: string): boolean
}

export type WithRails = <Result>(
  db: Database,
  work: (rails: ReconcilableRails) => Promise<Result>,
) => Promise<Result>

/** Asks a bank for the holder of an account. Undefined: no bank is configured. */
export type ResolveHolder = (
  db: Database,
  environment: Environment,
  account: { bankCode: string; accountNumber: string },
) => Promise<Outcome<{ bankName: string; accountName: string }> | undefined>

export type Color = 'green' | 'red' | 'yellow' | 'dim'

/** What is about to happen, line by line: a label and its value. */
export type Facts = [label: string, value: string][]

export type Progress = { step(label: string): void; end(): void }

/** Output of a command: `data` for `--json`, `text` for a terminal. */
export type CommandOutput = { data: unknown; text: Text | Text[] }

/** A line, several lines, or a table. */
type Text = string | TextTable

export type InputOf<Input extends TProperties> = Static<TObject<Input>>

/** What a function may return for a schema: JSON writes times as texts. */
export type Shown<Value> = Value extends string
  ? string extends Value
    ? string | Date
    : Value
  : Value extends readonly (infer Item)[]
    ? Shown<Item>[]
    : Value extends object
      ? { [Field in keyof Value]: Shown<Value[Field]> }
      : Value

type CommandHead<Name extends string> = {
  /** Name with its group: `merchants suspend`. */
  name: string
  description: string
  /** The inputs that are arguments; the others are flags. */
  args?: Name[]
}

export type CommandAction = CommandHead<string> & {
  input: TProperties
  run(call: CommandCall, input: object): Promise<CommandOutput>
}

type RouteHead = {
  /**
   * Method, and path after `/operator/v1`. Inputs that the path names are its parameters; the
   * others are the body or the query.
   */
  request: `${'GET' | 'POST'} /${string}`
  operation: string
  summary: string
  stepUp?: 'always'
}

type PlainRoute = { view: TSchema; run(call: RouteCall, input: object): Promise<unknown> }

/** Where a page ends. A cursor that `read` does not know belongs to another list. */
export type Cursor<Row, Position> = {
  write(row: Row): Record<string, string>
  read(cursor: Record<string, string>): Position | undefined
}

type ListRoute<Row, Position> = {
  /** View of one item. */
  view: TSchema
  cursor: Cursor<Row, Position>
  find(
    call: RouteCall,
    filters: object,
    page: { limit: number; after: Position | undefined },
  ): Promise<Row[]>
  show(row: Row, call: RouteCall): unknown
}

export type RouteAction = RouteHead & { input: TProperties } & (
    | PlainRoute
    | ListRoute<unknown, unknown>
  )

/** An action of the command line only. */
export function command<Input extends TProperties = Record<never, never>>(
  definition: CommandHead<keyof Input & string> & {
    input?: Input
    run(call: CommandCall, input: InputOf<Input>): Promise<CommandOutput>
  },
): Action {
  return { command: { input: {}, ...definition } as CommandAction }
}

/** An action or view of the console only. */
export function route<View extends TSchema, Input extends TProperties = Record<never, never>>(
  definition: RouteHead & {
    input?: Input
    view: View
    run(call: RouteCall, input: InputOf<Input>): Promise<Shown<Static<View>>>
  },
): Action {
  return { route: { input: {}, ...definition } as RouteAction }
}

/** A list of the console, page by page. */
export function list<
  View extends TSchema,
  Row,
  Position,
  Filters extends TProperties = Record<never, never>,
>(
  definition: RouteHead & {
    filters?: Filters
    view: View
    cursor: Cursor<NoInfer<Row>, Position>
    find(
      call: RouteCall,
      filters: InputOf<Filters>,
      page: { limit: number; after: Position | undefined },
    ): Promise<Row[]>
    show(row: Row, call: RouteCall): Shown<Static<View>>
  },
): Action {
  const { filters = {}, ...rest } = definition
  return { route: { ...rest, input: filters } as RouteAction }
}

/** An action of both: `run` does it; each side shows the result in its own way. */
export function action<Input extends TProperties, Result, View extends TSchema>(definition: {
  input: Input
  run(call: ActionCall, input: InputOf<Input>): Promise<Result>
  command: CommandHead<keyof Input & string> & {
    print(result: Result, input: InputOf<Input>): CommandOutput
  }
  route: RouteHead & {
    view: View
    show(result: Result, input: InputOf<Input>): Shown<Static<View>>
  }
}): Action {
  const { input, run } = definition
  const { print, ...commandHead } = definition.command
  const { show, ...routeHead } = definition.route
  return {
    command: {
      ...commandHead,
      input,
      run: async (call, given) => print(await run(call, given as never), given as never),
    },
    route: {
      ...routeHead,
      input,
      run: async (call, given) => show(await run(call, given as never), given as never),
    },
  }
}
