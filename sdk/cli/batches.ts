import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { CreatePayoutBatchInput, Manilla, PayoutBatch } from '../src/manilla.js'
import { operations } from '../src/operations.js'
import { toConnection } from '../src/options.js'
import { send } from '../src/send.js'
import { type Output, type Run, setAction } from './action.js'
import { confirmLive, yesFlag } from './confirm.js'
import { misused, Stopped } from './failure.js'
import { formatMoney } from './money.js'
import type { Progress } from './progress.js'
import type { Terminal } from './terminal.js'

const pollIntervalMs = 500

type CreateOptions = { name?: string; wait?: boolean; idempotencyKey?: string }
type SubmitOptions = {
  skipInvalid?: boolean
  wait?: boolean
  yes?: boolean
  idempotencyKey?: string
}

/** Commands that read a file or wait; the others are generated from the API. */
export function registerBatches(program: Command, terminal: Terminal): void {
  const batches = program.commands.find((command) => command.name() === 'batches')!
  batches.commands.find((command) => command.name() === 'get')!.alias('show')
  const create = batches
    .command('create')
    .description('upload a batch of payouts from a CSV file or the JSON of the API')
    .argument('<file>', 'such as salaries.csv; `batches template` prints the columns')
    .option('--name <text>', 'your own name for the batch')
    .option('--wait', 'wait until every item is checked')
    .option('--idempotency-key <key>', 'makes the request safe to retry')
  setAction<CreateOptions>(create, terminal, createBatch)
  const submit = batches
    .command('submit')
    .description('pay the items of a checked batch')
    .argument('<reference>')
    .option('--skip-invalid', 'leave out the items that cannot be paid')
    .option('--wait', 'wait until every item has ended')
    .option('--idempotency-key <key>', 'makes the request safe to retry')
    .option(...yesFlag)
  setAction<SubmitOptions>(submit, terminal, submitBatch)
}

async function createBatch(run: Run<CreateOptions>): Promise<Output> {
  const { manilla, terminal, args, options } = run
  const [file = ''] = args
  const batch = await sendFile(run, file)
  if (!options.wait) return describe(batch)
  // At once: a second upload because the first reference is unknown could pay twice.
  terminal.note(`Created ${batch.reference}. Waiting until every item is checked.`)
  const isChecked = ({ status }: PayoutBatch) => status !== 'VALIDATING'
  return describe(
    await follow(
      { manilla, terminal, label: 'Checking', stillDoing: 'being checked' },
      batch,
      isChecked,
      ({ validated }) => validated,
    ),
  )
}

/** A CSV file is sent as it is: the service reports problems with their lines. */
async function sendFile(
  { manilla, access, options }: Run<CreateOptions>,
  file: string,
): Promise<PayoutBatch> {
  const text = readText(file)
  if (/^\s*[{[]/.test(text)) {
    const input = parseJson(file, text)
    const { name = input.name } = options
    return manilla.batches.create(name === undefined ? input : { ...input, name }, keyOf(options))
  }
  const name =
    options.name ??
    path
      .basename(file)
      .replace(/\.csv$/i, '')
      .slice(0, nameLengthMax)
  const connection = toConnection(access.key, { baseUrl: access.baseUrl, maxRetries: 1 })
  const operation = operations.batches.create
  const query = new URLSearchParams({ name })
  const request = { operation, path: `${operation.path}?${query}`, body: text }
  const { data } = await send(connection, { ...request, options: keyOf(options) })
  return data as PayoutBatch
}

const nameLengthMax = 100

function parseJson(file: string, text: string): CreatePayoutBatchInput {
  try {
    return JSON.parse(text) as CreatePayoutBatchInput
  } catch {
    throw misused(`${file} is not valid JSON.`, 'Check quotes, commas and braces.')
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw misused(`Cannot read ${file} (${(error as Error).message}).`, 'Check the path.')
  }
}

async function submitBatch(run: Run<SubmitOptions>): Promise<Output> {
  const { manilla, terminal, args, options, isLive } = run
  const [reference = ''] = args
  if (isLive && !options.yes)
    await confirmLive(terminal, async () => {
      const batch = await manilla.batches.get(reference)
      return [
        ['Pay', `${countItems(batch.items - batch.counts.invalid)} of ${reference}`],
        ['From balance', formatMoney(batch.totalDebit, batch.asset)],
        ['Warnings', String(batch.counts.warnings)],
      ]
    })
  const input = { skipInvalid: options.skipInvalid ?? false }
  const batch = await manilla.batches.submit(reference, input, keyOf(options))
  if (!options.wait) return describe(batch)
  const hasEnded = ({ status }: PayoutBatch) => status !== 'PROCESSING'
  return describe(
    await follow(
      { manilla, terminal, label: 'Paying', stillDoing: 'being paid' },
      batch,
      hasEnded,
      ({ ended }) => ended,
    ),
  )
}

function keyOf({ idempotencyKey }: { idempotencyKey?: string }) {
  return idempotencyKey === undefined ? {} : { idempotencyKey }
}

type Following = { manilla: Manilla; terminal: Terminal; label: string; stillDoing: string }

/** Polls a batch, with a progress bar on a terminal. */
async function follow(
  { manilla, terminal, label, stillDoing }: Following,
  start: PayoutBatch,
  isDone: (batch: PayoutBatch) => boolean,
  countOf: (progress: PayoutBatch['progress']) => number,
): Promise<PayoutBatch> {
  const payable = start.items - start.counts.invalid
  const { reference } = start
  const signal = terminal.stop()
  const progress = terminal.startProgress(`${label} ${reference}`, payable)
  let batch = start
  let shown = 0
  try {
    for (;;) {
      const count = countOf(batch.progress)
      shown = advance(progress, shown, Math.min(count, payable))
      if (isDone(batch)) return batch
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => {
        throw new Stopped(
          `Stopped waiting; ${reference} is still ${stillDoing}.`,
          `Do not repeat this command. Follow the batch: manilla batches show ${reference}`,
        )
      })
      batch = await manilla.batches.get(reference)
    }
  } finally {
    progress.end()
  }
}

function advance(progress: Progress, from: number, to: number): number {
  for (let done = from; done < to; done += 1) progress.step('')
  return Math.max(from, to)
}

function describe(batch: PayoutBatch): Output {
  const { reference, status, items, counts, asset } = batch
  const lines = [
    `${reference}  ${status}`,
    `  ${countItems(items)}, ${formatMoney(batch.amount, asset)} plus ${formatMoney(batch.fee, asset)} in fees`,
    ...partsOf(counts),
    ...nextSteps(batch).map((step) => `  ${step}`),
  ]
  return { data: batch, text: lines.join('\n') }
}

const countItems = (count: number) => `${count} ${count === 1 ? 'item' : 'items'}`

function partsOf(counts: PayoutBatch['counts']): string[] {
  const parts = Object.entries(counts).flatMap(([name, count]) =>
    count > 0 ? [`${count} ${name}`] : [],
  )
  return parts.length > 0 ? [`  ${parts.join(', ')}`] : []
}

/** Commands that usually come next. */
function nextSteps({ reference, status, counts }: PayoutBatch): string[] {
  if (status === 'VALIDATING') return [`manilla batches show ${reference}`]
  if (status === 'READY') return [`manilla batches submit ${reference} --wait`]
  if (status === 'INVALID')
    return [
      `manilla batches items ${reference} --status INVALID`,
      `manilla batches submit ${reference} --skip-invalid --wait`,
    ]
  if (status === 'COMPLETED')
    return [
      `manilla batches report ${reference} > results.csv`,
      ...(counts.failed > 0 ? [`manilla batches retry ${reference}`] : []),
    ]
  return status === 'PENDING' ? ['Waiting for approval by a second member.'] : []
}
