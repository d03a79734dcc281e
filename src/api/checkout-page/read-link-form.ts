import { emailPattern } from '../../base/contact-patterns.js'
import { limits } from '../../base/limits.js'
import { paymentLinkLimits } from '../../collections/limits.js'
import type { PaymentLink } from '../../collections/links/link.js'
import { isVisible, visibleText } from '../../merchants/settings/settings-document.js'
import { parseMoney } from '../../money/amounts.js'
import { linkTexts } from './link-texts.js'

const { problems } = linkTexts

/** Names of the inputs. */
export const inputs = {
  amount: 'amount',
  name: 'name',
  email: 'email',
  field: (index: number) => `field-${index}`,
}

/** What a payer wants to pay, and who it is. */
type LinkPayer = {
  amount: bigint
  name: string
  email: string
  /** By label; questions without an answer are left out. */
  answers: Record<string, string>
}

/** Issues by the name of the input; none: the payer can continue. */
export type LinkForm =
  | { payer: LinkPayer }
  | { values: Record<string, string>; issues: Map<string, string> }

type AskedLink = Pick<PaymentLink, 'amount' | 'amountMin' | 'amountMax' | 'fields'>

/** Reads what a payer sent. `naira` are the operator's limits, which hold beside the link's own. */
export function readLinkForm(
  link: AskedLink,
  naira: { min: bigint; max: bigint },
  sent: Record<string, unknown>,
): LinkForm {
  const values: Record<string, string> = {}
  const issues = new Map<string, string>()
  const read = (name: string, judge: (text: string) => string | undefined): string => {
    const value = sent[name]
    const text = typeof value === 'string' ? value.trim() : ''
    values[name] = text
    const issue = judge(text)
    if (issue !== undefined) issues.set(name, issue)
    return text
  }
  const amount = link.amount ?? readAmount()
  const name = read(inputs.name, (text) => judgeText(text, limits.names.length, problems.name))
  const email = read(inputs.email, judgeEmail)
  const answers = link.fields.map(({ label, required }, index) => {
    const { answerLengthMax } = paymentLinkLimits
    const answer = read(inputs.field(index), (text) =>
      text === '' && !required ? undefined : judgeText(text, answerLengthMax, problems.missing),
    )
    return [label, answer] as const
  })
  if (issues.size > 0) return { values, issues }
  const given = Object.fromEntries(answers.filter(([, answer]) => answer !== ''))
  return { payer: { amount: amount!, name, email, answers: given } }

  function readAmount(): bigint | undefined {
    const text = read(inputs.amount, (typed) => judgeAmount(link, naira, typed))
    const kobo = parseMoney(text, 'NGN')
    return typeof kobo === 'bigint' ? kobo : undefined
  }
}

function judgeAmount(
  { amountMin, amountMax }: AskedLink,
  naira: { min: bigint; max: bigint },
  text: string,
): string | undefined {
  const kobo = parseMoney(text, 'NGN')
  if (typeof kobo !== 'bigint') return problems.amount
  const min = amountMin !== null && amountMin > naira.min ? amountMin : naira.min
  const max = amountMax !== null && amountMax < naira.max ? amountMax : naira.max
  if (kobo < min) return problems.tooLittle(min)
  return kobo > max ? problems.tooMuch(max) : undefined
}

function judgeText(text: string, lengthMax: number, missing: string): string | undefined {
  if (text === '') return missing
  if (!new RegExp(visibleText).test(text) || !isVisible(text)) return problems.unreadable
  return text.length > lengthMax ? problems.tooLong(lengthMax) : undefined
}

function judgeEmail(text: string): string | undefined {
  const isShort = text.length <= limits.checkout.emailLengthMax
  return isShort && new RegExp(emailPattern).test(text) ? undefined : problems.email
}
