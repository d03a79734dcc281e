import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'

/** Who sends a request: an API key, or one of the two members of the guarded merchant. */
export type Caller = 'key' | 'maker' | 'approver'

/** Fields of an answer that are compared with the books. */
const keptFields = [
  'reference',
  'status',
  'amount',
  'amountAccepted',
  'variance',
  'totalDebit',
  'fee',
  'from',
  'to',
  'sourceAmount',
  'targetAmount',
  'orderHash',
  'transferReference',
  'accountNumber',
  'accountReference',
] as const

type Kept = { [Field in (typeof keptFields)[number]]?: string | number }

/** A request under its own idempotency key. */
export type Operation = {
  key: string
  kind: string
  caller: Caller
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: each kind knows its own request
  body: any
}

export type Answer = { status: number; digest: string; reason?: string; kept: Kept }
export type Answered = Operation & { answer: Answer }

type Line =
  | { sent: Operation }
  | { answered: { key: string } & Answer }
  | { killed: Kill }
  | { ran: Run }

/** A kill, and how many requests and resources were under way at that moment. */
export type Kill = { victim: 'api' | 'worker'; requests: number; resources: number }

/** One run of the driver on the journal. */
export type Run = { seed: number; seconds: number; violations: number }

/**
 * Every request of a storm, written to a file before it is sent, and its answer when it arrived. A
 * later run reads the file and continues: it retries what was not answered, under the same keys.
 */
export class Journal {
  readonly answered = new Map<string, Answered>()
  readonly open = new Map<string, Operation>()
  readonly refused: Answered[] = []
  readonly kills: Kill[] = []
  readonly runs: Run[] = []
  readonly #file: string
  #count = 0

  constructor(file: string) {
    this.#file = file
    if (!existsSync(file)) return
    const text = readFileSync(file, 'utf8')
    // The last line is incomplete if the driver itself was killed while it wrote.
    const complete = text.slice(0, text.lastIndexOf('\n') + 1)
    truncateSync(file, Buffer.byteLength(complete))
    for (const line of complete.split('\n').slice(0, -1)) this.#read(line)
  }

  get acknowledged(): number {
    return this.answered.size - this.refused.length
  }

  /** Kills of an API process with requests, or of a worker while rows were open. */
  get killsDuringWork(): number {
    return this.kills.filter(
      ({ victim, requests, resources }) => (victim === 'api' ? requests : resources) > 0,
    ).length
  }

  send(request: Omit<Operation, 'key'>): Operation {
    this.#count += 1
    const operation = { key: `mixed ${this.#count}`, ...request }
    this.open.set(operation.key, operation)
    this.#write({ sent: operation })
    return operation
  }

  answer(operation: Operation, status: number, text: string): Answered {
    type Reply = { data?: Kept; code?: string; reason?: string }
    const { data, code, reason = code } = JSON.parse(text) as Reply
    const kept = Object.fromEntries(keptFields.map((field) => [field, data?.[field]])) as Kept
    const digest = digestOf(text)
    const answer = { status, digest, ...(reason && { reason }), kept }
    this.#write({ answered: { key: operation.key, ...answer } })
    return this.#settle(operation, answer)
  }

  kill(kill: Kill): void {
    this.#write({ killed: kill })
    this.kills.push(kill)
  }

  endRun(run: Run): void {
    this.#write({ ran: run })
    this.runs.push(run)
  }

  list(...kinds: string[]): Answered[] {
    const isAcknowledged = ({ kind, answer }: Answered) =>
      answer.status < 300 && kinds.includes(kind)
    return [...this.answered.values()].filter(isAcknowledged)
  }

  #settle(operation: Operation, answer: Answer): Answered {
    const answered = { ...operation, answer }
    this.open.delete(operation.key)
    this.answered.set(operation.key, answered)
    if (answer.status >= 300) this.refused.push(answered)
    return answered
  }

  #write(line: Line): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
  }

  #read(text: string): void {
    const line = JSON.parse(text) as Line
    if ('killed' in line) {
      this.kills.push(line.killed)
    } else if ('ran' in line) {
      this.runs.push(line.ran)
    } else if ('sent' in line) {
      this.#count += 1
      this.open.set(line.sent.key, line.sent)
    } else {
      const { key, ...answer } = line.answered
      this.#settle(this.open.get(key)!, answer)
    }
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}
