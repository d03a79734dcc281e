import Type, { type Static } from 'typebox'
import type { Environment } from '../../../base/environment.js'
import { prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { invalidField } from '../../../base/refusal.js'
import { anyAsset, referenceSample, withDescription, withExample } from '../../../base/shapes.js'
import { followReturns } from '../../../collections/returns/follow-returns.js'
import { getSettings } from '../../../merchants/settings/settings.js'
import type { Asset } from '../../../money/assets.js'
import { type ClaimStatus, claimStatuses } from '../../../payouts/claims/claim.js'
import { type ClaimLink, mailClaimLink } from '../../../payouts/claims/claim-mails.js'
import { createClaim, newClaimToken, prepareClaim } from '../../../payouts/claims/create-claim.js'
import { cancelClaim, unlockClaim } from '../../../payouts/claims/end-claims.js'
import { claim, showClaim } from '../../../payouts/claims/resource.js'
import { claimList, getClaim } from '../../../payouts/claims/store-claims.js'
import { claimLimits } from '../../../payouts/limits.js'
import { transferKindOf } from '../../../payouts/payout.js'
import { creatorOf } from '../../auth/creator-of.js'
import { refuseUnseen } from '../../auth/refuse-unseen.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { claimDescriptionIn, claimTermsIn, readClaimTerms } from '../../parse/claim-request.js'
import { merchantReferenceIn, metadataIn, readMetadata } from '../../parse/metadata.js'
import { checkNairaLimits } from '../../parse/naira-limits.js'
import { readAnyAmount } from '../../parse/read-coins.js'
import { readTimeRange } from '../../parse/read-filters.js'
import {
  closed,
  decimalInput,
  inPath,
  koboInput,
  timeFilters,
  withStatus,
} from '../../parse/schemas.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { csvColumns, inBothUnits } from '../../server/csv.js'
import { cursorOf } from '../../server/cursor.js'
import { successText } from '../../server/envelope.js'
import { listRoute } from '../../server/list-route.js'
import { type Route, route } from '../../server/route.js'

const path = '/v1/claims'
const base = { access: 'secret', tag: 'Disbursements' } as const
const see = { ...base, permission: 'payouts.see' } as const
const change = { ...base, permission: 'payouts.create' } as const
const params = inPath('reference', referenceSample(prefixes.claim))
const wrongState = withReasons('claim_failed', 'invalid_state')

export function claimRoutes(api: ApiParts): Route[] {
  return [create(api), list(api), read(api), cancel(api), unlock(api)]
}

const body = withExample(
  closed({
    amount: Type.Union([koboInput, decimalInput], {
      description:
        'What the recipient gets: an integer in kobo for NGN; a decimal string for coins.',
      examples: [1_250_000],
    }),
    asset: Type.Optional(withDescription(anyAsset, 'What it is paid in. Default: NGN.')),
    description: claimDescriptionIn,
    ...claimTermsIn,
    merchantReference: Type.Optional(merchantReferenceIn),
    metadata: Type.Optional(metadataIn),
  }),
  {
    amount: 1_250_000,
    description: 'Refund of order 1001',
    recipientName: 'Ada Obi',
    merchantReference: 'refund-1001',
  },
)

const create = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path,
    requiresIdempotencyKey: true,
    stopsWhenSuspended: true,
    stepUp: 'live',
    operation: 'createClaim',
    summary: 'Create a claim',
    description:
      'Sets money aside for a recipient whose bank account or wallet you do not know. They enter it on the page of `url`, which is shown only here. Amount and the largest fee are held until the money is claimed, or the claim expires or is cancelled.',
    body,
    answers: { 201: claim },
    refusals: [
      'insufficient_balance',
      ...withReasons('claim_failed', 'duplicate_reference', 'balance_limit'),
      ...withReasons('bank_transfer_failed', 'rail_unavailable'),
      ...withReasons('crypto_transfer_failed', 'rail_unavailable'),
    ],
    async handle(request) {
      const { environment, now } = request
      const { secretWord, ...wanted } = readClaim(api, request)
      const feeMax = await api.payoutPreparation.findLargestCost({
        environment,
        kind: transferKindOf(wanted),
        amount: wanted.amount,
      })
      const word = secretWord === null ? null : await api.passwords.hash(secretWord)
      const token = newClaimToken()
      const prepared = prepareClaim(now, { ...wanted, feeMax, word }, token)
      const link = await writeLink(api, environment, token)
      return api.change(
        request,
        async (tx, realNow) => {
          const created = await createClaim(tx, realNow, prepared)
          mailClaimLink(tx, realNow, { ...link, claim: created })
          return created
        },
        (created) => ({
          ...successText(201, 'Claim created', showClaim(created, link.url)),
          holdsSecret: true,
        }),
        { isKept: true },
      )
    },
  })

/** The link of a claim, and the merchant as its recipient knows it. */
export async function writeLink(
  { db, baseUrl }: Pick<ApiParts, 'db' | 'baseUrl'>,
  environment: Environment,
  token: string,
): Promise<Omit<ClaimLink, 'claim'>> {
  const { checkout } = await getSettings(db, environment)
  const sender = {
    name: checkout.displayName,
    colour: checkout.colour,
    replyTo: checkout.supportEmail,
  }
  return { environment, sender, url: `${baseUrl()}/claim/${token}` }
}

type ClaimRequest = Parameters<typeof creatorOf>[0] & {
  environment: Environment
  now: Date
  body: Static<typeof body>
  bodyText: string
}

function readClaim(api: ApiParts, request: ClaimRequest) {
  const { environment, now, body: sent } = request
  const asset: Asset = sent.asset ?? 'NGN'
  const amount = readAnyAmount('amount', sent.amount, asset)
  if (typeof sent.amount === 'number')
    checkNairaLimits(api, { environment, body: { amount: sent.amount } })
  if (amount > limits.money.wireMax) throw invalidField('amount', 'is too large for one transfer')
  return {
    environmentId: environment.id,
    asset,
    amount,
    paymentId: null,
    rail: null,
    takesFrom: 'available' as const,
    description: sent.description,
    ...readClaimTerms(sent, now),
    merchantReference: sent.merchantReference ?? null,
    metadata: readMetadata(request),
    ...creatorOf(request),
  }
}

const list = ({ openPage }: ApiParts) =>
  listRoute(openPage, {
    ...see,
    path,
    operation: 'listClaims',
    summary: 'List claims',
    description: 'Returns claims, newest first. Send `Accept: text/csv` to export all of them.',
    title: 'Claims',
    filters: {
      status: Type.Optional(withStatus([...claimStatuses])),
      merchantReference: Type.Optional(merchantReferenceIn),
      ...timeFilters,
    },
    item: claim,
    columns: csvColumns(
      'reference',
      'merchantReference',
      'createdAt',
      'status',
      'asset',
      inBothUnits('amount', 'asset'),
      'description',
      'recipientName',
      'email',
      'payout',
      'expiresAt',
      'claimedAt',
      'endedAt',
      'metadata',
    ),
    cursor: cursorOf(prefixes.claim),
    toFilter: ({ query }) => ({
      ...readTimeRange(query),
      status: query.status as ClaimStatus | undefined,
      merchantReference: query.merchantReference,
    }),
    rows: claimList,
    show: (row) => showClaim(row),
  })

const read = ({ db }: ApiParts) =>
  route({
    ...see,
    method: 'GET',
    path: `${path}/:reference`,
    operation: 'getClaim',
    summary: 'Retrieve a claim',
    description: 'Returns the claim. Its link is shown only when it is created.',
    params,
    answers: { 200: claim },
    refusals: ['not_found'],
    async handle({ environment, params: { reference } }) {
      const found = await getClaim(db, { environmentId: environment.id, reference })
      return successText(200, 'Claim', showClaim(found))
    },
  })

const cancel = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/cancel`,
    operation: 'cancelClaim',
    summary: 'Cancel a claim',
    description:
      'The link of an open claim no longer works, and the money is available again; money of a payment is accepted or held again, which needs the permission `payments.decide`. Repeating it changes nothing.',
    params,
    answers: { 200: claim },
    refusals: ['not_found', ...wrongState],
    async handle(request) {
      const { environment, now, params, permissions } = request
      const name = { environmentId: environment.id, reference: params.reference }
      const { paymentId } = await getClaim(api.db, name)
      if (paymentId !== null && !permissions.has('payments.decide'))
        throw refuseUnseen(request, 'payments.decide')
      return api.change(
        request,
        (tx, realNow) => cancelClaim(tx, { now, realNow }, name, followReturns),
        (ended) => successText(200, 'Claim cancelled', showClaim(ended)),
      )
    },
  })

const unlock = (api: ApiParts) =>
  route({
    ...change,
    method: 'POST',
    path: `${path}/:reference/unlock`,
    operation: 'unlockClaim',
    summary: 'Unlock a claim',
    description: `After ${claimLimits.guessesMax} wrong secret words, or ${claimLimits.lookupsMax} accounts that were looked up, a claim is locked. This lets the recipient try again.`,
    params,
    answers: { 200: claim },
    refusals: ['not_found', ...wrongState],
    handle(request) {
      const { environment, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      return api.change(
        request,
        (tx) => unlockClaim(tx, name),
        (unlocked) => successText(200, 'Claim unlocked', showClaim(unlocked)),
      )
    },
  })
