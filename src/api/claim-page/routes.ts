import Type from 'typebox'
import { after, toEnvironmentTime } from '../../base/clock.js'
import type { Environment } from '../../base/environment.js'
import { Refusal, returnRefusal } from '../../base/refusal.js'
import type { Reason } from '../../base/refusals.js'
import { getEnvironmentById } from '../../merchants/environments.js'
import { getSettings } from '../../merchants/settings/settings.js'
import { findAddressBytes } from '../../money/solana-address.js'
import { type Claim, payoutKindOf } from '../../payouts/claims/claim.js'
import { countLookup, judgeWord } from '../../payouts/claims/count-tries.js'
import {
  type ClaimProblem,
  findClaimProblem,
  payClaim,
  toClaimDestination,
  toPayoutRequest,
} from '../../payouts/claims/pay-claim.js'
import { findClaimByToken } from '../../payouts/claims/store-claims.js'
import { claimLimits } from '../../payouts/limits.js'
import { payoutKinds, referenceOf } from '../../payouts/payout.js'
import type { Destination } from '../../payouts/ports.js'
import { findSavedRecipient } from '../../payouts/recipients/choose-recipient.js'
import { createPayoutReader } from '../../payouts/records/find-payouts.js'
import { answerPage, newNonce, redirectTo } from '../checkout-page/answer-page.js'
import { renderNotFound } from '../checkout-page/page.js'
import { formFields, textOf } from '../console/sign-in-pages.js'
import { accountNumberPattern, bankCodePattern } from '../parse/schemas.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { directoryOf } from '../routes/payouts/bank-transfers.js'
import { type Document, type Route, route } from '../server/route.js'
import {
  type ClaimScene,
  type Entry,
  emptyEntry,
  renderConfirmation,
  renderForm,
  renderProblem,
  renderTransfer,
} from './render.js'
import { claimTexts, type EntryProblem } from './texts.js'

const path = '/claim/:token'
const base = { access: 'open', isPage: true, tag: 'Disbursements', answers: {} } as const
const params = Type.Object({ token: Type.String() })

/**
 * The page on which the recipient of a claim says where to send the money. It works without script.
 * Forms of other sites are harmless: only a sender that knows the token can submit one, and no
 * cookie counts.
 */
export function claimPageRoutes(api: ApiParts): Route[] {
  return [showPage(api), submitEntry(api), confirmEntry(api)]
}

type Headers = Parameters<typeof answerPage>[0]['headers']

/** A claim that was found by its token, and what cannot be done about it now. */
type Visit = {
  scene: ClaimScene
  environment: Environment
  problem: ClaimProblem | undefined
  headers: Headers
}

/** Unknown and malformed tokens get the same page. */
async function withClaim(
  api: ApiParts,
  { token, headers }: { token: string; headers: Headers },
  answer: (visit: Visit) => Promise<Document>,
): Promise<Document> {
  const nonce = newNonce()
  const isToken = /^[\w-]{43}$/.test(token)
  const claim = isToken ? await findClaimByToken(api.db, token) : undefined
  if (!claim) {
    const text = renderNotFound(claimTexts, nonce)
    return answerPage({ headers }, { status: 404, text, nonce, hidesReferrer: true })
  }
  const environment = await getEnvironmentById(api.db, claim.environmentId)
  const { checkout: shop } = await getSettings(api.db, environment)
  const now = toEnvironmentTime(api.clock.now(), environment.clockOffsetMs)
  const isTest = environment.mode === 'test'
  return answer({
    scene: { claim, token, shop, isTest, nonce },
    environment,
    problem: findClaimProblem(claim, environment, now),
    headers,
  })
}

function show({ scene, headers }: Visit, text: string, status = 200): Promise<Document> {
  return answerPage({ headers }, { status, text, nonce: scene.nonce, hidesReferrer: true })
}

/** The page of a claim that cannot be claimed now. */
async function showProblem(api: ApiParts, visit: Visit, problem: ClaimProblem): Promise<Document> {
  const { scene } = visit
  if (problem !== 'claimed') return show(visit, renderProblem(scene, problem))
  const { environmentId, payoutId } = scene.claim
  const kind = payoutKindOf(scene.claim)
  const reference = referenceOf({ kind, id: payoutId! })
  const { payout } = await createPayoutReader(api.db)({ environmentId, kind, reference })
  const { status, destination } = payout
  // It failed after the claim was read, which opened the claim again in the same transaction.
  if (status === 'FAILED') return redirectToClaim(scene)
  return show(visit, renderTransfer(scene, { status, destination }))
}

function redirectToClaim({ token }: ClaimScene): Document {
  const location = `/claim/${token}`
  return redirectTo(location)
}

async function showForm(
  api: ApiParts,
  visit: Visit,
  { entry = emptyEntry, problem }: { entry?: Entry; problem?: EntryProblem } = {},
): Promise<Document> {
  const { scene, environment } = visit
  const isNaira = scene.claim.asset === 'NGN'
  const banks = isNaira ? await directoryOf(api, environment).listBanks() : []
  const { status, text } = renderForm(scene, { entry, banks, problem })
  return show(visit, text, status)
}

const showPage = (api: ApiParts) =>
  route({
    ...base,
    method: 'GET',
    path,
    operation: 'showClaim',
    summary: 'Show a claim',
    description: 'HTML that works without script. Reading it claims nothing: previews read it.',
    params,
    query: Type.Object({}),
    handle: ({ params: { token }, headers }) =>
      withClaim(api, { token, headers }, (visit) =>
        visit.problem ? showProblem(api, visit, visit.problem) : showForm(api, visit),
      ),
  })

const submitEntry = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path,
    takesForm: true,
    operation: 'enterClaimDestination',
    summary: 'Enter where a claim is paid',
    description: 'Checks the secret word, looks the account up and shows whose it is.',
    params,
    body: formFields,
    handle: ({ params: { token }, headers, body }) =>
      withClaim(api, { token, headers }, async (visit) => {
        const { problem, scene } = visit
        if (problem) return showProblem(api, visit, problem)
        const entry: Entry = {
          bankCode: textOf(body, 'bankCode').trim(),
          accountNumber: textOf(body, 'accountNumber').replace(/\s/g, ''),
          address: textOf(body, 'address').trim(),
        }
        const wanted = readDestination(scene.claim, entry)
        if (typeof wanted === 'string') return showForm(api, visit, { entry, problem: wanted })
        const word = await judgeWord(api, scene.claim, textOf(body, 'word').trim())
        if (word === 'wrong') return showForm(api, visit, { entry, problem: 'word' })
        if (word === 'locked' || !(await countLookup(api.db, scene.claim)))
          return showProblem(api, visit, 'locked')
        return lookUp(api, visit, { entry, wanted })
      }),
  })

/** What was entered as a destination, or what is wrong with it. */
function readDestination(
  claim: Claim,
  { bankCode, accountNumber, address }: Entry,
): Destination | EntryProblem {
  if (claim.asset !== 'NGN')
    return findAddressBytes(address) ? toClaimDestination(claim, { address }) : 'address'
  const isWhole =
    new RegExp(bankCodePattern).test(bankCode) &&
    new RegExp(accountNumberPattern).test(accountNumber)
  return isWhole ? toClaimDestination(claim, { bankCode, accountNumber }) : 'incomplete'
}

async function lookUp(
  api: ApiParts,
  visit: Visit,
  { entry, wanted }: { entry: Entry; wanted: Destination },
): Promise<Document> {
  const { scene, environment } = visit
  const request = toPayoutRequest(scene.claim, environment, wanted)
  const { refusal } = payoutKinds[request.kind]
  const saved = await findSavedRecipient(api.db, environment, wanted, refusal).catch(returnRefusal)
  if (saved instanceof Refusal) {
    const problem = wanted.kind === 'wallet' ? 'wallet' : 'account'
    return showForm(api, visit, { entry, problem })
  }
  const quote = await api.payoutPreparation.quote(request)
  if (quote instanceof Refusal) return showForm(api, visit, { entry, problem: problemOf(quote) })
  const { destination } = quote
  const ticket = sealTicket(api, scene.claim, destination)
  return show(visit, renderConfirmation(scene, { destination, ticket }))
}

/** What the recipient can correct. Everything else is between merchant and operator. */
const correctable: Partial<Record<Reason, EntryProblem>> = {
  unknown_bank: 'account',
  account_not_found: 'account',
  name_mismatch: 'account',
  destination_is_mint: 'wallet',
  destination_is_program: 'wallet',
  destination_not_a_wallet: 'wallet',
  destination_wrong_token: 'wallet',
  destination_frozen: 'wallet',
  destination_is_ours: 'wallet',
}

function problemOf({ reason }: Refusal): EntryProblem {
  return (reason && correctable[reason]) ?? 'temporary'
}

/** What the recipient was shown, sealed: only that can be confirmed, and only for a while. */
type Ticket = { claimId: string; destination: Destination; validUntilMs: number }

function sealTicket({ seal, clock }: ApiParts, { id }: Claim, destination: Destination): string {
  const validUntil = after(clock.now(), claimLimits.confirmWithinMs)
  const ticket: Ticket = { claimId: id, destination, validUntilMs: validUntil.getTime() }
  return seal.seal(JSON.stringify(ticket))
}

/** Undefined if it is not ours, of another claim, or too old. */
function openTicket({ seal, clock }: ApiParts, { id }: Claim, text: string): Ticket | undefined {
  let ticket: Ticket
  try {
    ticket = JSON.parse(seal.open(text))
  } catch {
    return undefined
  }
  return ticket.claimId === id && ticket.validUntilMs > clock.now().getTime() ? ticket : undefined
}

const confirmEntry = (api: ApiParts) =>
  route({
    ...base,
    method: 'POST',
    path: `${path}/confirm`,
    takesForm: true,
    operation: 'confirmClaim',
    summary: 'Claim the money',
    description: 'Pays to the account that was shown. Repeating it pays nothing again.',
    params,
    body: formFields,
    handle: ({ params: { token }, headers, body }) =>
      withClaim(api, { token, headers }, async (visit) => {
        const { problem, scene } = visit
        if (problem) return showProblem(api, visit, problem)
        const ticket = openTicket(api, scene.claim, textOf(body, 'ticket'))
        if (!ticket) return showForm(api, visit, { problem: 'late' })
        const { db, clock, payoutPreparation: preparation, sendPayout: send } = api
        try {
          await payClaim({ db, clock, preparation, send }, scene.claim, ticket.destination)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          // Another request was faster, or the merchant cancelled it: the page shows it.
          if (error.code !== 'claim_failed')
            return showForm(api, visit, { problem: problemOf(error) })
        }
        return redirectToClaim(scene)
      }),
  })
