import Type, { type Static } from 'typebox'
import { firstIdAt } from '../../../base/ids.js'
import { Refusal, returnRefusal } from '../../../base/refusal.js'
import {
  decimal,
  resource,
  walletSample,
  withDescription,
  withExample,
} from '../../../base/shapes.js'
import { formatDecimal } from '../../../money/amounts.js'
import type { Asset } from '../../../money/assets.js'
import { vatRates } from '../../../money/vat.js'
import { cryptoTransfer } from '../../../payouts/resource.js'
import { withoutWait } from '../../auth/waiting-keys.js'
import {
  chainRefusalReasons,
  fundFromReasons,
  recipientReasons,
  withReasons,
} from '../../openapi/refusals-of.js'
import { fundFromIn, quotedFundFromIn, readFundFrom } from '../../parse/fund-from.js'
import { merchantReferenceIn, metadataIn } from '../../parse/metadata.js'
import { readAddress, solanaAddress } from '../../parse/read-address.js'
import { readStablecoinAmount } from '../../parse/read-coins.js'
import { fromIn, readPayingSubaccount } from '../../parse/read-paying-subaccount.js'
import {
  choosePayoutDestination,
  isByRecipient,
  type PayoutTarget,
  recipientIn,
} from '../../parse/read-recipient.js'
import { closed, decimalInput, networkInput, stablecoinInput } from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { commitRefusal } from '../../pipeline/create-resource.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { success } from '../../server/envelope.js'
import { type Route, type RouteRequest, route } from '../../server/route.js'
import {
  confirmDuplicateIn,
  controlReasons,
  createReadRoutes,
  quoteTransfer,
  submitPayout,
  toPayoutRequest,
} from './payouts.js'

/** Names: in the API a crypto transfer, one of the disbursements; in the code a payout. */
const path = '/v1/disbursements/crypto'

const quotedFields = {
  amount: decimalInput,
  asset: stablecoinInput,
  network: networkInput,
  destinationAddress: Type.Optional(solanaAddress),
  recipient: recipientIn('wallet', '`destinationAddress`'),
}

const body = withExample(
  closed({
    ...quotedFields,
    fundFrom: Type.Optional(fundFromIn),
    from: fromIn,
    merchantReference: Type.Optional(merchantReferenceIn),
    metadata: Type.Optional(metadataIn),
    confirmDuplicate: Type.Optional(confirmDuplicateIn),
  }),
  {
    amount: '25.50',
    asset: 'USDC',
    network: 'SOLANA',
    destinationAddress: walletSample,
    merchantReference: 'payout-9',
    metadata: { order: 'a-1001' },
  },
)

const quote = resource('CryptoTransferQuote', {
  amount: decimalInput,
  fee: withExample(withDescription(decimal, 'Fee of the transfer, a decimal.'), '0.5'),
  feeVat: withExample(withDescription(decimal, 'VAT that `fee` contains now.'), '0'),
  totalDebit: withExample(withDescription(decimal, '`amount` plus `fee`, a decimal.'), '26'),
  lines: Type.Array(
    Type.Object({
      operation: Type.Enum(['crypto_payout', 'crypto_account_creation'], {
        type: 'string',
        description:
          'The fee that this line is of. `crypto_account_creation` is added if the destination has no token account yet.',
        examples: ['crypto_payout'],
      }),
      amount: withExample(withDescription(decimal, 'This part of the fee, a decimal.'), '0.5'),
    }),
  ),
})

export function cryptoTransferRoutes(api: ApiParts): Route[] {
  // From the API's words to the stored ones: CONFIRMED is stored as COMPLETED, and means that the
  // transaction is finalized on the chain.
  const statuses = {
    PENDING: 'PENDING',
    SUBMITTED: 'SUBMITTED',
    CONFIRMED: 'COMPLETED',
    FAILED: 'FAILED',
  } as const
  return [
    create(api),
    quoteRoute(api),
    ...createReadRoutes(api, {
      kind: 'crypto_transfer',
      path,
      resource: cryptoTransfer,
      statuses,
      columns: csvColumns(
        'reference',
        'merchantReference',
        'createdAt',
        'status',
        'asset',
        'network',
        inBothUnits('amount'),
        inBothUnits('fee'),
        inBothUnits('totalDebit'),
        'destinationAddress',
        'transactionSignature',
        'failureReason',
        'submittedAt',
        'confirmedAt',
        'failedAt',
        'metadata',
        inBothUnits('feeVat'),
        'from',
        'recipient',
      ),
    }),
  ]
}

const create = (api: ApiParts) =>
  route({
    method: 'POST',
    path,
    access: 'secret',
    requiresIdempotencyKey: true,
    replaysAtCommit: true,
    stopsWhenSuspended: true,
    permission: 'payouts.create',
    stepUp: 'live',
    operation: 'createCryptoTransfer',
    summary: 'Create a crypto transfer',
    description:
      'Sends a stablecoin from the available balance to a wallet. `SUBMITTED` becomes `CONFIRMED` when it is final on the chain, or `FAILED` when it is certain that no money left. If your approval rule requires a second member, it starts as `PENDING`: the money is held, and nothing is signed before the approval.',
    tag: 'Disbursements',
    body,
    answers: { 201: cryptoTransfer },
    refusals: [
      'insufficient_balance',
      'not_found',
      ...withReasons('subaccount_failed', 'invalid_state'),
      ...withReasons('conversion_failed', ...fundFromReasons),
      ...withReasons('forbidden', 'payouts_wait'),
      ...withReasons(
        'crypto_transfer_failed',
        'duplicate_reference',
        ...controlReasons,
        'balance_limit',
        ...chainRefusalReasons,
        ...recipientReasons,
      ),
    ],
    async handle(request) {
      const { environment, body } = request
      const target = readTarget(body)
      const chosen = await choosePayoutDestination(api.db, environment, target).catch(returnRefusal)
      if (chosen instanceof Refusal) return commitRefusal(api, request, chosen)
      const payout = toPayoutRequest({ ...readQuoteRequest(request), ...chosen }, request)
      const fundFrom = readFundFrom(body.fundFrom, payout.asset)
      if (fundFrom && request.apiKey?.payoutsWait)
        throw withoutWait('`fundFrom` would convert at once.')
      const { from } = body
      return submitPayout(api, request, payout, 'Crypto transfer', { fundFrom, from })
    },
  })

const quoteRoute = (api: ApiParts) =>
  route({
    method: 'POST',
    path: `${path}/quote`,
    access: 'secret',
    isRead: true,
    permission: 'payouts.create',
    operation: 'quoteCryptoTransfer',
    summary: 'Price a crypto transfer',
    description:
      'Returns what the transfer costs now and checks that the destination can receive it and that your rule about recipients allows it, whatever your balance. Reserves nothing.',
    tag: 'Disbursements',
    body: closed({ ...quotedFields, fundFrom: Type.Optional(quotedFundFromIn), from: fromIn }),
    answers: { 200: quote },
    refusals: [
      'not_found',
      ...withReasons('subaccount_failed', 'invalid_state'),
      ...withReasons(
        'crypto_transfer_failed',
        ...chainRefusalReasons.filter((reason) => reason !== 'treasury_short'),
        ...recipientReasons,
      ),
    ],
    async handle(request) {
      const { environment, body } = request
      const quoted = {
        ...readQuoteRequest(request),
        ...(await choosePayoutDestination(api.db, environment, readTarget(body))),
      }
      const { asset, amount } = quoted
      if (body.from !== undefined) await readPayingSubaccount(api.db, environment.id, body.from)
      const { fee, lines } = await quoteTransfer(api, request, quoted)
      const environmentId = request.environment.id
      const causeId = firstIdAt(request.now)
      return success(200, 'Quote', {
        amount: body.amount,
        fee: formatDecimal(fee, asset),
        feeVat: formatDecimal(vatRates.vatOf({ environmentId, causeId, fee }), asset),
        totalDebit: formatDecimal(amount + fee, asset),
        lines: lines.map((line) => ({
          operation: line.operation,
          amount: formatDecimal(line.amount, asset),
        })),
      })
    },
  })

type QuotedBody = Pick<Static<typeof body>, keyof typeof quotedFields>

function readQuoteRequest({
  environment,
  body: sent,
}: Pick<RouteRequest<QuotedBody, unknown, unknown>, 'environment' | 'body'>) {
  const asset = sent.asset as Asset
  return {
    environment,
    kind: 'crypto_transfer' as const,
    asset,
    amount: readStablecoinAmount(sent.amount, asset),
    requestedAmount: sent.amount,
  }
}

function readTarget({ recipient, destinationAddress }: QuotedBody): PayoutTarget {
  const code = 'crypto_transfer_failed'
  if (isByRecipient({ recipient, fields: { destinationAddress } }))
    return { reference: recipient!, kind: 'wallet', narration: null, code }
  const address = readAddress(destinationAddress!, 'destinationAddress')
  return { code, destination: { kind: 'wallet', address } }
}
