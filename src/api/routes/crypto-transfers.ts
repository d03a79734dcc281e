import Type, { type Static } from 'typebox'
import { formatDecimal } from '../../money/amounts.js'
import type { Asset } from '../../money/assets.js'
import { cryptoTransfer } from '../../resources/payout.js'
import { resource, text } from '../../resources/shapes.js'
import type { ApiParts } from '../api-parts.js'
import { success } from '../edge/envelope.js'
import { merchantReferenceIn, metadataIn, readMetadata } from '../edge/metadata.js'
import { readAddress, solanaAddress } from '../edge/read-address.js'
import { readCoins } from '../edge/read-coins.js'
import { chainSays, refusedAs } from '../edge/refusals-of.js'
import { type Route, type RouteRequest, route } from '../edge/route.js'
import { closed, decimalInput, networkInput, stablecoinInput } from '../edge/schemas.js'
import { pay, readRoutes } from './payouts.js'

const path = '/v1/disbursements/crypto'

const target = {
  amount: decimalInput,
  asset: stablecoinInput,
  network: networkInput,
  destinationAddress: solanaAddress,
}

const body = closed({
  ...target,
  merchantReference: Type.Optional(merchantReferenceIn),
  metadata: Type.Optional(metadataIn),
})

const quote = resource('CryptoTransferQuote', {
  amount: decimalInput,
  fee: text('0.5'),
  totalDebit: text('26'),
  lines: Type.Array(Type.Object({ operation: text('crypto_transfer'), amount: text('0.5') })),
})

export function cryptoTransferRoutes(rooms: ApiParts): Route[] {
  const statuses = { SUBMITTED: 'SUBMITTED', CONFIRMED: 'COMPLETED', FAILED: 'FAILED' } as const
  return [
    create(rooms),
    quoted(rooms),
    ...readRoutes(rooms, { kind: 'crypto_transfer', path, resource: cryptoTransfer, statuses }),
  ]
}

const create = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path,
    access: 'secret',
    needsKey: true,
    operation: 'createCryptoTransfer',
    summary: 'Create a crypto transfer',
    description:
      'Sends a stablecoin from the available balance to a wallet. `SUBMITTED` becomes `CONFIRMED` when it is final on the chain, or `FAILED` when it is certain that nothing left.',
    tag: 'Disbursements',
    body,
    answers: { 201: cryptoTransfer },
    refusals: [
      'insufficient_balance',
      ...refusedAs('crypto_transfer_failed', 'duplicate_reference', ...chainSays),
    ],
    handle(ask) {
      const { merchantReference = null } = ask.body
      const wish = { ...readTarget(ask), merchantReference, metadata: readMetadata(ask) }
      return pay(rooms, ask, wish, 'Crypto transfer submitted')
    },
  })

const quoted = (rooms: ApiParts) =>
  route({
    method: 'POST',
    path: `${path}/quote`,
    access: 'secret',
    operation: 'quoteCryptoTransfer',
    summary: 'Price a crypto transfer',
    description:
      'What it would cost now, and whether the destination is fine. Nothing is promised.',
    tag: 'Disbursements',
    body: closed(target),
    answers: { 200: quote },
    refusals: refusedAs('crypto_transfer_failed', ...chainSays),
    async handle(ask) {
      const wish = readTarget(ask)
      const { asset, amount } = wish
      const { fee, lines } = await rooms.ordering.quote(wish)
      return success(200, 'Quote', {
        amount: ask.body.amount,
        fee: formatDecimal(fee, asset),
        totalDebit: formatDecimal(amount + fee, asset),
        lines: lines.map((line) => ({
          operation: line.operation,
          amount: formatDecimal(line.amount, asset),
        })),
      })
    },
  })

type Target = Pick<Static<typeof body>, keyof typeof target>

function readTarget({
  environment,
  body: sent,
}: Pick<RouteRequest<Target, unknown, unknown>, 'environment' | 'body'>) {
  const asset = sent.asset as Asset
  return {
    environment,
    kind: 'crypto_transfer' as const,
    asset,
    amount: readCoins(sent.amount, asset),
    requestedAmount: sent.amount,
    destination: {
      kind: 'wallet' as const,
      address: readAddress(sent.destinationAddress, 'destinationAddress'),
    },
  }
}
