import type { StatementSummary } from '../../../../sdk/src/types'
import { formatMoney, toUnits } from '../../parts/money-format'
import { nameDay, type Period } from './period'
import { balanceTexts } from './texts'

const words = balanceTexts.sums

type Props = {
  summary: StatementSummary
  period: Period
  /** What the money that was moved is called on the statement of a sub-account. */
  movedName?: string
}

/** Opening, what changed it, and closing balance of a period. */
export function Sums({ summary, period, movedName = words.moved }: Props) {
  const { asset } = summary
  const units = (amount: number | string) => toUnits(amount, asset)
  const signed = (amount: bigint) => `${amount > 0n ? '+' : ''}${formatMoney(amount, asset)}`
  const setAside = units(summary.setAside)
  const changes: [string, bigint][] = [
    [words.received, units(summary.received)],
    [words.added, units(summary.added)],
    [words.converted, units(summary.converted)],
    [movedName, -units(summary.moved)],
    [words.refunded, -units(summary.refunded)],
    [words.paidOut, -units(summary.paidOut)],
    [words.fees, -units(summary.fees)],
    [words.levies, -units(summary.levies)],
    [setAside < 0n ? words.setAsideBefore : words.setAside, -setAside],
  ]
  const always = [words.received, words.paidOut, words.fees]
  const lines: [string, string][] = [
    [
      period.from ? words.openingOn(nameDay(period.from)) : words.openingFirst,
      formatMoney(summary.opening, asset),
    ],
    ...changes
      .filter(([name, amount]) => amount !== 0n || always.includes(name))
      .map(([name, amount]): [string, string] => [name, signed(amount)]),
    [
      period.to ? words.closingOn(nameDay(period.to)) : words.closingNow,
      formatMoney(summary.closing, asset),
    ],
  ]
  return (
    <dl className="sums">
      {lines.map(([name, amount]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{amount}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The line that says what the numbers of the statement prove. */
export function Proof({ summary, brokenAt }: { summary: StatementSummary; brokenAt?: number }) {
  const { firstNumber, lastNumber } = summary
  if (firstNumber === null || lastNumber === null) return null
  const number = (value: number) => value.toLocaleString('en')
  if (brokenAt !== undefined)
    return <span className="down">{balanceTexts.proofFailed(number(brokenAt))}</span>
  return <>{balanceTexts.proof(number(firstNumber), number(lastNumber))}</>
}
