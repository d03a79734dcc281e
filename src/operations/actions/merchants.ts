import Type from 'typebox'
import { after } from '../../base/clock.js'
import { fromReference, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { getEnvironment, unknownMerchant } from '../../merchants/environments.js'
import { listKeys } from '../../merchants/keys/api-keys.js'
import { getKyc } from '../../merchants/kyc/kyc-submissions.js'
import { listMerchants } from '../../merchants/list-merchants.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { orNull, resource } from '../../resources/shapes.js'
import { auditOperator } from '../changes/audit-operator.js'
import { changeSuspension, openMerchant } from '../changes/change-merchants.js'
import { type FoundMerchant, findMerchant, findMerchants } from '../changes/find-merchants.js'
import { type Action, action, command, list, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { assetAmount, byMode, byReference, time } from '../definitions/views.js'
import { describeIssued, keyView, showIssued, showKey, shownOnce, stateOf } from './keys.js'
import { kycDecision, kycStatus } from './kyc.js'

const merchantFields = {
  id: Type.String(),
  name: Type.String(),
  createdAt: time,
  suspendedAt: orNull(time),
  kycStatus,
  members: Type.Integer(),
  keys: Type.Integer(),
  balances: byMode(Type.Array(assetAmount)),
  received: byMode(Type.Array(assetAmount)),
}

/** Merchants: create, suspend, and a look at what they see. */
export const merchantActions: Action[] = [
  command({
    name: 'merchants create',
    description: 'create a merchant with both environments, and test keys (secret and public)',
    args: ['displayName'],
    input: { displayName: fields.name('name shown to payers') },
    async run({ db, seal, now, operator }, { displayName }) {
      const { merchant, keys } = await db.transaction((tx) =>
        openMerchant(tx, now, { seal, displayName }, operator),
      )
      const { reference, createdAt } = merchant
      return {
        data: {
          reference,
          displayName: merchant.displayName,
          createdAt,
          keys: keys.map(showIssued),
        },
        text: [`${reference}  ${merchant.displayName}`, ...keys.map(describeIssued), shownOnce],
      }
    },
  }),
  route({
    method: 'POST',
    path: '/merchants',
    operation: 'createMerchant',
    summary: 'Create a merchant',
    stepUp: 'always',
    input: { displayName: fields.name('name shown to payers') },
    view: resource('CreatedMerchant', {
      id: Type.String(),
      name: Type.String(),
      keys: Type.Array(Type.Object({ ...keyView, key: Type.String() })),
    }),
    async run({ db, seal, now, operator }, input) {
      const displayName = input.displayName.trim()
      const { merchant, keys } = await db.transaction((tx) =>
        openMerchant(tx, now, { seal, displayName }, operator),
      )
      return { id: merchant.reference, name: merchant.displayName, keys: keys.map(showIssued) }
    },
  }),
  command({
    name: 'merchants list',
    description: 'list all merchants, newest first',
    async run({ db }) {
      const data = (await listMerchants(db)).map(({ id: _, ...merchant }) => merchant)
      const text = tableOf(data, {
        reference: 'reference',
        name: 'displayName',
        'live KYC': ({ isKycApproved }) => (isKycApproved ? 'approved' : 'not approved'),
        state: ({ suspendedAt }) => (suspendedAt ? 'suspended' : 'active'),
        created: 'createdAt',
      })
      return { data, text }
    },
  }),
  list({
    path: '/merchants',
    operation: 'listMerchants',
    summary: 'Merchants',
    filters: { q: fields.search },
    view: resource('ListedMerchant', merchantFields),
    cursor: byReference(prefixes.merchant),
    find: ({ db, now }, { q }, { after: before, limit }) =>
      findMerchants(db, now, { q, before, limit }),
    show: showMerchant,
  }),
  route({
    path: '/merchants/:merchant',
    operation: 'getMerchant',
    summary: 'Merchant',
    input: { merchant: fields.merchant },
    view: resource('OneMerchant', {
      ...merchantFields,
      apiKeys: Type.Array(resource('ApiKey', { ...keyView, state: Type.String() })),
      kycDecisions: Type.Array(kycDecision),
    }),
    async run({ db, seal, now }, { merchant: reference }) {
      const merchant = await getMerchant(db, now, reference)
      const { test, live } = merchant.environments
      const keys = [...(await listKeys(db, live)), ...(await listKeys(db, test))]
      const { decisions } = await getKyc(db, seal, merchant.id)
      return {
        ...showMerchant(merchant),
        apiKeys: keys.map((key) => ({ ...showKey(key), state: stateOf(key, now) })),
        kycDecisions: decisions,
      }
    },
  }),
  suspension(true),
  suspension(false),
  route({
    method: 'POST',
    path: '/merchants/:merchant/view',
    operation: 'viewMerchant',
    summary: 'View a merchant',
    input: { merchant: fields.merchant, reason: fields.reason },
    view: Type.Object({ id: Type.String(), until: time }),
    /** For half an hour and without changes. The merchant reads the reason in its audit log. */
    async run({ db, now, operator, sessions }, { merchant, reason }) {
      const { id: merchantId } = await getMerchant(db, now, merchant)
      const until = after(now, limits.operator.viewMs)
      await db.transaction(async (tx) => {
        tx.write(sql`
          insert into operator_views (session_id, merchant_id, reason, created_at, until)
          values (${operator.sessionId}, ${merchantId}, ${reason}, ${now}, ${until})`)
        const details = { reason, until }
        auditOperator(tx, now, operator, {
          action: 'merchant.view',
          merchantId,
          details,
          shown: details,
        })
      })
      // The next request of this session finds the merchant among its own.
      sessions.forgetAll()
      return { id: merchant, until }
    },
  }),
]

function suspension(isSuspended: boolean): Action {
  const verb = isSuspended ? 'suspend' : 'resume'
  const state = isSuspended ? 'suspended' : 'active'
  return action({
    input: { merchant: fields.merchant, reason: fields.reason },
    async run({ db, now, operator, sessions }, { merchant, reason }) {
      const { merchantId } = await getEnvironment(db, { merchant, mode: 'live' })
      const change = { merchantId, isSuspended, reason }
      const isFresh = await db.transaction((tx) => changeSuspension(tx, now, change, operator))
      sessions?.forgetAll()
      return isFresh
    },
    command: {
      name: `merchants ${verb}`,
      description: isSuspended
        ? 'stop a merchant in both modes: it creates nothing and pays nothing out; reads, webhooks and incoming payments keep working'
        : 'end the suspension of a merchant',
      args: ['merchant'],
      print: (isFresh, { merchant }) => ({
        data: { merchant, isSuspended },
        text: `${merchant} ${isFresh ? 'is' : 'was already'} ${state}.`,
      }),
    },
    route: {
      method: 'POST',
      path: `/merchants/:merchant/${verb}`,
      operation: `${verb}Merchant`,
      summary: isSuspended ? 'Suspend a merchant' : 'Resume a merchant',
      stepUp: 'always',
      view: Type.Object({
        id: Type.String(),
        isSuspended: Type.Boolean(),
        isFresh: Type.Boolean(),
      }),
      show: (isFresh, { merchant }) => ({ id: merchant, isSuspended, isFresh }),
    },
  })
}

async function getMerchant(db: Queryable, now: Date, reference: string): Promise<FoundMerchant> {
  const id = fromReference(prefixes.merchant, reference)
  const merchant = id && (await findMerchant(db, now, id))
  if (!merchant) throw unknownMerchant(reference)
  return merchant
}

function showMerchant({ id, environments: _, ...merchant }: FoundMerchant) {
  return { id: toReference(prefixes.merchant, id), ...merchant }
}
