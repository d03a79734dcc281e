import Type from 'typebox'
import type { RealTime } from '../../base/clock.js'
import { type Mode, modes } from '../../base/environment.js'
import { limits } from '../../base/limits.js'
import { invalidField, Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import { formatMoney, toWire } from '../../money/amounts.js'
import {
  findLevy,
  type Levy,
  type LevyDebit,
  type LevyExemption,
  levyDebitKinds,
  levyExemptions,
  levyKinds,
} from '../../payouts/levies/levy.js'
import { type LevyMonth, reportLevies } from '../../payouts/levies/report-levies.js'
import {
  addLevy,
  addLevyDebit,
  listLevies,
  listLevyDebits,
} from '../../payouts/levies/store-levies.js'
import { auditOperator, operatorName } from '../changes/audit-operator.js'
import { type Action, type ActionCall, action } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { formatTime, tableOf } from '../definitions/table.js'
import { amount, mode, time } from '../definitions/views.js'

const timeInput = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 40, description, placeholder: 'time' }))

const railInput = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: limits.names.length,
    description: 'only on this rail, as `reconcile` prints it; without it, on every naira rail',
  }),
)

const from = timeInput('from when it holds; without it, from now on')

const levyView = resource('Levy', {
  id: Type.String(),
  kind: Type.Enum([...levyKinds]),
  mode,
  rail: orNull(Type.String()),
  threshold: amount,
  /** 0: no levy in this period. */
  amount,
  exempts: Type.Array(Type.Enum([...levyExemptions])),
  holdsFrom: time,
  holdsUntil: orNull(time),
  createdAt: time,
  createdBy: Type.String(),
})

const debitView = resource('LevyDebit', {
  rail: Type.String(),
  debits: Type.Enum([...levyDebitKinds]),
  since: time,
  createdAt: time,
  createdBy: Type.String(),
})

/** The stamp duty of Nigeria: ₦50 on transfers of ₦10,000 and more. */
const nigeria = {
  threshold: 1_000_000n,
  amount: 5_000n,
  exempts: [...levyExemptions] as LevyExemption[],
  begins: new Date('2025-12-31T23:00:00Z'),
}

/** Levies hold for all merchants of a mode. None does until an operator sets it. */
export const levyActions: Action[] = [
  action({
    input: {},
    async run({ db }) {
      const [levies, debits] = await Promise.all([listLevies(db), listLevyDebits(db)])
      return { levies, debits }
    },
    command: {
      name: 'levies list',
      description: 'list levies, newest first: the first one whose period includes a time decides',
      print: (result) => ({
        data: showAll(result),
        text: [
          tableOf(result.levies.map(describe), levyColumns, { empty: 'No levy was ever set.' }),
          tableOf(result.debits, debitColumns, { empty: 'No provider debits levies.' }),
        ],
      }),
    },
    route: {
      request: 'GET /levies',
      operation: 'listLevies',
      summary: 'Levies',
      view: resource('Levies', { items: Type.Array(levyView), debits: Type.Array(debitView) }),
      show: showAll,
    },
  }),
  action({
    input: {
      mode: fields.mode,
      rail: railInput,
      threshold: fields.amount('smallest transfer that owes it, in naira'),
      amount: fields.amount('the levy, in naira'),
      from,
      until: timeInput('until when it holds; without it, until a newer entry'),
      chargeSalaries: fields.flag('also on transfers with the purpose salary'),
      chargeOwnAccounts: fields.flag("also on transfers to a merchant's own bank accounts"),
    },
    run(call, input) {
      const threshold = fields.readAmountField('threshold', input.threshold, 'NGN')
      const levied = fields.readAmountField('amount', input.amount, 'NGN')
      if (levied > threshold) throw invalidField('amount', 'must not be more than the threshold')
      const exempts = levyExemptions.filter((exemption) =>
        exemption === 'salary' ? !input.chargeSalaries : !input.chargeOwnAccounts,
      )
      return set(call, input, { threshold, amount: levied, exempts })
    },
    command: {
      name: 'levies set',
      description: 'levy a stamp duty on naira transfers; earlier entries stay and are overridden',
      print: printLevy,
    },
    route: {
      request: 'POST /levies',
      operation: 'setLevy',
      summary: 'Set a levy',
      stepUp: 'always',
      view: levyView,
      show: showLevy,
    },
  }),
  action({
    input: {
      preset: Type.Enum(['nigeria'], { description: 'the law to follow' }),
      mode: fields.mode,
    },
    run(call, { mode }) {
      const { begins, ...terms } = nigeria
      const from = begins > call.now ? begins.toISOString() : undefined
      return set(call, { mode, from }, terms)
    },
    command: {
      name: 'levies preset',
      description: 'levy the ₦50 stamp duty on naira transfers of ₦10,000 and more',
      args: ['preset'],
      print: printLevy,
    },
    route: {
      request: 'POST /levies/presets/:preset',
      operation: 'setLevyPreset',
      summary: 'Set the levy of a country',
      stepUp: 'always',
      view: levyView,
      show: showLevy,
    },
  }),
  action({
    input: { mode: fields.mode, rail: railInput, from },
    async run(call, input) {
      const { mode, rail } = input
      const start = readStart(call.now, input.from)
      if (!isEverLevied(await listLevies(call.db), { mode, rail, start }))
        throw new Refusal('validation_failed', {
          reason: 'invalid_state',
          message: `No levy is set in ${mode} mode${rail ? ` for ${rail}` : ''}.`,
        })
      return set(call, input, { threshold: 0n, amount: 0n, exempts: [] })
    },
    command: {
      name: 'levies end',
      description: 'end the levies of a mode, or of one rail, including those that begin later',
      print: printLevy,
    },
    route: {
      request: 'POST /levies/end',
      operation: 'endLevy',
      summary: 'End a levy',
      stepUp: 'always',
      view: levyView,
      show: showLevy,
    },
  }),
  action({
    input: {
      rail: Type.String({
        minLength: 1,
        maxLength: limits.names.length,
        description: 'name of the rail, as `reconcile` prints it',
      }),
      debits: Type.Enum([...levyDebitKinds], {
        description:
          'no; with_transfer: shown with each transfer; apart: as rows of its own in the balance',
      }),
      since: timeInput('since when the provider does so; without it, from now on'),
    },
    async run(call, { rail, debits, since }) {
      await refuseUnknownRail(call, { rail })
      return call.db.transaction(async (tx) => {
        const { now, operator } = call
        const at = since === undefined ? now : readTimeField('since', since)
        const createdBy = operatorName(operator)
        const added = await addLevyDebit(tx, now, { rail, debits, since: at, createdBy })
        const details = { rail, debits, since: at.toISOString() }
        auditOperator(tx, now, operator, { action: 'levy.debits', details })
        return added
      })
    },
    command: {
      name: 'levies debits',
      description: 'record whether a provider debits levies from your balance, for `reconcile`',
      args: ['rail', 'debits'],
      print: (debit) => ({
        data: showDebit(debit),
        text: `${debit.rail} since ${formatTime(debit.since)}: ${debit.debits}.`,
      }),
    },
    route: {
      request: 'POST /levies/debits',
      operation: 'setLevyDebits',
      summary: 'Set whether a provider debits levies',
      stepUp: 'always',
      view: debitView,
      show: showDebit,
    },
  }),
  action({
    input: { mode: Type.Optional(fields.mode) },
    run: ({ db }, input) => reportLevies(db, input.mode),
    command: {
      name: 'levies report',
      description: 'levies by month: what providers took, and what you owe',
      print: (months) => ({
        data: months.map(showMonth),
        text: tableOf(months, monthColumns, { empty: 'No transfer with a levy has completed.' }),
      }),
    },
    route: {
      request: 'GET /levies/report',
      operation: 'reportLevies',
      summary: 'Levies by month',
      view: resource('LevyReport', {
        items: Type.Array(
          resource('LevyMonth', {
            mode,
            rail: Type.String(),
            month: Type.String(),
            transfers: Type.Integer(),
            levied: amount,
            reversed: amount,
            taken: amount,
            owed: amount,
          }),
        ),
      }),
      show: (months) => ({ items: months.map(showMonth) }),
    },
  }),
]

/** Which entry decides changes only when a period begins or ends. */
function isEverLevied(
  newestFirst: Levy[],
  { mode, rail, start }: { mode: Mode; rail: string | undefined; start: Date },
): boolean {
  const rails = rail === undefined ? newestFirst.map((levy) => levy.rail ?? anyRail) : [rail]
  const later = newestFirst
    .flatMap(({ holdsFrom, holdsUntil }) => [holdsFrom, holdsUntil ?? holdsFrom])
    .filter((time) => time > start)
  return [start, ...later].some((at) =>
    rails.some((name) => findLevy(newestFirst, { mode, rail: name, at, purpose: null })),
  )
}

/** No rail has this name, so that only entries for every rail decide about it. */
const anyRail = ''

type Period = { mode: Mode; rail?: string; from?: string | undefined; until?: string }

async function set(
  call: ActionCall,
  { mode, rail, from, until }: Period,
  terms: Pick<Levy, 'threshold' | 'amount' | 'exempts'>,
): Promise<Levy> {
  const { db, now, operator } = call
  if (rail !== undefined) await refuseUnknownRail(call, { rail, mode })
  const holdsFrom = readStart(now, from)
  const holdsUntil = until === undefined ? null : readTimeField('until', until)
  if (holdsUntil !== null && holdsUntil <= holdsFrom)
    throw invalidField('until', 'must be after the time from which the levy holds')
  return db.transaction(async (tx) => {
    const levy = await addLevy(tx, now, {
      kind: 'stamp_duty',
      mode,
      rail: rail ?? null,
      ...terms,
      holdsFrom,
      holdsUntil,
      createdBy: operatorName(operator),
    })
    auditOperator(tx, now, operator, { action: 'levy.set', details: toDetails(levy) })
    return levy
  })
}

/** Transfers that were already made keep their price. */
function readStart(now: RealTime, from: string | undefined): Date {
  if (from === undefined) return now
  const start = readTimeField('from', from)
  if (start >= now) return start
  throw invalidField('from', 'must not be in the past; omit it to begin now')
}

function readTimeField(field: string, text: string): Date {
  try {
    return fields.readTime(text)
  } catch {
    throw invalidField(field, 'must be a valid date such as 2027-01-31T12:00:00Z')
  }
}

/** A mistyped name would concern no transfer. */
function refuseUnknownRail(
  { withRails }: ActionCall,
  { rail, mode }: { rail: string; mode?: Mode },
): Promise<void> {
  return withRails(async ({ rails }) => {
    const served = modes.filter((name) => mode === undefined || name === mode)
    const names = served.flatMap((name) => rails.banksOf(name).map((bank) => bank.name))
    if (names.includes(rail)) return
    const known = names.join(', ') || 'none'
    throw new Refusal('not_found', { message: `No bank rail ${rail} is known. Known: ${known}.` })
  })
}

function toDetails(levy: Levy): Record<string, unknown> {
  const { id: _id, createdAt: _createdAt, createdBy: _createdBy, ...details } = showLevy(levy)
  return details
}

function showLevy({ id, threshold, amount: levied, holdsFrom, holdsUntil, ...levy }: Levy) {
  return {
    ...levy,
    id: String(id),
    threshold: toWire(threshold, 'NGN'),
    amount: toWire(levied, 'NGN'),
    holdsFrom: holdsFrom.toISOString(),
    holdsUntil: holdsUntil?.toISOString() ?? null,
  }
}

function showDebit({ id: _id, ...debit }: LevyDebit) {
  return debit
}

function showAll({ levies, debits }: { levies: Levy[]; debits: LevyDebit[] }) {
  return { items: levies.map(showLevy), debits: debits.map(showDebit) }
}

function showMonth({ levied, reversed, taken, owed, ...month }: LevyMonth) {
  return {
    ...month,
    levied: toWire(levied, 'NGN'),
    reversed: toWire(reversed, 'NGN'),
    taken: toWire(taken, 'NGN'),
    owed: toWire(owed, 'NGN'),
  }
}

function describe(levy: Levy) {
  return {
    ...levy,
    rail: levy.rail ?? 'every naira rail',
    levy: levy.amount === 0n ? 'none' : formatMoney(levy.amount, 'NGN'),
    threshold: levy.amount === 0n ? '' : formatMoney(levy.threshold, 'NGN'),
    exempts: levy.exempts.join(', '),
  }
}

const levyColumns = {
  mode: 'mode',
  rail: 'rail',
  levy: 'levy',
  'on transfers from': 'threshold',
  'not on': 'exempts',
  from: 'holdsFrom',
  until: 'holdsUntil',
  by: 'createdBy',
} as const

const debitColumns = { rail: 'rail', debits: 'debits', since: 'since', by: 'createdBy' } as const

const naira = (value: bigint) => formatMoney(value, 'NGN')

const monthColumns = {
  month: 'month',
  mode: 'mode',
  rail: 'rail',
  transfers: 'transfers',
  levied: ({ levied }: LevyMonth) => naira(levied),
  reversed: ({ reversed }: LevyMonth) => naira(reversed),
  'taken by the provider': ({ taken }: LevyMonth) => naira(taken),
  'owed by you': ({ owed }: LevyMonth) => naira(owed),
} as const

function printLevy(levy: Levy) {
  const { levy: levied, threshold, rail } = describe(levy)
  const what = levy.amount === 0n ? 'No levy' : `${levied} on transfers of ${threshold} and more`
  const until = levy.holdsUntil ? ` until ${formatTime(levy.holdsUntil)}` : ''
  return {
    data: showLevy(levy),
    text: `${what}, ${levy.mode} mode, ${rail}, from ${formatTime(levy.holdsFrom)}${until}.`,
  }
}
