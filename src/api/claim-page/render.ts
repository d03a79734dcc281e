import { type Html, html } from '../../base/html.js'
import type { Settings } from '../../merchants/settings/settings-document.js'
import type { Claim } from '../../payouts/claims/claim.js'
import type { ClaimProblem } from '../../payouts/claims/pay-claim.js'
import { claimLimits } from '../../payouts/limits.js'
import type { Destination } from '../../payouts/ports.js'
import { renderSheet } from '../checkout-page/page.js'
import { signs } from '../checkout-page/signs.js'
import { showMoney } from '../checkout-page/texts.js'
import {
  claimTexts,
  type EntryProblem,
  entryProblems,
  problemTexts,
  transferTexts,
} from './texts.js'

/** A claim as its page shows it. */
export type ClaimScene = {
  claim: Claim
  token: string
  shop: Settings['checkout']
  isTest: boolean
  nonce: string
}

/** What the recipient typed, to be corrected. The secret word is never shown again. */
export type Entry = { bankCode: string; accountNumber: string; address: string }

export const emptyEntry: Entry = { bankCode: '', accountNumber: '', address: '' }

/** Inputs are as tall as buttons, and large enough that phones do not zoom in. */
const styles = `
.entry{display:grid;gap:1rem}
.entry label{display:grid;gap:.35rem;font-weight:600;font-size:.9375rem}
.entry label span{font-weight:400;color:var(--soft);font-size:.875rem}
.entry input,.entry select{font:inherit;font-size:1rem;font-weight:400;width:100%;
  min-height:3rem;min-width:0;
  padding:.5rem .75rem;border:1px solid var(--edge);border-radius:.85rem;
  background:var(--card);color:var(--ink)}
.entry input:focus-visible,.entry select:focus-visible{outline:3px solid var(--brand);
  outline-offset:2px}
.problem{background:var(--bad-wash);color:var(--bad);border-radius:1rem;padding:.85rem 1rem;
  font-weight:600}
`.replace(/\n\s*/g, '')

function renderScene(scene: ClaimScene, { title, main }: { title: string; main: Html }): string {
  const { shop, isTest, nonce, claim } = scene
  return renderSheet({
    texts: claimTexts,
    nonce,
    title: `${title} · ${shop.displayName}`,
    main,
    shop,
    isTest,
    methods: claim.asset === 'NGN' ? 'Pays you by bank transfer' : `Pays you in ${claim.asset}`,
    styles,
  })
}

function renderAmount({ claim, shop }: ClaimScene): Html {
  const { amount, asset, description, recipientName } = claim
  const greeting = recipientName
    ? `${recipientName}, ${shop.displayName} has money for you`
    : `${shop.displayName} has money for you`
  return html`<h1>${greeting}<span class="amount long">${showMoney(amount, asset)}</span></h1>
    <p class="for">${description}</p>`
}

/** The form in which the recipient says where to send the money. */
export function renderForm(
  scene: ClaimScene,
  { entry, banks, problem }: FormState,
): { status: number; text: string } {
  const { claim, token } = scene
  const fields =
    claim.asset === 'NGN' ? renderBankFields(banks, entry) : renderWalletField(claim, entry)
  const main = html`<main>${renderAmount(scene)}
    ${
      claim.openings > 1 &&
      !problem &&
      html`<div class="note"><h2>The last transfer failed</h2><p>No money was lost. Check where it
        should go and try again.</p></div>`
    }
    ${problem && html`<p class="problem" role="alert">${entryProblems[problem]}</p>`}
    <form class="entry" method="post" action="/claim/${token}" autocomplete="off">${fields}
    ${claim.wordHash !== null && renderWordField()}
    <button class="primary">Continue</button></form>
    <p class="small soft">Claim it by ${formatTime(claim.expiresAt)}. You pay no fee.
    We never ask for a PIN or password.</p></main>`
  return {
    status: problem === undefined ? 200 : 422,
    text: renderScene(scene, { title: 'Claim your money', main }),
  }
}

type FormState = {
  entry: Entry
  /** Banks that can be paid; empty for coins. */
  banks: readonly { code: string; name: string }[]
  problem?: EntryProblem | undefined
}

function renderBankFields(banks: FormState['banks'], { bankCode, accountNumber }: Entry): Html {
  return html`<label>Your bank<select name="bankCode" required>
      <option value="">Choose your bank</option>${banks.map(
        ({ code, name }) =>
          html`<option value="${code}"${code === bankCode && html` selected`}>${name}</option>`,
      )}</select></label>
    <label>Account number<span>Ten digits</span><input name="accountNumber" inputmode="numeric"
      pattern="[0-9]{10}" maxlength="10" required value="${accountNumber}"></label>`
}

function renderWalletField({ asset }: Claim, { address }: Entry): Html {
  return html`<label>Your Solana wallet<span>The address at which you receive ${asset} on Solana.
    Coins that are sent to a wrong address are lost.</span><input name="address" maxlength="44"
    required spellcheck="false" autocapitalize="off" value="${address}"></label>`
}

function renderWordField(): Html {
  return html`<label>Secret word<span>The sender told it to you. After ${claimLimits.guessesMax}
    wrong words the link is locked.</span><input name="word" required
    maxlength="${claimLimits.wordLengthMax}" autocapitalize="off" spellcheck="false"></label>`
}

/** Shows whose account it is, before anything is sent. */
export function renderConfirmation(
  scene: ClaimScene,
  { destination, ticket }: { destination: Destination; ticket: string },
): string {
  const { claim, token } = scene
  const isBank = destination.kind === 'bank_account'
  const rows: [string, string][] = isBank
    ? [
        ['Name', destination.accountName],
        ['Account number', destination.accountNumber],
        ['Bank', destination.bankName],
      ]
    : [['Wallet', destination.address]]
  const question = isBank ? 'Is this your account?' : 'Is this your wallet?'
  const main = html`<main>${renderAmount(scene)}
    <section class="receipt"><h2>${question}</h2><dl class="card">${rows.map(
      ([name, value]) =>
        html`<div class="row${!isBank && ' code'}"><dt>${name}</dt>
          <dd${!isBank && html` class="address"`}>${value}</dd></div>`,
    )}</dl></section>
    <form class="entry" method="post" action="/claim/${token}/confirm">
    <input type="hidden" name="ticket" value="${ticket}">
    <button class="primary">Send me ${showMoney(claim.amount, claim.asset)}</button></form>
    <div class="links"><a href="/claim/${token}">No, change it</a></div></main>`
  return renderScene(scene, { title: question, main })
}

/** A claim that was claimed, with the transfer that pays it. */
export function renderTransfer(
  scene: ClaimScene,
  { status, destination }: { status: keyof typeof transferTexts; destination: Destination },
): string {
  const { claim, shop } = scene
  const { title, body } = transferTexts[status](shop.displayName)
  const { sign, icon } = looks[status]
  const main = html`<main class="message"><div class="sign ${sign}">${icon}</div>
    <h1>${title}</h1><p class="words">${body}</p>
    <dl class="card">
    <div class="row"><dt>Amount</dt><dd>${showMoney(claim.amount, claim.asset)}</dd></div>
    <div class="row"><dt>To</dt><dd>${maskDestination(destination)}</dd></div>
    <div class="row"><dt>For</dt><dd>${claim.description}</dd></div></dl></main>`
  return renderScene(scene, { title, main })
}

const looks = {
  PENDING: { sign: 'warn', icon: signs.expired },
  SUBMITTED: { sign: 'wait', icon: signs.waiting },
  COMPLETED: { sign: 'good', icon: signs.paid },
  REVERSED: { sign: 'warn', icon: signs.refunded },
} as const

/** The page is visible to anyone with the link. */
function maskDestination(destination: Destination): string {
  if (destination.kind === 'wallet')
    return `${destination.address.slice(0, 4)}…${destination.address.slice(-4)}`
  return `${destination.bankName} ••••${destination.accountNumber.slice(-4)}`
}

export function renderProblem(
  scene: ClaimScene,
  problem: Exclude<ClaimProblem, 'claimed'>,
): string {
  const { title, body } = problemTexts[problem](scene.shop.displayName)
  const main = html`<main class="message"><div class="sign warn">${signs.expired}</div>
    <h1>${title}</h1><p class="words">${body}</p></main>`
  return renderScene(scene, { title, main })
}

/** Of Lagos, where recipients are. */
const timeFormat = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Lagos',
  dateStyle: 'long',
  timeStyle: 'short',
})

function formatTime(time: Date): string {
  return timeFormat.format(time)
}
