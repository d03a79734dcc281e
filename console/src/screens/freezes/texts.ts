import type { FreezeKind } from './freeze'

/** Texts of freezes, on their page and in the dialogs that other pages open. */
export const freezeTexts = {
  title: 'Freezes',
  create: 'Freeze payouts…',
  ofRecipient: 'Freeze this recipient…',
  ofKey: 'Freeze this key…',
  ofMember: 'Freeze payouts of this member…',
  open: 'Frozen now',
  openCaption: 'What is frozen now, newest first',
  nothing:
    'Nothing is frozen. Freeze payouts at once if a key is stolen or a recipient is reported for fraud.',
  thawed: 'Thawed',
  thawedCaption: 'What was thawed, newest first',
  columns: { what: 'What', frozen: 'Frozen by', thawed: 'Thawed by', action: 'Action' },
  asked: (name: string) => `${name} asked to thaw it`,
  askedBefore: (name: string) => `Asked for by ${name}`,
  thaw: 'Thaw…',
  waits: {
    operator: 'Only the operator can thaw it.',
    self: 'Your own payouts are frozen, so two others must thaw them.',
    asked: 'You asked to thaw it. Another owner or admin must do it.',
  },
  form: {
    title: 'Freeze payouts',
    titleOf: (what: string) => `Freeze ${what.charAt(0).toLowerCase()}${what.slice(1)}?`,
    what: 'What to freeze',
    choose: 'Choose',
    kinds: {
      merchant: 'Everything',
      key: 'An API key',
      member: 'A member',
      recipient: 'A recipient',
      rail: 'A bank or chain',
    } satisfies Record<FreezeKind, string>,
    /** What is refused from then on. */
    effects: {
      merchant: 'Every payout is refused: transfers, refunds, settlements and batches.',
      key: 'Payouts of this key are refused, and of the keys that it was rolled into. Other requests with it work.',
      member:
        'Payouts, batches and claims that this member makes are refused. The member can still approve payouts of others: switch them off under Team if they must not.',
      recipient: 'Every payout to this account or wallet is refused.',
      rail: 'Payouts through this bank or chain are refused.',
    } satisfies Record<FreezeKind, string>,
    key: 'API key',
    noKey: 'No key has this name',
    member: 'Member',
    noMember: 'No member has this name',
    switchedOff: (name: string) => `${name} (disabled)`,
    recipientKind: 'Paid to',
    holder: (name: string) => `The bank names ${name}.`,
    rail: 'Bank or chain',
    banks: (name: string) => `Naira, through ${name}`,
    chain: 'USDC and USDT, on Solana',
    reason: 'Reason',
    reasonHint:
      'Your team reads it, and so do programs whose payouts are refused. Recipients do not.',
    reasonPlaceholder: 'A customer reports fraud',
    pending: 'Payouts that wait for approval keep waiting. Payouts on their way go on.',
    twoPeople: 'It takes two owners or admins to thaw. You can ask, but not thaw it yourself.',
    onlyOperator:
      'Fewer than two owners or admins could thaw this, so only the operator can. Invite a second one under Team.',
    mode: {
      test: 'In test mode only: live payouts go on.',
      live: 'In live mode only: test payouts go on.',
    },
    confirm: 'Freeze',
    done: 'Frozen',
  },
  thawDialog: {
    title: (what: string) => `Thaw ${what.charAt(0).toLowerCase()}${what.slice(1)}?`,
    steps: {
      ask: {
        text: 'This asks another owner or admin. Payouts stay frozen until one of them agrees.',
        confirm: 'Ask to thaw',
      },
      agree: {
        text: (name: string) =>
          `${name} asked to thaw it. If you agree, ${name} can thaw it. Payouts stay frozen until then.`,
        confirm: 'Agree',
      },
      thaw: {
        text: (name: string) =>
          `${name} asked to thaw it, and you are the second member: payouts can be sent again at once.`,
        confirm: 'Thaw now',
      },
    },
    frozen: (name: string, time: string) => `Frozen by ${name}, ${time}`,
    proof: 'Asks for your passkey, code or password.',
    asked: 'Asked. Another owner or admin must thaw it.',
    done: 'Thawed. Payouts can be sent again.',
  },
}
