import Type from 'typebox'
import { invalidField } from '../../../base/refusal.js'
import { getSettings } from '../../../merchants/settings/settings.js'
import {
  destinationOf,
  type SettlementChoice,
} from '../../../merchants/settings/settings-document.js'
import { chooseDestination } from '../../../merchants/settings/settlement-wallets.js'
import {
  announceDestination,
  confirmChosenWallet,
  readSettlementDestination,
} from '../../../payouts/settlements/destination.js'
import type { Queryable } from '../../../postgres/transactions/tx.js'
import type { UserActor } from '../../../team/actor.js'
import { findOurAddresses } from '../../../wallets/store-wallets.js'
import { auditCall } from '../../auth/audit-call.js'
import { readAddress, solanaAddress } from '../../parse/read-address.js'
import { closed, stablecoinInput } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { success } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'

const path = '/v1/settings/settlement-destination'
const base = { path, access: 'user', tag: 'Console', answers: {} } as const

/** For members only: an API key must not send the merchant's money to another wallet. */
export function settlementDestinationRoutes(api: ApiParts): Route[] {
  return [read(api), change(api), confirm(api)]
}

const read = ({ db }: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    permission: 'business.see',
    operation: 'getSettlementDestination',
    summary: 'Retrieve where settlements go',
    description:
      'Returns the destination and, for a wallet in live mode, when settlements to it begin.',
    async handle(request) {
      return success(200, 'Settlement destination', await show(db, request))
    },
  })

const change = ({ db, rails }: ApiParts) =>
  route({
    ...base,
    method: 'PATCH',
    permission: 'business.change',
    stepUp: 'always',
    operation: 'changeSettlementDestination',
    summary: 'Change where settlements go',
    description:
      'Pays settlements to the primary bank account or, converted to a stablecoin, to a wallet. In live mode and under an approval rule, settlements to a wallet begin after 72 hours, so that other members can object.',
    body: closed({
      payTo: Type.Enum(['bank', 'wallet'], { type: 'string' }),
      asset: Type.Optional(stablecoinInput),
      walletAddress: Type.Optional(solanaAddress),
    }),
    async handle(request) {
      const { environment, now, realNow } = request
      const { userId } = request.actor as UserActor
      const changed = await db.transaction(async (tx) => {
        const saved = destinationOf(await getSettings(tx, environment))
        const destination = readSent(request.body, saved)
        const rail = rails.carrierOf(environment, 'crypto_transfer')
        if (rail) await refuseOurWallet(tx, rail.name, destination)
        const before = await readSettlementDestination(tx, environment)
        const made = await chooseDestination(tx, now, environment, { destination, userId })
        await announceDestination(tx, realNow, environment, before)
        auditCall(tx, request.audited, made)
        return show(tx, request)
      })
      return success(200, 'Settlement destination changed', changed)
    },
  })

const confirm = ({ db }: ApiParts) =>
  route({
    ...base,
    path: `${path}/confirm`,
    method: 'POST',
    permission: 'business.change',
    stepUp: 'always',
    operation: 'confirmSettlementDestination',
    summary: 'Confirm the wallet of settlements',
    description:
      'Under an approval rule, settlements to a wallet wait until another owner or admin confirms it. Send the address that was shown to you.',
    body: closed({ walletAddress: solanaAddress }),
    async handle(request) {
      const { environment, now } = request
      const { userId } = request.actor as UserActor
      const confirmed = await db.transaction(async (tx) => {
        const { walletAddress } = request.body
        await confirmChosenWallet(tx, now, { environment, userId, walletAddress })
        const shown = await show(tx, request)
        auditCall(tx, request.audited, { walletAddress: shown.walletAddress })
        return shown
      })
      return success(200, 'Settlement destination confirmed', confirmed)
    },
  })

/** A settlement to a deposit wallet would come in again as a payment. */
async function refuseOurWallet(
  tx: Queryable,
  rail: string,
  { walletAddress }: SettlementChoice,
): Promise<void> {
  if (walletAddress === null) return
  const ours = await findOurAddresses(tx, rail, [walletAddress])
  if (ours.size > 0)
    throw invalidField('walletAddress', 'is a deposit wallet of this service; send your own wallet')
}

type Sent = { payTo: 'bank' | 'wallet'; asset?: string; walletAddress?: string }

function readSent(sent: Sent, saved: SettlementChoice): SettlementChoice {
  const { payTo, asset = saved.asset, walletAddress } = sent
  if (payTo === 'wallet' && walletAddress === undefined)
    throw invalidField('walletAddress', 'is required')
  return {
    payTo,
    asset: asset as SettlementChoice['asset'],
    walletAddress:
      walletAddress === undefined
        ? saved.walletAddress
        : readAddress(walletAddress, 'walletAddress'),
  }
}

async function show(
  db: Queryable,
  { environment }: Pick<RouteRequest<unknown, unknown, unknown>, 'environment'>,
) {
  const { payTo, asset, walletAddress } = destinationOf(await getSettings(db, environment))
  const { usableFrom, needsConfirmation } = await readSettlementDestination(db, environment)
  return {
    payTo,
    asset,
    walletAddress,
    usableFrom: payTo === 'wallet' ? usableFrom : null,
    needsConfirmation,
  }
}
