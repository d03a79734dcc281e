import Type, { type Static } from 'typebox'
import { prefixes } from '../../base/ids.js'
import { invalidField, Refusal, returnRefusal } from '../../base/refusal.js'
import { referenceSample, withExample } from '../../base/shapes.js'
import type { Claim } from '../../payouts/claims/claim.js'
import { payClaim, toClaimDestination } from '../../payouts/claims/pay-claim.js'
import { claim, showClaim } from '../../payouts/claims/resource.js'
import { getClaim } from '../../payouts/claims/store-claims.js'
import type { Destination } from '../../payouts/ports.js'
import { bankRefusalReasons, chainRefusalReasons, withReasons } from '../openapi/refusals-of.js'
import { readAddress, solanaAddress } from '../parse/read-address.js'
import { readAccountOrWallet } from '../parse/read-recipient.js'
import { accountNumberPattern, bankCodePattern, closed, inPath } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { commitRefusal } from '../pipeline/create-resource.js'
import { successText } from '../server/envelope.js'
import { route } from '../server/route.js'

const body = withExample(
  closed({
    bankCode: Type.Optional(
      Type.String({
        pattern: bankCodePattern,
        description: 'For NGN: code of the bank, as listed by `GET /v1/banks`.',
        examples: ['058'],
      }),
    ),
    accountNumber: Type.Optional(
      Type.String({
        pattern: accountNumberPattern,
        description: 'For NGN: ten-digit account number.',
        examples: ['0123456789'],
      }),
    ),
    address: Type.Optional(solanaAddress),
  }),
  { bankCode: '058', accountNumber: '0123456789' },
)

export const claimTestMoney = (api: ApiParts) =>
  route({
    method: 'POST',
    path: '/v1/test/claims/:reference/claim',
    access: 'secret',
    isTestOnly: true,
    permission: 'payouts.create',
    operation: 'claimTestMoney',
    summary: 'Claim money as its recipient',
    description:
      'Does what the recipient does on the page of a claim, without the secret word: claims the money for a bank account, or for a wallet if the claim is in coins. A claim that was claimed already is returned as it is.',
    tag: 'Test mode',
    params: inPath('reference', referenceSample(prefixes.claim)),
    body,
    answers: { 200: claim },
    refusals: [
      'not_found',
      'insufficient_balance',
      ...withReasons('claim_failed', 'invalid_state'),
      ...withReasons(
        'payment_action_failed',
        'duplicate_reference',
        ...new Set([...bankRefusalReasons, ...chainRefusalReasons]),
      ),
      ...withReasons('bank_transfer_failed', 'duplicate_reference', ...bankRefusalReasons),
      ...withReasons('crypto_transfer_failed', 'duplicate_reference', ...chainRefusalReasons),
    ],
    async handle(request) {
      const { db, clock, payoutPreparation: preparation, sendPayout: send } = api
      const name = { environmentId: request.environment.id, reference: request.params.reference }
      const found = await getClaim(db, name)
      const destination = readDestination(found, request.body)
      // A repeat, whose first answer may have been lost: the page shows the transfer then, too.
      if (found.status !== 'CLAIMED') {
        const dependencies = { db, clock, preparation, send }
        const paid = await payClaim(dependencies, found, destination).catch(returnRefusal)
        if (paid instanceof Refusal) return commitRefusal(api, request, paid)
      }
      return api.change(
        request,
        (tx) => getClaim(tx, name),
        (claimed) => successText(200, 'Money claimed', showClaim(claimed)),
      )
    },
  })

function readDestination(claim: Claim, entered: Static<typeof body>): Destination {
  const named = readAccountOrWallet(entered)
  const wanted = claim.asset === 'NGN' ? 'bank_account' : 'wallet'
  if (named.kind !== wanted)
    throw invalidField(
      wanted === 'wallet' ? 'address' : 'accountNumber',
      `is required: the claim is in ${claim.asset}`,
    )
  return toClaimDestination(
    claim,
    named.kind === 'wallet' ? { address: readAddress(named.address, 'address') } : named,
  )
}
