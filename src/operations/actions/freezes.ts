import Type from 'typebox'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { prefixes, toReference } from '../../base/ids.js'
import { Refusal } from '../../base/refusal.js'
import { orNull, resource } from '../../base/shapes.js'
import {
  type EnvironmentName,
  getEnvironment,
  getMerchantId,
} from '../../merchants/environments.js'
import {
  type Freeze,
  type FreezeKind,
  freezeKinds,
  freezeReference,
  payoutFreezes,
} from '../../payouts/freezes/freeze.js'
import {
  freezePayouts,
  getFreeze,
  readFreezeSubject,
  showFreezeSubject,
  thawAsOperator,
} from '../../payouts/freezes/freeze-payouts.js'
import { payoutLimits } from '../../payouts/limits.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable, Tx } from '../../postgres/transactions/tx.js'
import { auditOperator, type Operator, operatorName } from '../changes/audit-operator.js'
import { type Confirmable, propose } from '../changes/operator-actions.js'
import { type Action, type ActionCall, action, command, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { itemsOf, mode, time, waiting } from '../definitions/views.js'
import { isRailKnown } from './rails.js'

/** How freezes name an operator. */
function idOf(operator: Operator): string {
  return typeof operator === 'string' ? `shell:${operator}` : operator.userId
}

const freezeView = resource('OperatorFreeze', {
  id: Type.String(),
  kind: Type.Enum([...freezeKinds]),
  subject: orNull(Type.String(), 'Null for all payouts of a merchant.'),
  merchant: orNull(Type.String(), 'Null: a rail, for all merchants.'),
  merchantName: orNull(Type.String()),
  mode: orNull(mode),
  reason: Type.String(),
  isOfOperators: Type.Boolean(),
  frozenBy: Type.String(),
  frozenAt: time,
})

/** With whose it is and the name of who froze it. */
type NamedFreeze = Freeze & {
  merchantId: string | null
  merchantName: string | null
  mode: Mode | null
  frozenByName: string
}

/** What is frozen, newest first. */
async function listOpen(db: Queryable): Promise<NamedFreeze[]> {
  return db.rows(sql<NamedFreeze>`
    select ${payoutFreezes.of('f')}, e.merchant_id, e.mode, m.display_name as merchant_name,
      coalesce(u.name, f.frozen_by) as frozen_by_name
    from payout_freezes f
      left join environments e on e.id = f.environment_id
      left join merchants m on m.id = e.merchant_id
      left join users u on u.id::text = f.frozen_by
    where f.thawed_at is null
    order by f.id desc limit ${payoutLimits.freezesListedMax}`)
}

function show(freeze: NamedFreeze) {
  const { kind, merchantId, merchantName, mode, reason, isOfOperators, frozenAt } = freeze
  return {
    id: freezeReference(freeze),
    kind,
    subject: kind === 'merchant' ? null : showFreezeSubject(freeze),
    merchant: merchantId && toReference(prefixes.merchant, merchantId),
    merchantName,
    mode,
    reason,
    isOfOperators,
    frozenBy: freeze.frozenByName,
    frozenAt,
  }
}

type NewFreeze = {
  kind: FreezeKind
  subject?: string | undefined
  merchant?: string | undefined
  mode: Mode
  reason: string
}

async function add(
  { db, now, operator }: Pick<ActionCall, 'db' | 'now' | 'operator'>,
  { kind, subject: named, merchant, mode, reason }: NewFreeze,
): Promise<NamedFreeze> {
  if (merchant === undefined && kind !== 'rail')
    throw new Refusal('validation_failed', {
      message: 'Name the merchant: only a rail is frozen for all merchants.',
    })
  const name: EnvironmentName | undefined = merchant === undefined ? undefined : { merchant, mode }
  const environment = name && (await getEnvironment(db, name))
  const environmentId = environment?.id ?? null
  const subject =
    environmentId === null
      ? await readRail(db, named ?? '')
      : await readFreezeSubject(
          db,
          // `manilla data` names bank accounts with a colon.
          { environmentId, kind, named: (named ?? '').replace(/^(\w{3,9}):(?=\d{10}$)/, '$1/') },
          (rail) => isRailKnown(db, rail),
        )
  const freeze = await db.transaction(async (tx) => {
    const freeze = await freezePayouts(tx, now, {
      environmentId,
      kind,
      subject,
      reason,
      frozenBy: idOf(operator),
      isOfOperators: true,
    })
    audit(tx, now, operator, {
      action: 'payouts.freeze',
      freeze,
      merchantId: environment?.merchantId,
    })
    return freeze
  })
  return {
    ...freeze,
    merchantId: environment?.merchantId ?? null,
    merchantName: environment?.merchantName ?? null,
    mode: environment?.mode ?? null,
    frozenByName: operatorName(operator),
  }
}

async function readRail(db: Queryable, rail: string): Promise<string> {
  if (await isRailKnown(db, rail)) return rail
  throw new Refusal('not_found', { message: `No rail ${rail} is known.` })
}

type Audited = {
  action: string
  freeze: Freeze
  merchantId: string | undefined
  reason?: string
}

function audit(
  tx: Tx,
  now: Date,
  operator: Operator,
  { action: name, freeze, merchantId, reason = freeze.reason }: Audited,
): void {
  const { kind, environmentId } = freeze
  const about = { freeze: freezeReference(freeze), kind, subject: showFreezeSubject(freeze) }
  auditOperator(tx, now, operator, {
    action: name,
    merchantId,
    environmentId: environmentId ?? undefined,
    details: { ...about, reason },
    shown: about,
  })
}

/** `askedBy` is the operator who proposed it; null on the server. */
type Thaw = { freeze: string; reason: string; askedBy: string | null }

export const thawing: Confirmable<Thaw> = {
  kind: 'payouts.thaw',
  command: 'freeze thaw',
  async perform(tx, { now, operator }, { freeze: reference, reason, askedBy }) {
    const thawedBy = idOf(operator)
    const freeze = await thawAsOperator(tx, now, { reference, thawedBy, askedBy })
    const merchantId = await merchantOf(tx, freeze.environmentId)
    audit(tx, now, operator, { action: 'payouts.thaw', freeze, merchantId, reason })
    return { freeze: reference, thawedAt: now }
  },
}

async function merchantOf(db: Queryable, environmentId: EnvironmentId | null) {
  return environmentId === null ? undefined : getMerchantId(db, environmentId)
}

/** Freezes of payouts: at once by one operator, and thawed with a second one. */
export const freezeActions: Action[] = [
  action({
    input: {
      kind: Type.Enum([...freezeKinds], {
        description: 'what to freeze: merchant, key, member, recipient or rail',
      }),
      subject: Type.Optional(
        fields.text('key_…, usr_…, bankCode/accountNumber, wallet address or name of the rail'),
      ),
      merchant: Type.Optional(fields.merchant),
      mode: fields.liveByDefault,
      reason: fields.note('why; the merchant reads it'),
    },
    run: add,
    command: {
      name: 'freeze add',
      description:
        'refuse new payouts of a merchant, API key, member, recipient or rail at once; a rail without --merchant for all merchants',
      args: ['kind'],
      print: (freeze) => ({
        data: show(freeze),
        text: `${freezeReference(freeze)}: payouts are frozen. You cannot thaw them: another account runs \`manilla freeze thaw\`, or two operators do it in the console.`,
      }),
    },
    route: {
      request: 'POST /freezes',
      operation: 'freezePayoutsAsOperator',
      summary: 'Freeze payouts',
      stepUp: 'always',
      view: freezeView,
      show,
    },
  }),
  action({
    input: {},
    run: ({ db }) => listOpen(db),
    command: {
      name: 'freeze list',
      description: 'list what is frozen',
      print: (freezes) => {
        const data = freezes.map(show)
        const text = tableOf(
          data,
          {
            freeze: 'id',
            merchant: ({ merchant }) => merchant ?? 'all merchants',
            name: 'merchantName',
            mode: 'mode',
            kind: 'kind',
            subject: 'subject',
            reason: 'reason',
            since: 'frozenAt',
          },
          { empty: 'Nothing is frozen.' },
        )
        return { data, text }
      },
    },
    route: {
      request: 'GET /freezes',
      operation: 'listFreezesAsOperator',
      summary: 'Freezes',
      view: itemsOf(freezeView),
      show: (freezes) => ({ items: freezes.map(show) }),
    },
  }),
  command({
    name: 'freeze thaw',
    description: 'thaw what another operator or member has frozen',
    args: ['freeze'],
    input: { freeze: fields.text('reference of the freeze, frz_…'), reason: fields.reason },
    async run(call, { freeze, reason }) {
      const data = await call.db.transaction((tx) =>
        thawing.perform(tx, call, { freeze, reason, askedBy: null }, undefined),
      )
      return { data, text: `${freeze} is thawed.` }
    },
  }),
  route({
    request: 'POST /freezes/:freeze/thaw',
    operation: 'proposeThaw',
    summary: 'Propose to thaw payouts',
    input: { freeze: fields.text('reference of the freeze'), reason: fields.reason },
    view: waiting,
    async run(call, { freeze, reason }) {
      const { kind, subject, environmentId } = await getFreeze(call.db, {
        environmentId: null,
        reference: freeze,
      })
      const frozen = [kind, showFreezeSubject({ kind, subject })].join(' ').trim()
      const payload = { freeze, frozen, reason, askedBy: call.operator.userId }
      const merchantId = await merchantOf(call.db, environmentId)
      return propose(call, thawing, { subject: freeze, payload, ...(merchantId && { merchantId }) })
    },
  }),
]
