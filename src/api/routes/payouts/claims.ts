import Type, { type Static } from 'typebox'
import { after, day } from '../../../base/clock.js'
import { emailPattern } from '../../../base/contact-patterns.js'
import type { Environment } from '../../../base/environment.js'
import { prefixes } from '../../../base/ids.js'
import { limits } from '../../../base/limits.js'
import { invalidField } from '../../../base/refusal.js'
import { anyAsset, referenceSample, withDescription, withExample } from '../../../base/shapes.js'
import { getSettings } from '../../../merchants/settings/settings.js'
import type { Asset } from '../../../money/assets.js'
import { type ClaimStatus, claimStatuses, payoutKindOf } from '../../../payouts/claims/claim.js'
import { mailClaimLink } from '../../../payouts/claims/claim-mails.js'
import { createClaim, newClaimToken } from '../../../payouts/claims/create-claim.js'
import { cancelClaim, unlockClaim } from '../../../payouts/claims/end-claims.js'
import { claim, showClaim } from '../../../payouts/claims/resource.js'
import { claimList, getClaim } from '../../../payouts/claims/store-claims.js'
import { claimLimits } from '../../../payouts/limits.js'
import { creatorOf } from '../../auth/creator-of.js'
import { withReasons } from '../../openapi/refusals-of.js'
import { merchantReferenceIn, metadataIn, readMetadata } from '../../parse/metadata.js'
import { checkNairaLimits } from '../../parse/naira-limits.js'
import { readAnyAmount } from '../../parse/read-coins.js'
import { readTimeRange } from '../../parse/read-filters.js'
import { readTimeTo, timeIn } from '../../parse/read-time.js'
import {
  closed,
  decimalInput,
  inPath,
  koboInput,
  plainText,
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
    description: Type.String({
      minLength: 1,
      maxLength: claimLimits.descriptionLengthMax,
      pattern: plainText,
      description: 'Why the recipient gets it. The page shows it.',
      examples: ['Refund of order 1001'],
    }),
    recipientName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.names.length,
        pattern: plainText,
        description: 'Name of the recipient. The page greets them with it.',
        examples: ['Ada Obi'],
      }),
    ),
    email: Type.Optional(
      Type.String({
        maxLength: limits.checkout.emailLengthMax,
        pattern: emailPattern,
        description: 'Where to send the link. Without it, send the link yourself.',
        examples: ['ada@example.com'],
      }),
    ),
    secretWord: Type.Optional(
      Type.String({
        minLength: claimLimits.wordLengthMin,
        maxLength: claimLimits.wordLengthMax,
        pattern: plainText,
        description:
          'A word that the recipient must know to claim the money. Case matters, blanks around it do not. Tell it to them by another way than the link. It is stored as a hash.',
        examples: ['harmattan'],
      }),
    ),
    expiresAt: Type.Optional(
      timeIn(
        `Until when it can be claimed. A date includes that day in Lagos. Default: in ${claimLimits.expiresAfterMs / day} days; at most in a year.`,
      ),
    ),
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
      const wanted = readClaim(api, request)
      const secretWord = readSecretWord(request.body)
      const feeMax = await api.payoutPreparation.findLargestCost({
        environment,
        kind: payoutKindOf(wanted),
        amount: wanted.amount,
      })
      const word = secretWord === undefined ? null : await api.passwords.hash(secretWord)
      const token = newClaimToken()
      const url = `${api.baseUrl()}/claim/${token}`
      const { checkout } = await getSettings(api.db, environment)
      const sender = {
        name: checkout.displayName,
        colour: checkout.colour,
        replyTo: checkout.supportEmail,
      }
      return api.change(
        request,
        async (tx, realNow) => {
          const created = await createClaim(
            tx,
            { now, realNow },
            { ...wanted, feeMax, word },
            token,
          )
          mailClaimLink(tx, realNow, { claim: created, environment, sender, url })
          return created
        },
        (created) => ({
          ...successText(201, 'Claim created', showClaim(created, url)),
          holdsSecret: true,
        }),
        { isKept: true },
      )
    },
  })

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
    description: sent.description,
    recipientName: sent.recipientName ?? null,
    email: sent.email ?? null,
    merchantReference: sent.merchantReference ?? null,
    metadata: readMetadata(request),
    expiresAt: readExpiry(sent.expiresAt, now),
    ...creatorOf(request),
  }
}

/** Trimmed, as the page trims what the recipient enters. */
function readSecretWord({ secretWord }: Static<typeof body>): string | undefined {
  const word = secretWord?.trim()
  if (word !== undefined && word.length < claimLimits.wordLengthMin)
    throw invalidField(
      'secretWord',
      `must have at least ${claimLimits.wordLengthMin} characters without surrounding blanks`,
    )
  return word
}

function readExpiry(text: string | undefined, now: Date): Date {
  if (text === undefined) return after(now, claimLimits.expiresAfterMs)
  const expiresAt = readTimeTo('expiresAt', text)
  if (expiresAt <= now) throw invalidField('expiresAt', 'must be in the future')
  if (expiresAt > after(now, claimLimits.expiresAfterMaxMs))
    throw invalidField('expiresAt', 'must be at most a year ahead')
  return expiresAt
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
      'The link of an open claim no longer works, and the money is available again. Repeating it changes nothing.',
    params,
    answers: { 200: claim },
    refusals: ['not_found', ...wrongState],
    handle(request) {
      const { environment, now, params } = request
      const name = { environmentId: environment.id, reference: params.reference }
      return api.change(
        request,
        (tx, realNow) => cancelClaim(tx, { now, realNow }, name),
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
