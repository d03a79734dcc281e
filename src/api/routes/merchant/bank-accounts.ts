import Type from 'typebox'
import type { RealTime } from '../../../base/clock.js'
import type { Environment } from '../../../base/environment.js'
import { prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { Refusal } from '../../../base/refusal.js'
import { referenceSample } from '../../../base/shapes.js'
import { findApprovedNames } from '../../../merchants/kyc/kyc-submissions.js'
import {
  addBankAccount,
  type BankAccount,
  deactivateBankAccount,
  listBankAccounts,
  makePrimary,
  needsConfirmation,
  usableFromFor,
} from '../../../merchants/settings/bank-accounts.js'
import { isHolderOf } from '../../../merchants/settings/judge-holder.js'
import { getSettings } from '../../../merchants/settings/settings.js'
import { hasRule } from '../../../merchants/settings/settings-document.js'
import {
  announceDestination,
  confirmAccount,
  readSettlementDestination,
} from '../../../payouts/settlements/destination.js'
import type { Queryable, Tx } from '../../../postgres/transactions/tx.js'
import type { UserActor } from '../../../team/actor.js'
import {
  accountNumberPattern,
  bankCodePattern,
  closed,
  inPath,
  pageQuery,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { pageOf } from '../../server/page-of.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'
import { directoryOf } from '../payouts/bank-transfers.js'

const path = '/v1/bank-accounts'
const params = inPath('reference', referenceSample(prefixes.bankAccount))
const base = { access: 'user', tag: 'Console', answers: {} } as const
const change = { ...base, permission: 'business.change', stepUp: 'always' } as const

/** The merchant's own bank accounts, to which settlements are paid. */
export function bankAccountRoutes(api: ApiParts): Route[] {
  return [list(api), add(api), choosePrimary(api), confirm(api), deactivate(api)]
}

const list = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    permission: 'business.see',
    operation: 'listBankAccounts',
    summary: 'List your bank accounts',
    description: 'Returns the bank accounts of this mode, newest first, deactivated ones too.',
    query: closed(pageQuery),
    async handle({ environment, query }) {
      const accounts = await listBankAccounts(db, environment.id)
      const scope = await scopeOf(db, environment)
      const items = accounts.map((account) => show(account, scope))
      return success(
        200,
        'Bank accounts',
        pageOf(items, query, ({ reference }) => reference),
      )
    },
  })

const add = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    operation: 'addBankAccount',
    summary: 'Add a bank account',
    description:
      'The bank names the holder. In live mode settlements to it begin after 24 hours, so that other members can object; if the holder is not your business, or under an approval rule, another owner or admin, or the operator, must confirm it first.',
    body: closed({
      bankCode: Type.String({ pattern: bankCodePattern }),
      accountNumber: Type.String({ pattern: accountNumberPattern }),
      isPrimary: Type.Optional(Type.Boolean()),
    }),
    async handle(request) {
      const { environment, body } = request
      const { bankCode, accountNumber, isPrimary = false } = body
      const holder = await directoryOf(api, environment).resolveName({ bankCode, accountNumber })
      if (holder instanceof Refusal) throw holder
      const accountName = [...holder.accountName].slice(0, limits.names.length).join('')
      const names = await findApprovedNames(api.db, api.seal, environment.merchantId)
      const nameDiffers = !isHolderOf(names, holder.accountName)
      const { userId } = request.actor as UserActor
      return api.change(
        request,
        async (tx, now) => {
          const usableFrom = usableFromFor(now, environment.mode)
          const before = await readSettlementDestination(tx, environment)
          const added = await addBankAccount(tx, now, {
            environmentId: environment.id,
            bankCode,
            accountNumber,
            accountName,
            usableFrom,
            chosenBy: { userId, nameDiffers },
          })
          const account = isPrimary ? await makePrimary(tx, added, usableFrom) : added
          await announceDestination(tx, now, environment, before)
          return show(account, await scopeOf(tx, environment))
        },
        (account) => success(201, 'Bank account added', account),
      )
    },
  })

const choosePrimary = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/primary`,
    operation: 'makeBankAccountPrimary',
    summary: 'Make a bank account primary',
    description: 'Settlements go to it; in live mode after 24 hours.',
    params,
    handle: (request) =>
      changeOne(api, request, async (tx, now) => {
        const { environment } = request
        const before = await readSettlementDestination(tx, environment)
        const account = await makePrimary(tx, nameOf(request), usableFromFor(now, environment.mode))
        await announceDestination(tx, now, environment, before)
        return account
      }),
  })

const confirm = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/confirm`,
    operation: 'confirmBankAccount',
    summary: 'Confirm a bank account of another member',
    description:
      'Settlements to an account whose holder is not your business, or under an approval rule, wait until another owner or admin confirms it.',
    params,
    handle: (request) =>
      changeOne(api, request, (tx) =>
        confirmAccount(tx, request.now, {
          environment: request.environment,
          reference: request.params.reference,
          userId: (request.actor as UserActor).userId,
        }),
      ),
  })

const deactivate = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/deactivate`,
    operation: 'deactivateBankAccount',
    summary: 'Stop using a bank account',
    description: 'The primary one is refused: make another one primary first.',
    params,
    handle: (request) =>
      changeOne(api, request, (tx) => deactivateBankAccount(tx, nameOf(request))),
  })

type Named = RouteRequest<unknown, unknown, { reference: string }>

function changeOne(
  api: ApiParts,
  request: Named,
  apply: (tx: Tx, now: RealTime) => Promise<BankAccount>,
) {
  return api.change(
    request,
    async (tx, now) => {
      const account = await apply(tx, now)
      return show(account, await scopeOf(tx, request.environment))
    },
    (account) => success(200, 'Bank account updated', account),
  )
}

function nameOf({ environment, params }: Pick<Named, 'environment' | 'params'>) {
  return { environmentId: environment.id, reference: params.reference }
}

type Scope = Parameters<typeof needsConfirmation>[1]

async function scopeOf(db: Queryable, environment: Environment): Promise<Scope> {
  const { approvals } = await getSettings(db, environment)
  return { mode: environment.mode, hasRule: hasRule(approvals) }
}

function show(account: BankAccount, scope: Scope) {
  const { reference, bankCode, accountNumber, accountName } = account
  return {
    reference,
    bankCode,
    accountNumber,
    accountName,
    isActive: account.isActive,
    isPrimary: account.isPrimary,
    usableFrom: account.usableFrom,
    nameDiffers: account.nameDiffers,
    needsConfirmation: needsConfirmation(account, scope),
    createdAt: account.createdAt,
  }
}
