import { frameTexts } from '../../frame/texts'
import { type Asset, formatMoney } from '../../parts/money-format'
import { wordOf } from '../../texts/status'
import { auditTexts as words } from './texts'

type Fields = Record<string, unknown>

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** Undefined: the line is from before amounts were recorded, or is not about money. */
function moneyOf({ amount, currency }: Fields): string | undefined {
  const isAmount = typeof amount === 'number' || typeof amount === 'string'
  const isKnown = currency === 'NGN' || currency === 'USDC' || currency === 'USDT'
  return isAmount && isKnown ? formatMoney(amount, currency as Asset) : undefined
}

/** What a line of the log says: `Approved a payout of ₦2,500,000.00 to ADA OBI, GTBank`. */
export function describeLine({ action, details }: { action: string; details: Fields }): string {
  const about = fieldsOf(details.about)
  const body = fieldsOf(details.body)
  const money = moneyOf(about)
  const email = textOf(details.email)
  const sentence =
    (money && words.ofMoney[action]) || (email && words.ofPeople[action]) || words.ofFreezes[action]
  if (!sentence) return words.action(action)
  const { currency } = about
  return sentence({
    money: money ?? '',
    part: moneyOf({ amount: body.amount, currency }),
    to: [textOf(about.to), textOf(about.bank)].filter(Boolean).join(', '),
    payer: textOf(about.payer) ?? '',
    batch: textOf(about.batch) ?? '',
    reason: textOf(body.reason) ?? '',
    isReturn: body.action === 'return',
    isProposed: details.isProposed === true,
    email: email ?? '',
    role: roleOf(details.role),
  })
}

function roleOf(role: unknown): string {
  const name = textOf(role) ?? ''
  return (frameTexts.roles as Record<string, string>)[name] ?? wordOf(name)
}
