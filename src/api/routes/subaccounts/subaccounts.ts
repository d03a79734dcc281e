import Type, { type Static } from 'typebox'
import { emailPattern } from '../../../base/contact-patterns.js'
import { newId, prefixes } from '../../../base/ids.js'
import { toJson } from '../../../base/json-text.js'
import { limits } from '../../../base/limits.js'
import { invalidField, Refusal } from '../../../base/refusal.js'
import {
  anyAsset,
  inKobo,
  referenceSample,
  withDescription,
  withExample,
} from '../../../base/shapes.js'
import type { KeyedAnswer } from '../../../idempotency/answer.js'
import type { Asset } from '../../../money/assets.js'
import { payOutAndClose } from '../../../payouts/settlements/close-subaccounts.js'
import { settlement as settlementResource } from '../../../payouts/settlements/resource.js'
import {
  changeSubaccount,
  closeSubaccount,
  createSubaccount,
  refuseClosed,
  type SubaccountChange,
} from '../../../subaccounts/change-subaccount.js'
import {
  showSubaccount,
  showTransfer,
  subaccount,
  subaccountTransfer,
} from '../../../subaccounts/resource.js'
import {
  getSubaccount,
  lockSubaccounts,
  subaccountList,
  withBalances,
} from '../../../subaccounts/store-subaccounts.js'
import {
  type SubaccountSchedule,
  type SubaccountStatus,
  type SubaccountTransfer,
  subaccountSchedules,
  subaccountStatuses,
} from '../../../subaccounts/subaccount.js'
import { transferAll } from '../../../subaccounts/transfer-money.js'
import { creatorOf } from '../../auth/creator-of.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { bankRefusalReasons, recipientReasons, withReasons } from '../../openapi/refusals-of.js'
import { readAddress, solanaAddress } from '../../parse/read-address.js'
import { readAnyAmount } from '../../parse/read-coins.js'
import { readTimeRange } from '../../parse/read-filters.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  decimalInput,
  inPath,
  koboInput,
  plainText,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitAndSend } from '../../pipeline/commit-and-send.js'
import { commitRefusal } from '../../pipeline/create-resource.js'
import { csvColumns } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { success } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'
import { directoryOf } from '../payouts/bank-transfers.js'
import { prepareRequested, settlementBody, settleNow } from '../payouts/settlements.js'

const path = '/v1/subaccounts'
const base = { access: 'secret', tag: 'Sub-accounts' } as const
const change = {
  ...base,
  stopsWhenSuspended: true,
  permission: 'subaccounts.change',
  stepUp: 'live',
} as const
const params = inPath('reference', referenceSample(prefixes.subaccount))

export function subaccountRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), read(api), update(api), close(api), transfer(api), settle(api)]
}

const shortText = (example: string, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: limits.names.length,
    pattern: plainText,
    description,
    examples: [example],
  })

const fields = {
  name: shortText('Ada Fabrics', 'Name of the seller.'),
  email: Type.String({
    maxLength: 254,
    pattern: emailPattern,
    description: 'E-mail address of the seller.',
    examples: ['ada@example.com'],
  }),
  externalReference: shortText(
    'seller-17',
    'Your own name for it, unique among your sub-accounts.',
  ),
  bankAccount: withExample(
    closed({
      bankCode: Type.String({ pattern: bankCodePattern, examples: ['058'] }),
      accountNumber: Type.String({ pattern: accountNumberPattern, examples: ['0123456789'] }),
    }),
    { bankCode: '058', accountNumber: '0123456789' },
  ),
  walletAddress: withDescription(solanaAddress, 'Solana wallet to which its coins are paid out.'),
}

const koboFrom0 = (example: number, description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number(limits.money.wireMax),
      description,
      examples: [example],
      ...inKobo,
    }),
  )

const settlement = Type.Optional(
  withDescription(
    closed({
      schedule: Type.Optional(
        Type.Enum([...subaccountSchedules], {
          description:
            'When its naira are paid to its bank account: at the time, and if `weekly` on the day, of your own settings.',
          examples: ['daily'],
        }),
      ),
      reserve: koboFrom0(0, 'What settlements leave, in kobo.'),
      minimum: koboFrom0(100_000, 'Smallest amount that is settled on schedule, in kobo.'),
    }),
    'How it is settled. Absent fields stay as they are; by default it is not.',
  ),
)

type SentSettlement = { schedule?: SubaccountSchedule; reserve?: number; minimum?: number }

function readSettlement({ schedule, reserve, minimum }: SentSettlement = {}): SubaccountChange {
  return {
    ...(schedule !== undefined && { settlementSchedule: schedule }),
    ...(reserve !== undefined && { settlementReserve: BigInt(reserve) }),
    ...(minimum !== undefined && { settlementMinimum: BigInt(minimum) }),
  }
}

const orNone = (schema: typeof fields.email) => Type.Optional(Type.Union([schema, Type.Null()]))

const createBody = withExample(
  closed({
    name: fields.name,
    email: Type.Optional(fields.email),
    externalReference: Type.Optional(fields.externalReference),
    bankAccount: Type.Optional(
      withDescription(fields.bankAccount, 'Where it is paid out. The bank names the holder.'),
    ),
    walletAddress: Type.Optional(fields.walletAddress),
    settlement,
  }),
  {
    name: 'Ada Fabrics',
    externalReference: 'seller-17',
    bankAccount: { bankCode: '058', accountNumber: '0123456789' },
  },
)

const destinationRefusals = withReasons(
  'bank_transfer_failed',
  'unknown_bank',
  'account_not_found',
  'rail_unavailable',
)

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    operation: 'createSubaccount',
    summary: 'Create a sub-account',
    description:
      'A sub-account has balances of its own beside yours. Payments are split to it, and it is paid out by settlements or transfers. The bank is asked for the holder of its bank account.',
    body: createBody,
    answers: { 201: subaccount },
    refusals: [...destinationRefusals, ...withReasons('validation_failed', 'duplicate_reference')],
    async handle(request) {
      const { environment, now, body } = request
      const destination = await readDestination(api, request, body)
      return api.change(
        request,
        (tx, realNow) =>
          createSubaccount(
            tx,
            { now, realNow, environment },
            {
              environmentId: environment.id,
              name: body.name,
              email: body.email ?? null,
              externalReference: body.externalReference ?? null,
              bankCode: null,
              accountNumber: null,
              accountName: null,
              walletAddress: null,
              settlementSchedule: 'off',
              settlementReserve: 0n,
              settlementMinimum: 100_000n,
              chosenByKey: null,
              chosenByUser: null,
              ...destination,
              ...readSettlement(body.settlement),
            },
          ),
        (created) => success(201, 'Sub-account created', showSubaccount(created)),
      )
    },
  })

type SentDestination = {
  bankAccount?: { bankCode: string; accountNumber: string } | null
  walletAddress?: string | null
  settlement?: SentSettlement
}

/** Fields that the request names; null takes the destination away. */
async function readDestination(
  api: ApiParts,
  request: RouteRequest<unknown, unknown, unknown>,
  { bankAccount, walletAddress, settlement }: SentDestination,
): Promise<SubaccountChange> {
  // Who chooses where money goes by itself pays it out.
  const paysOut = bankAccount || walletAddress || (settlement?.schedule ?? 'off') !== 'off'
  if (paysOut && !request.permissions.has('payouts.create'))
    throw refuseUnseen(request, 'payouts.create')
  const read: SubaccountChange = {}
  if (walletAddress !== undefined)
    read.walletAddress = walletAddress && readAddress(walletAddress, 'walletAddress')
  if (bankAccount === undefined) return read
  if (bankAccount === null)
    return { ...read, bankCode: null, accountNumber: null, accountName: null }
  const holder = await directoryOf(api, request.environment).resolveName(bankAccount)
  if (holder instanceof Refusal) throw holder
  const accountName = [...holder.accountName].slice(0, limits.names.length).join('')
  const { createdByKey: chosenByKey, createdByUser: chosenByUser } = creatorOf(request)
  return { ...read, ...bankAccount, accountName, chosenByKey, chosenByUser }
}

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...base,
    path,
    permission: 'subaccounts.see',
    operation: 'listSubaccounts',
    summary: 'List sub-accounts',
    description:
      'Returns sub-accounts with their balances, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Sub-accounts',
    filters: {
      status: Type.Optional(withStatus([...subaccountStatuses])),
      externalReference: Type.Optional(fields.externalReference),
      ...timeFilters,
    },
    item: subaccount,
    columns: csvColumns(
      'reference',
      'createdAt',
      'status',
      'name',
      'email',
      'externalReference',
      'bankAccount.bankCode',
      'bankAccount.accountNumber',
      'bankAccount.accountName',
      'walletAddress',
    ),
    cursor: cursorOf(prefixes.subaccount),
    toFilter: ({ query }) => ({
      ...readTimeRange(query),
      status: query.status as SubaccountStatus | undefined,
      externalReference: query.externalReference,
    }),
    rows: subaccountList,
    show: (row) => toJson(showSubaccount(row)),
  })

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path: `${path}/:reference`,
    permission: 'subaccounts.see',
    operation: 'getSubaccount',
    summary: 'Retrieve a sub-account',
    description: 'Returns the sub-account with its balances.',
    params,
    answers: { 200: subaccount },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getSubaccount(db, { environmentId: environment.id, reference })
      const [shown] = await withBalances(db, [found])
      return success(200, 'Sub-account', showSubaccount(shown!))
    },
  })

const updateBody = withExample(
  closed({
    name: Type.Optional(fields.name),
    email: orNone(fields.email),
    externalReference: orNone(fields.externalReference),
    bankAccount: Type.Optional(
      withDescription(
        Type.Union([fields.bankAccount, Type.Null()]),
        'Where it is paid out; null for nowhere.',
      ),
    ),
    walletAddress: orNone(fields.walletAddress),
    status: Type.Optional(
      Type.Enum(['ACTIVE', 'PAUSED'], {
        description: '`PAUSED`: it is credited, but nothing is paid out.',
        examples: ['PAUSED'],
      }),
    ),
    settlement,
  }),
  { status: 'ACTIVE' },
)

const update = (api: ApiParts) =>
  route({
    ...change,
    method: 'PATCH',
    path: `${path}/:reference`,
    operation: 'changeSubaccount',
    summary: 'Change a sub-account',
    description: 'Changes what is sent; null removes a value.',
    params,
    body: updateBody,
    answers: { 200: subaccount },
    refusals: [
      'not_found',
      ...destinationRefusals,
      ...withReasons('validation_failed', 'duplicate_reference'),
      ...withReasons('subaccount_failed', 'invalid_state'),
    ],
    async handle(request) {
      const { environment, body, params } = request
      const { bankAccount: _, walletAddress: __, settlement: ___, ...sent } = body
      const destination = await readDestination(api, request, body)
      return api.change(
        request,
        (tx, realNow) =>
          changeSubaccount(tx, { realNow, environment, reference: params.reference }, {
            ...sent,
            ...destination,
            ...readSettlement(body.settlement),
          } as SubaccountChange),
        (changed) => success(200, 'Sub-account changed', showSubaccount(changed)),
      )
    },
  })

const closeBody = Type.Optional(
  closed({
    balance: Type.Optional(
      Type.Enum(['move', 'pay_out'], {
        description:
          'What becomes of its money. `move`: it goes to your balance. `pay_out`: its naira go to its bank account; until they have arrived it is `PAUSED` with `closing`, and if they do not arrive it stays so without. Default: `move`.',
        examples: ['move'],
      }),
    ),
  }),
)

const settlementRefusals = withReasons(
  'bank_transfer_failed',
  'no_bank_account',
  'approval_required',
  'velocity_limit',
  ...recipientReasons,
  'invalid_state',
  'nothing_to_settle',
  ...bankRefusalReasons,
)

const close = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/close`,
    requiresIdempotencyKey: true,
    operation: 'closeSubaccount',
    summary: 'Close a sub-account',
    description:
      'Closes it for good. Its available money is moved to your balance, or paid out first. Refused while money is reserved or pending, or it owes more than it has.',
    params,
    body: closeBody,
    answers: { 200: subaccount },
    refusals: [
      'not_found',
      ...withReasons('subaccount_failed', 'invalid_state', 'balance_limit'),
      ...settlementRefusals,
    ],
    async handle(request) {
      const { environment, now, params, body } = request
      if (body?.balance === 'pay_out') return payOut(api, request)
      return api.change(
        request,
        (tx, realNow) =>
          closeSubaccount(
            tx,
            { now, realNow },
            { environment, reference: params.reference, ...creatorOf(request) },
          ),
        (closed) => success(200, 'Sub-account closed', showSubaccount(closed)),
      )
    },
  })

async function payOut(
  api: ApiParts,
  request: RouteRequest<unknown, unknown, { reference: string }>,
): Promise<KeyedAnswer> {
  const { environment, params, permissions } = request
  // Moving the balance needs no right to pay out.
  if (!permissions.has('payouts.create')) throw refuseUnseen(request, 'payouts.create')
  const { reference } = params
  const found = await getSubaccount(api.db, { environmentId: environment.id, reference })
  const prepared = await prepareRequested(api, request, {
    subaccount: { ...found, settlementReserve: 0n, settlementMinimum: 0n },
    requestedAmount: null,
  })
  if (prepared instanceof Refusal) return commitRefusal(api, request, prepared)
  return commitAndSend(api, request, {
    commit: (tx, realNow) => payOutAndClose(tx, realNow, { environment, reference }, prepared),
    toAnswer: ({ closing }) => success(200, 'Sub-account is being closed', showSubaccount(closing)),
    payoutOf: ({ payout }) => (payout.status === 'SUBMITTED' ? prepared.payout : null),
  }).finally(prepared.payout.finish)
}

const settle = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/:reference/settlements`,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    permission: 'payouts.create',
    // Its report shows balances of the sub-account.
    alsoNeeds: ['balances.see', 'subaccounts.see'],
    stepUp: 'live',
    operation: 'settleSubaccount',
    summary: 'Settle a sub-account now',
    description:
      'Pays the available naira of the sub-account above its reserve to its bank account, as a bank transfer with its usual fee: `amount`, or as much as possible in whole naira. Its coins stay. If your approval rule requires a second member for the amount, it is refused.',
    params,
    body: settlementBody,
    answers: { 201: settlementResource },
    refusals: [
      'not_found',
      'insufficient_balance',
      ...withReasons('subaccount_failed', 'invalid_state'),
      ...settlementRefusals,
    ],
    async handle(request) {
      const { environment, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      return settleNow(api, request, await getSubaccount(api.db, name))
    },
  })

const end = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 64, description, examples: ['merchant'] }))

const transferBody = withExample(
  closed({
    from: end(
      'Where the money comes from: `merchant`, or another sub-account. Send it or `to`; the other end is this sub-account.',
    ),
    to: end('Where the money goes: `merchant`, or another sub-account.'),
    asset: anyAsset,
    amount: Type.Union([koboInput, decimalInput], {
      description: 'An integer in kobo for NGN; a decimal string for coins.',
      examples: [500_000],
    }),
    note: Type.Optional(shortText('Promotion of March', 'What it is for; only your team sees it.')),
  }),
  { from: 'merchant', asset: 'NGN', amount: 500_000 },
)

const transfer = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/transfers`,
    requiresIdempotencyKey: true,
    operation: 'transferToSubaccount',
    summary: 'Move money to or from a sub-account',
    description:
      'Moves money between your balance and a sub-account, or between two, at once. If the sub-account that gets it owes you something, that is paid first; what a sub-account gives you pays what it owes.',
    params,
    body: transferBody,
    answers: { 201: subaccountTransfer },
    refusals: [
      'not_found',
      'insufficient_balance',
      ...withReasons('subaccount_failed', 'invalid_state', 'balance_limit'),
    ],
    handle(request) {
      const { environment, now, body, params } = request
      const ends = readEnds(params.reference, body)
      const amount = readAnyAmount('amount', body.amount, body.asset as Asset)
      return api.change(
        request,
        async (tx, realNow) => {
          const references = [ends.from, ends.to].filter((reference) => reference !== 'merchant')
          const locked = await lockSubaccounts(tx, environment.id, references)
          for (const subaccount of locked) refuseClosed(subaccount)
          const idOf = (reference: string) => {
            const index = references.indexOf(reference)
            return index < 0 ? null : locked[index]!.id
          }
          const made: SubaccountTransfer = {
            environmentId: environment.id,
            id: newId(now),
            fromSubaccountId: idOf(ends.from),
            toSubaccountId: idOf(ends.to),
            asset: body.asset as Asset,
            amount,
            note: body.note ?? null,
            ...creatorOf(request),
            createdAt: now,
          }
          await transferAll(tx, realNow, [made])
          return made
        },
        (made) => success(201, 'Money moved', showTransfer(made)),
        { isKept: true },
      )
    },
  })

function readEnds(reference: string, { from, to }: Static<typeof transferBody>) {
  if ((from === undefined) === (to === undefined))
    throw invalidField(
      'from',
      from === undefined ? 'must be sent, or `to` instead' : 'cannot be sent together with `to`',
    )
  const other = from ?? to!
  if (other === reference)
    throw invalidField(from === undefined ? 'to' : 'from', 'must be another sub-account')
  return from === undefined ? { from: reference, to: other } : { from: other, to: reference }
}
