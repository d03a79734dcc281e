import type { ClaimProblem } from '../../payouts/claims/pay-claim.js'
import { claimLimits } from '../../payouts/limits.js'
import type { PayoutStatus } from '../../payouts/payout.js'
import { english, type Texts } from '../checkout-page/texts.js'

/** Texts of the frame, and of pages about failures. */
export const claimTexts: Texts = {
  ...english,
  notFound: {
    title: 'Link not found',
    body: 'The link may be incomplete. Open it again from where you got it, or ask the sender for a new one.',
  },
  refused: {
    title: "This request isn't allowed",
    body: 'Nothing was changed. Please open the link again.',
  },
}

type Message = { title: string; body: string }

/** Why nothing can be claimed. A claim that was claimed shows its transfer instead. */
export const problemTexts: Record<Exclude<ClaimProblem, 'claimed'>, (shop: string) => Message> = {
  expired: (shop) => ({
    title: 'This link has expired',
    body: `The time to claim the money is over. Ask ${shop} for a new link.`,
  }),
  cancelled: (shop) => ({
    title: 'This link was cancelled',
    body: `${shop} took the offer back. Ask them if this is a surprise.`,
  }),
  locked: (shop) => ({
    title: 'This link is locked',
    body: `There were too many tries. The money is safe. Ask ${shop} to unlock the link.`,
  }),
  suspended: (shop) => ({
    title: 'Not possible right now',
    body: `${shop} cannot pay at the moment. Nothing was lost: try again later, or ask them.`,
  }),
}

/** What became of a claim, by the state of its transfer. A failed one opens the claim again. */
export const transferTexts: Record<Exclude<PayoutStatus, 'FAILED'>, (shop: string) => Message> = {
  PENDING: (shop) => ({
    title: 'Waiting for approval',
    body: `A second person at ${shop} has to approve the transfer. You need not do anything.`,
  }),
  SUBMITTED: () => ({
    title: 'On its way',
    body: 'The transfer was submitted. It usually arrives within minutes.',
  }),
  COMPLETED: () => ({ title: 'Paid', body: 'The money has arrived.' }),
  REVERSED: (shop) => ({
    title: 'Sent back',
    body: `The bank returned the money to ${shop}. Ask them for a new link.`,
  }),
}

/** What the recipient can correct. */
export const entryProblems = {
  word: `This is not the secret word. After ${claimLimits.guessesMax} wrong words the link is locked.`,
  account: 'No account with this number was found at this bank. Check both.',
  wallet: 'This wallet cannot be paid. Check the address: it must be a Solana wallet of your own.',
  incomplete: 'Choose your bank and enter the ten digits of your account number.',
  address: 'Enter the address of a Solana wallet: 32 to 44 letters and digits.',
  late: 'You took a while, so please enter it again.',
  temporary: 'This is not possible right now. Nothing was sent. Please try again in a few minutes.',
} as const

export type EntryProblem = keyof typeof entryProblems
