import Type, { type Static } from 'typebox'
import type { Environment } from '../../../base/environment.js'
import { prefixes, toReference } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import {
  flag,
  notYet,
  orNull,
  reference,
  referenceSample,
  resource,
  text,
  timestamp,
} from '../../../base/shapes.js'
import { findKeyNames } from '../../../merchants/keys/find-key-names.js'
import { type Freeze, freezeKinds, freezeReference } from '../../../payouts/freezes/freeze.js'
import {
  freezePayouts,
  getFreeze,
  listFreezes,
  readFreezeSubject,
  showFreezeSubject,
  thawAsMember,
} from '../../../payouts/freezes/freeze-payouts.js'
import { payoutLimits } from '../../../payouts/limits.js'
import type { PayoutRails } from '../../../payouts/rails.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import type { UserActor } from '../../../team/actor.js'
import { findMemberNames } from '../../../team/find-user-names.js'
import { auditCall } from '../../auth/audit-call.js'
import { closed, inPath, lineOfText, plainText } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, route } from '../../server/route.js'

const freezer = resource('FreezeActor', {
  id: orNull(reference(prefixes.user, 'Identifies the member; null for an operator.')),
  name: text('Ada Obi', 'Name of the member, or `The operator`.'),
})

const kind = Type.Enum([...freezeKinds], {
  description: 'What is frozen.',
  examples: ['recipient'],
})

const freezeSchema = resource('PayoutFreeze', {
  id: reference(prefixes.payoutFreeze, 'Identifies the freeze.'),
  kind,
  subject: orNull(
    text(
      '058/0123456789',
      'The API key, member, recipient (`bankCode/accountNumber` or a wallet address) or rail; null for all payouts.',
    ),
  ),
  label: orNull(text('Shop server', 'Name of the API key or member.')),
  reason: text('Complaint of a customer', 'Why it was frozen.'),
  isOfOperator: flag(false, 'Whether only the operator can thaw it.'),
  frozenBy: freezer,
  frozenAt: timestamp('When it was frozen.'),
  thawAskedBy: notYet(freezer, 'Who asked to thaw it.'),
  thawAskedAt: notYet(timestamp('When that member asked.')),
  thawedBy: notYet(freezer, 'Who thawed it.'),
  thawedAt: notYet(timestamp('When it was thawed.')),
})

const railSchema = resource('FreezableRail', {
  name: text('paystack', 'The `subject` of a freeze.'),
  kind: Type.Enum(['bank', 'chain'], { description: 'What it is.', examples: ['bank'] }),
})

const path = '/v1/freezes'
const base = { access: 'user', tag: 'Disbursements' } as const
const params = inPath('reference', referenceSample(prefixes.payoutFreeze))

/** For members only: an API key that was stolen could thaw itself. */
export function freezeRoutes(api: ApiParts): Route[] {
  return [freeze(api), list(api), thaw(api)]
}

const freeze = ({ db, rails }: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    permission: 'payouts.freeze',
    operation: 'freezePayouts',
    summary: 'Freeze payouts',
    description:
      'Refuses every payout of the environment, an API key, a member, a recipient or a rail that is not committed yet. Transfers that were submitted before are still sent.',
    body: closed({
      kind,
      subject: Type.Optional(Type.String({ minLength: 1, maxLength: 100, pattern: plainText })),
      reason: lineOfText(limits.operator.noteLengthMax, {}),
    }),
    answers: { 201: freezeSchema },
    async handle(request) {
      const { environment, body, realNow } = request
      const { userId } = request.actor as UserActor
      const environmentId = environment.id
      const wanted = { environmentId, kind: body.kind, named: body.subject ?? '' }
      const subject = await readFreezeSubject(db, wanted, (rail) => rails.named(rail) !== undefined)
      const frozen = await db.transaction(async (tx) => {
        const made = await freezePayouts(tx, realNow, {
          environmentId,
          kind: body.kind,
          subject,
          reason: body.reason,
          frozenBy: userId,
          isOfOperators: false,
        })
        auditCall(tx, request.audited, { reference: freezeReference(made) })
        return made
      })
      return success(201, 'Payouts frozen', await showOne(db, environment, frozen))
    },
  })

const list = ({ db, rails }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    permission: 'payouts.see',
    operation: 'listFreezes',
    summary: 'List freezes of payouts',
    description:
      'Newest first, with rails that the operator froze for all merchants. `rails` are those that carry payouts of this environment.',
    query: closed({
      status: Type.Optional(Type.Enum(['FROZEN', 'THAWED'], { examples: ['FROZEN'] })),
    }),
    answers: {
      200: Type.Object({ items: Type.Array(freezeSchema), rails: Type.Array(railSchema) }),
    },
    async handle({ environment, query: { status } }) {
      const freezes = await listFreezes(db, {
        environmentId: environment.id,
        isOpen: status && status === 'FROZEN',
        limit: payoutLimits.freezesListedMax,
      })
      return success(200, 'Freezes', {
        items: await showAll(db, environment, freezes),
        rails: railsOf(rails, environment),
      })
    },
  })

function railsOf(rails: PayoutRails, environment: Environment): Static<typeof railSchema>[] {
  const carriers = (['bank_transfer', 'bank_return', 'crypto_transfer'] as const).map((kind) => ({
    name: rails.carrierOf(environment, kind)?.name,
    kind: kind === 'crypto_transfer' ? ('chain' as const) : ('bank' as const),
  }))
  const byName = new Map(carriers.map(({ name = '', kind }) => [name, kind]))
  return [...byName].filter(([name]) => rails.named(name)).map(([name, kind]) => ({ name, kind }))
}

const thaw = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:reference/thaw`,
    permission: 'payouts.freeze',
    stepUp: 'always',
    operation: 'thawPayouts',
    summary: 'Thaw payouts',
    description:
      'The first member asks to thaw; a second one, who did not freeze it, thaws it. What an operator froze, only operators thaw.',
    params,
    answers: { 200: freezeSchema },
    async handle(request) {
      const { environment, realNow } = request
      const { userId } = request.actor as UserActor
      const name = { environmentId: environment.id, reference: request.params.reference }
      await getFreeze(db, name)
      const changed = await db.transaction(async (tx) => {
        const outcome = await thawAsMember(tx, realNow, { name, userId })
        auditCall(tx, request.audited, { isProposed: outcome.thawedAt === null })
        return outcome
      })
      const message = changed.thawedAt ? 'Payouts thawed' : 'Another member must thaw it'
      return success(200, message, await showOne(db, environment, changed))
    },
  })

async function showOne(db: Queryable, environment: Environment, freeze: Freeze) {
  return (await showAll(db, environment, [freeze]))[0]!
}

async function showAll(
  db: Queryable,
  { id: environmentId, merchantId }: Environment,
  freezes: Freeze[],
): Promise<Static<typeof freezeSchema>[]> {
  const members = freezes.filter(({ isOfOperators }) => !isOfOperators)
  const users = [
    ...members.flatMap(({ frozenBy, thawAskedBy, thawedBy }) => [frozenBy, thawAskedBy, thawedBy]),
    ...freezes.map(({ kind, subject }) => (kind === 'member' ? subject : null)),
  ].filter((id) => id !== null && isUser(id))
  const names = await findMemberNames(db, merchantId, [...new Set(users as string[])])
  const keys = freezes.filter(({ kind }) => kind === 'key').map(({ subject }) => subject)
  const keyNames = await findKeyNames(db, environmentId, keys)
  return freezes.map((freeze) => {
    const { kind, subject, reason, isOfOperators, frozenBy, frozenAt } = freeze
    const { thawAskedBy, thawAskedAt, thawedBy, thawedAt } = freeze
    // The merchant does not learn which operator acted. Operators thaw what members froze, too.
    const showActor = (who: string) => {
      const name = isOfOperators ? undefined : names.get(who)
      return name === undefined
        ? { id: null, name: 'The operator' }
        : { id: toReference(prefixes.user, who), name }
    }
    return {
      id: freezeReference(freeze),
      kind,
      subject: kind === 'merchant' ? null : showFreezeSubject(freeze),
      label: (kind === 'member' ? names : keyNames).get(subject) ?? null,
      reason,
      isOfOperator: isOfOperators,
      frozenBy: showActor(frozenBy),
      frozenAt: frozenAt.toISOString(),
      thawAskedBy: thawAskedBy === null ? null : showActor(thawAskedBy),
      thawAskedAt: thawAskedAt?.toISOString() ?? null,
      thawedBy: thawedBy === null ? null : showActor(thawedBy),
      thawedAt: thawedAt?.toISOString() ?? null,
    }
  })
}

function isUser(who: string): boolean {
  return !who.startsWith('shell:')
}
