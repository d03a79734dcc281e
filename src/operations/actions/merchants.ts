import Type from 'typebox'
import { after, day, type RealTime } from '../../base/clock.js'
import type { EnvironmentId, Mode } from '../../base/environment.js'
import { fromReference, prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { orNull, resource } from '../../base/shapes.js'
import { listBalancesOf } from '../../ledger/balances.js'
import { getEnvironment, unknownMerchant } from '../../merchants/environments.js'
import { listKeys } from '../../merchants/keys/api-keys.js'
import type { KycStatus } from '../../merchants/kyc/kyc.js'
import { getKyc } from '../../merchants/kyc/kyc-submissions.js'
import { listMerchants } from '../../merchants/list-merchants.js'
import { toWire } from '../../money/amounts.js'
import { type Asset, assetNames } from '../../money/assets.js'
import { sql } from '../../postgres/sql.js'
import type { Queryable } from '../../postgres/transactions/tx.js'
import { receivedPurposes } from '../../reports/money.js'
import { auditOperator } from '../changes/audit-operator.js'
import { changeSuspension, openMerchant } from '../changes/change-merchants.js'
import { type Action, action, command, list, route } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { tableOf } from '../definitions/table.js'
import { assetAmount, byMode, byReference, time } from '../definitions/views.js'
import { describeIssued, keyStateOf, keyView, showIssued, showKey, shownOnce } from './keys.js'
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

/** Merchants: create, suspend, and open their console as they see it. */
export const merchantActions: Action[] = [
  action({
    input: { displayName: fields.name('name shown to payers') },
    run({ db, seal, now, operator }, input) {
      // A form may send spaces around a name; a shell sends what was quoted.
      const isTyped = typeof operator === 'string'
      const displayName = isTyped ? input.displayName : input.displayName.trim()
      return db.transaction((tx) => openMerchant(tx, now, { seal, displayName }, operator))
    },
    command: {
      name: 'merchants create',
      description: 'create a merchant with both environments, and test keys (secret and public)',
      args: ['displayName'],
      print: ({ merchant: { reference, displayName, createdAt }, keys }) => ({
        data: { reference, displayName, createdAt, keys: keys.map(showIssued) },
        text: [`${reference}  ${displayName}`, ...keys.map(describeIssued), shownOnce],
      }),
    },
    route: {
      request: 'POST /merchants',
      operation: 'createMerchant',
      summary: 'Create a merchant',
      stepUp: 'always',
      view: resource('CreatedMerchant', {
        id: Type.String(),
        name: Type.String(),
        keys: Type.Array(Type.Object({ ...keyView, key: Type.String() })),
      }),
      show: ({ merchant: { reference, displayName }, keys }) => ({
        id: reference,
        name: displayName,
        keys: keys.map(showIssued),
      }),
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
    request: 'GET /merchants',
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
    request: 'GET /merchants/:merchant',
    operation: 'getMerchant',
    summary: 'Merchant',
    input: { merchant: fields.merchant },
    view: resource('OneMerchant', {
      ...merchantFields,
      apiKeys: Type.Array(resource('MerchantKey', { ...keyView, state: Type.String() })),
      kycDecisions: Type.Array(kycDecision),
    }),
    async run({ db, seal, now }, { merchant: reference }) {
      const merchant = await getMerchant(db, now, reference)
      const { test, live } = merchant.environments
      const keys = [...(await listKeys(db, live)), ...(await listKeys(db, test))]
      const { decisions } = await getKyc(db, seal, merchant.id)
      return {
        ...showMerchant(merchant),
        apiKeys: keys.map((key) => ({ ...showKey(key), state: keyStateOf(key, now) })),
        kycDecisions: decisions,
      }
    },
  }),
  suspension(true),
  suspension(false),
  route({
    request: 'POST /merchants/:merchant/view',
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
      request: `POST /merchants/:merchant/${verb}`,
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

async function getMerchant(
  db: Queryable,
  now: RealTime,
  reference: string,
): Promise<FoundMerchant> {
  const id = fromReference(prefixes.merchant, reference)
  const merchant = id && (await findMerchant(db, now, id))
  if (!merchant) throw unknownMerchant(reference)
  return merchant
}

function showMerchant({ id, environments: _, ...merchant }: FoundMerchant) {
  return { id: toReference(prefixes.merchant, id), ...merchant }
}

type Row = {
  id: string
  name: string
  createdAt: Date
  suspendedAt: Date | null
  kycStatus: KycStatus
  members: number
  keys: number
  testId: EnvironmentId
  liveId: EnvironmentId
}

type Amount = { asset: Asset; amount: number | string }

/** A merchant as operators see it. Amounts are of live mode, or of test mode if it is not used. */
type FoundMerchant = Omit<Row, 'testId' | 'liveId'> & {
  environments: Record<Mode, EnvironmentId>
  balances: Record<Mode, Amount[]>
  /** Payments of the last 30 days, whole days as the reports have them. */
  received: Record<Mode, Amount[]>
}

const columns = sql`
  m.id, m.display_name as name, m.created_at, m.suspended_at, live.kyc_status, test.id as test_id,
  live.id as live_id,
  (select count(*)::int from memberships s
    where s.merchant_id = m.id and s.disabled_at is null) as members,
  (select count(*)::int from api_keys k where k.environment_id in (test.id, live.id)
    and k.revoked_at is null) as keys`

const tables = sql`
  merchants m join environments live on live.merchant_id = m.id and live.mode = 'live'
    join environments test on test.merchant_id = m.id and test.mode = 'test'`

type Page = { q: string | undefined; before: string | undefined; limit: number }

/** Newest first. */
async function findMerchants(
  db: Queryable,
  now: RealTime,
  { q, before, limit }: Page,
): Promise<FoundMerchant[]> {
  const pattern = q === undefined ? undefined : `%${q.replace(/[\\%_]/g, '\\$&')}%`
  const rows = await db.rows(sql<Row>`
    select ${columns} from ${tables}
    where true ${before === undefined ? sql`` : sql`and m.id < ${before}`}
      ${pattern === undefined ? sql`` : sql`and m.display_name ilike ${pattern}`}
    order by m.id desc limit ${limit}`)
  return addAmounts(db, now, rows)
}

async function findMerchant(
  db: Queryable,
  now: RealTime,
  id: string,
): Promise<FoundMerchant | undefined> {
  const rows = await db.rows(sql<Row>`select ${columns} from ${tables} where m.id = ${id}`)
  return (await addAmounts(db, now, rows))[0]
}

async function addAmounts(db: Queryable, now: RealTime, rows: Row[]): Promise<FoundMerchant[]> {
  const ids = rows.flatMap(({ testId, liveId }) => [testId, liveId])
  if (ids.length === 0) return []
  const balances = await listBalancesOf(db, ids)
  const sums = await db.rows(sql<{ environmentId: number; asset: Asset; amount: bigint }>`
    select environment_id, asset, sum(amount)::bigint as amount
    from report_entries
    where environment_id = any(${ids}) and asset = any(${assetNames}) and bucket = 'day'
      and bucket_start >= ${after(now, -30 * day)} and purpose = any(${receivedPurposes})
    group by environment_id, asset order by asset`)
  const balancesOf = (id: EnvironmentId): Amount[] =>
    balances
      .filter((row) => row.environmentId === id && row.available + row.held + row.pending > 0n)
      .map(({ asset, available }) => ({ asset, amount: toWire(available, asset) }))
  const receivedOf = (id: EnvironmentId): Amount[] =>
    sums
      .filter(({ environmentId }) => environmentId === id)
      .map(({ asset, amount }) => ({ asset, amount: toWire(amount, asset) }))
  return rows.map(({ testId, liveId, ...row }) => ({
    ...row,
    environments: { test: testId, live: liveId },
    balances: { test: balancesOf(testId), live: balancesOf(liveId) },
    received: { test: receivedOf(testId), live: receivedOf(liveId) },
  }))
}
