import Type from 'typebox'
import { Refusal } from '../../base/refusal.js'
import type { Seal } from '../../base/sealed.js'
import { getEnvironment } from '../../merchants/environments.js'
import { auditOperator } from '../changes/audit-operator.js'
import { type Action, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { readRetention } from '../personal-data/apply-retention.js'
import { erasePerson, type TableResult } from '../personal-data/erase-person.js'
import { exportPerson } from '../personal-data/export-person.js'
import {
  findHoldsOf,
  holdReference,
  type LegalHold,
  listHolds,
  placeHold,
  readSubject,
  releaseHolds,
} from '../personal-data/legal-holds.js'
import {
  findPerson,
  type Person,
  readScope,
  readSelector,
  type Selector,
} from '../personal-data/person.js'

const payer = {
  payer: fields.repeated(
    (text) => text,
    'e-mail address, phone number, 058:0123456789, wallet address, cus_… or name:Ada Obi; may be repeated',
    { placeholder: 'payer' },
  ),
  merchant: Type.Optional(
    Type.String({ description: 'only at this merchant, mer_…; all of them by default' }),
  ),
}

/** Personal data: how long it is kept, legal holds, export and erasing of a person. */
export const personalDataActions: Action[] = [
  command({
    name: 'data retention',
    description: 'show how long names are kept with payments and payouts, and what is due',
    async run({ db, now, retention }) {
      const data = await readRetention(db, now, retention())
      const columns = {
        table: 'table',
        mode: 'mode',
        days: 'days',
        due: 'due',
        oldest: 'oldestDueAt',
        'still open': 'open',
        held: 'held',
        pseudonymised: 'pseudonymised',
      } as const
      return { data, text: tableOf(data, columns) }
    },
  }),
  command({
    name: 'data export',
    description: 'print everything known of a person as JSON',
    input: payer,
    async run({ db, seal, now, operator }, { payer: texts = [], merchant }) {
      const selectors = readSelectors(texts, merchant)
      const scope = await readScope(db, merchant)
      const person = await findPerson(db, scope, selectors)
      const rows = await exportPerson(db, { seal, now, scope, person })
      await db.transaction(async (tx) =>
        auditOperator(tx, now, operator, {
          action: 'data.export',
          merchantId: scope.merchantId ?? undefined,
          details: { payers: nameSelectors(seal, selectors), rows: rows.length },
        }),
      )
      const data = { exportedAt: now, identifiers: identifiersOf(person), rows }
      return { data, text: JSON.stringify(data, null, 2) }
    },
  }),
  command({
    name: 'data erase',
    description: 'replace a person in every table, except where the law or a legal hold keeps it',
    input: {
      ...payer,
      preview: fields.flag('only count what would be erased'),
      yes: fields.flag('do not ask before it is erased'),
    },
    async run(call, { payer: texts = [], merchant, preview = false }) {
      const { db, seal, now, operator, retention } = call
      const selectors = readSelectors(texts, merchant)
      const scope = await readScope(db, merchant)
      const person = await findPerson(db, scope, selectors)
      const holds = await findHoldsOf(db, now, { merchantId: scope.merchantId, person })
      if (holds.length > 0)
        throw new Refusal('validation_failed', {
          message: `A legal hold keeps the data of this person: ${holds.map(describeHold).join(', ')}. Nothing was erased.`,
        })
      const shared = { db, seal, scope, person, periods: retention(), actor: operator }
      const counted = await erasePerson({ ...shared, now, erases: false })
      if (preview || counted.length === 0) return showErasure(counted, { person, isDone: false })
      const at = await call.confirm({
        mode: 'live',
        consequence: 'erases a person for good',
        facts: [
          ['erase', describePerson(person)],
          ...counted.map(({ merchant: at, table, erased, ...others }): [string, string] => [
            at ? `${at} ${table}` : table,
            `${erased} rows are erased for good${describeOthers(others)}`,
          ]),
        ],
      })
      const results = await erasePerson({ ...shared, now: at, erases: true })
      await db.transaction(async (tx) =>
        auditOperator(tx, at, operator, {
          action: 'data.erase',
          merchantId: scope.merchantId ?? undefined,
          details: {
            payers: nameSelectors(seal, selectors),
            tables: sumByTable(results),
          },
        }),
      )
      return showErasure(results, { person, isDone: true })
    },
  }),
  command({
    name: 'data hold',
    description: 'keep the data of a person, or of one payment, payout or claim, for a case',
    args: ['subject'],
    input: {
      subject: fields.text(
        'e-mail address, phone number, 058:0123456789, wallet address, or a reference such as pay_… or cus_…',
      ),
      merchant: payer.merchant,
      case: Type.Optional(fields.shortLine('reference of the case')),
      reason: fields.reason,
      until: Type.Optional(
        fields.read(fields.readTime, 'when the hold ends; by default when it is released', {
          placeholder: 'time',
        }),
      ),
    },
    async run({ db, now, operator }, input) {
      const { merchantId } = input.merchant
        ? await getEnvironment(db, { merchant: input.merchant, mode: 'live' })
        : { merchantId: null }
      const hold = await db.transaction(async (tx) => {
        const placed = placeHold(tx, now, operator, {
          ...readSubject(input.subject),
          merchantId,
          caseReference: input.case ?? null,
          reason: input.reason,
          until: input.until ?? null,
        })
        auditOperator(tx, now, operator, {
          action: 'data.hold',
          merchantId: merchantId ?? undefined,
          // Without the person, who may be erased once the hold is released.
          details: { hold: holdReference(placed), kind: placed.kind, until: placed.until },
        })
        return placed
      })
      const data = showHold(hold)
      return {
        data,
        text: `${data.reference} keeps ${hold.subject}. Release it: manilla data release ${data.reference}`,
      }
    },
  }),
  command({
    name: 'data release',
    description: 'end a legal hold, or all holds of a case',
    args: ['holdOrCase'],
    input: {
      holdOrCase: fields.text('reference of the hold, hold_…, or of the case', {
        placeholder: 'hold or case',
      }),
      reason: fields.reason,
    },
    async run({ db, now, operator }, { holdOrCase, reason }) {
      const released = await db.transaction(async (tx) => {
        const holds = await releaseHolds(tx, now, { releasedBy: operator, holdOrCase })
        const details = { holds: holds.map(holdReference), reason }
        auditOperator(tx, now, operator, { action: 'data.release', details })
        return holds
      })
      const data = released.map(showHold)
      return { data, text: data.map(({ reference }) => `${reference} is released.`) }
    },
  }),
  command({
    name: 'data holds',
    description: 'list legal holds, newest first',
    input: {
      all: fields.flag('also those that ended'),
      limit: fields.rowLimit('how many'),
    },
    async run({ db, now }, { all = false, limit }) {
      const data = (await listHolds(db, now, { all, limit })).map(showHold)
      const columns = {
        reference: 'reference',
        keeps: 'subject',
        case: 'case',
        reason: 'reason',
        by: 'placedBy',
        since: 'placedAt',
        until: 'until',
        released: 'releasedAt',
      } as const
      return { data, text: tableOf(data, columns, { empty: 'No legal holds.' }) }
    },
  }),
]

function readSelectors(texts: string[], merchant: string | undefined): Selector[] {
  if (texts.length === 0)
    throw new Refusal('validation_failed', { message: 'Name the person with --payer.' })
  const selectors = texts.map((text) => readSelector(text, 'payer'))
  if (merchant === undefined && selectors.every(({ kind }) => kind === 'name'))
    throw new Refusal('validation_failed', {
      message:
        'A name alone is not searched at all merchants: people share names. Add --merchant, or a --payer that is an e-mail address, phone number, account, wallet or cus_….',
    })
  return selectors
}

function sumByTable(results: TableResult[]) {
  return Object.fromEntries(
    [...new Set(results.map(({ table }) => table))].map((table) => {
      const rows = results.filter((result) => result.table === table)
      const sum = (count: 'found' | 'erased') => rows.reduce((total, row) => total + row[count], 0)
      return [table, { found: sum('found'), erased: sum('erased') }]
    }),
  )
}

/** A keyed hash: it proves later who was meant, to those who know the selector. */
function nameSelectors(seal: Seal, selectors: Selector[]) {
  return selectors.map(({ kind, value }) => ({
    kind,
    hash: seal.hash(`personal data ${kind} ${value}`).toString('hex').slice(0, 32),
  }))
}

function identifiersOf({ names, emails, phones, numbers, wallets }: Person) {
  return { names, emails, phones, accountNumbers: numbers, wallets }
}

function describePerson(person: Person): string {
  return Object.values(identifiersOf(person)).flat().join(', ') || 'no identifier'
}

function describeHold(hold: LegalHold): string {
  return hold.caseReference
    ? `${holdReference(hold)} (case ${hold.caseReference})`
    : holdReference(hold)
}

function describeOthers({
  byName,
  keptByLaw,
  keptUntil,
  open,
  held,
}: Pick<TableResult, 'byName' | 'keptByLaw' | 'keptUntil' | 'open' | 'held'>): string {
  const parts = [
    byName > 0 && `; ${byName} match by name alone`,
    keptByLaw > 0 &&
      `; ${keptByLaw} are kept by law until ${keptUntil?.toISOString().slice(0, 10) ?? 'they end'}`,
    open > 0 && `; ${open} are kept until their purpose has ended`,
    held > 0 && `; ${held} are kept by a legal hold`,
  ]
  return parts.filter((part) => part !== false).join('')
}

function showErasure(
  tables: TableResult[],
  { person, isDone }: { person: Person; isDone: boolean },
) {
  const columns = {
    merchant: 'merchant',
    table: 'table',
    found: 'found',
    'by name alone': 'byName',
    [isDone ? 'erased' : 'can be erased']: 'erased',
    'kept by law': 'keptByLaw',
    until: 'keptUntil',
    'purpose not ended': 'open',
    held: 'held',
  } as const
  return {
    data: { isErased: isDone, identifiers: identifiersOf(person), tables },
    text: [
      `Person: ${describePerson(person)}`,
      tableOf(tables, columns, { empty: 'Nothing is known of this person.' }),
    ],
  }
}

function showHold({ id, caseReference, merchantId: _, resourceId: __, ...hold }: LegalHold) {
  return { reference: holdReference({ id }), case: caseReference, ...hold }
}
