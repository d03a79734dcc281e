import { InvalidArgumentError } from 'commander'
import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import { reconcileLimits } from '../../payouts/limits.js'
import {
  listDifferences,
  noteDifference,
} from '../../payouts/reconciliation/reconciliation-differences.js'
import {
  listReconciliations,
  requestReconciliation,
} from '../../payouts/reconciliation/reconciliations.js'
import { auditOperator } from '../changes/audit-operator.js'
import {
  type Action,
  type CommandOutput,
  type Cursor,
  command,
  list,
  route,
  type Terminal,
} from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { formatTime } from '../definitions/table.js'
import { itemsOf, time } from '../definitions/views.js'
import { type Compared, type Reconciled, reconcile } from '../reconcile/reconcile.js'

const differenceView = resource('Difference', {
  id: Type.String(),
  rail: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  inBooks: Type.String(),
  atRail: Type.String(),
  foundAt: time,
  seenAt: time,
  resolvedAt: orNull(time),
  note: orNull(Type.String()),
  notedBy: orNull(Type.String()),
  notedAt: orNull(time),
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Newest first. */
const byId: Cursor<{ id: string }, string> = {
  write: ({ id }) => ({ difference: id }),
  read: ({ difference = '' }) => (/^[0-9a-f-]{36}$/.test(difference) ? difference : undefined),
}

/** Comparisons of the books with banks and chains: at once by a command, else by workers. */
export const reconciliationActions: Action[] = [
  command({
    name: 'reconcile',
    description: 'compare the books with the chain and the bank',
    input: {
      sinceSlot: Type.Optional(
        fields.read(readSlot, 'compare only chain transactions since this slot', {
          placeholder: 'slot',
        }),
      ),
    },
    run: ({ db, now, withRails, terminal }, { sinceSlot }) =>
      withRails(async (rails) => {
        const progress = terminal.startProgress('Comparing the books with chain and bank')
        const compared = reconcile({ db, rails }, now, sinceSlot)
        return describe(terminal, await compared.finally(progress.end))
      }),
  }),
  route({
    request: 'GET /reconciliations',
    operation: 'listReconciliations',
    summary: 'Reconciliations',
    view: itemsOf(
      resource('Reconciliation', {
        rail: Type.String(),
        reconciledAt: time,
        differences: Type.Integer(),
      }),
    ),
    run: async ({ db }) => ({ items: await listReconciliations(db) }),
  }),
  list({
    request: 'GET /reconciliations/differences',
    operation: 'listReconciliationDifferences',
    summary: 'Differences',
    filters: {
      state: Type.Optional(Type.Enum(['open', 'resolved'])),
      rail: Type.Optional(fields.shortLine('rail')),
    },
    view: differenceView,
    cursor: byId,
    find: ({ db }, { state = 'open', rail }, { after: before, limit }) =>
      listDifferences(db, { isOpen: state === 'open', rail, before, limit }),
    show: (difference) => difference,
  }),
  route({
    request: 'POST /reconciliations/run',
    operation: 'runReconciliation',
    summary: 'Compare now',
    input: { rail: Type.Optional(fields.shortLine('rail')) },
    view: Type.Object({ rails: Type.Array(Type.String()), startsWithinMs: Type.Integer() }),
    async run({ db, now, operator }, { rail }) {
      const rails = await db.transaction(async (tx) => {
        const names = await requestReconciliation(tx, now, rail)
        if (names.length === 0)
          throw new Refusal('not_found', {
            message: rail
              ? `No rail ${rail} has been compared. Workers compare every configured rail.`
              : 'No rail has been compared yet. Start a worker: it compares every rail.',
          })
        const details = { rails: names }
        auditOperator(tx, now, operator, { action: 'reconciliation.run', details })
        return names
      })
      return { rails, startsWithinMs: reconcileLimits.pollIntervalMs }
    },
  }),
  route({
    request: 'POST /reconciliations/differences/:id/note',
    operation: 'noteReconciliationDifference',
    summary: 'Note on a difference',
    input: { id: fields.text('id of the difference'), note: fields.note('what it is') },
    view: differenceView,
    run({ db, now, operator }, { id, note }) {
      if (!uuid.test(id)) throw new Refusal('not_found', { message: 'No such difference exists.' })
      return db.transaction(async (tx) => {
        const noted = { id, note, notedBy: operator.userId }
        const difference = await noteDifference(tx, now, noted)
        const { rail, kind, name } = difference
        const details = { rail, kind, name, note }
        auditOperator(tx, now, operator, { action: 'reconciliation.note', details })
        return difference
      })
    },
  }),
]

function readSlot(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return BigInt(text)
}

/** Exits with 1 when anything differs, so that a scheduler can alert. */
function describe({ paint }: Pick<Terminal, 'paint'>, results: Reconciled[]): CommandOutput {
  const isClean = results.every(({ differences }) => differences.length === 0)
  if (!isClean) process.exitCode = 1
  const lines = results.flatMap(({ rail, compared, differences }) => [
    `${differences.length === 0 ? paint('green', '✓') : paint('red', '✗')} ${rail}`,
    ...(compared ? [`    ${describePeriod(compared)}`, `    ${describeCounts(compared)}`] : []),
    ...differences.map(
      ({ kind, name, inBooks, atRail }) =>
        `  ${paint('red', '✗')} ${kind.replaceAll('_', ' ')}: ${name} (${rail})\n` +
        `      in the books: ${inBooks}\n      at the rail:  ${atRail}`,
    ),
  ])
  const verdict = isClean ? 'Books, chain and bank agree.' : 'Books, chain and bank differ.'
  return { data: { isClean, rails: results.map(showResult) }, text: [...lines, '', verdict] }
}

/** In slots for a chain, else in time. */
function describePeriod({ from, to, slots }: Compared): string {
  if (slots) return `slots ${slots.first} to ${slots.last}`
  return `${from ? formatTime(from) : 'beginning'} to ${formatTime(to)}`
}

function describeCounts({ counts }: Compared): string {
  return Object.entries(counts)
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ')
}

function showResult({ rail, compared, differences }: Reconciled) {
  const slots = compared?.slots
  return {
    rail,
    compared: compared && {
      from: compared.from,
      to: compared.to,
      slots: slots ? { first: String(slots.first), last: String(slots.last) } : null,
      counts: compared.counts,
    },
    differences,
  }
}
