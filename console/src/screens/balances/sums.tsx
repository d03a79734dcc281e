import type { StatementSummary } from '../../../../sdk/src/types'
import { formatMoney, toUnits } from '../../parts/money-format'
import { texts } from '../../texts/en'
import { nameDay, type Period } from './period'

const words = texts.balances.sums

/** Opening, what changed it, and closing balance of a period. */
export function Sums({ summary, period }: { summary: StatementSummary; period: Period }) {
  const { asset } = summary
  const units = (amount: number | string) => toUnits(amount, asset)
  const signed = (amount: bigint) => `${amount > 0n ? '+' : ''}${formatMoney(amount, asset)}`
  const released = units(summary.released)
  const lines: [string, string][] = [
    [
      period.from ? words.openingOn(nameDay(period.from)) : words.openingFirst,
      formatMoney(summary.opening, asset),
    ],
    [words.received, signed(units(summary.in))],
    [words.paidOut, signed(-units(summary.out))],
    [words.fees, signed(-units(summary.fees))],
    ...(released === 0n ? [] : [[words.released, signed(released)] as [string, string]]),
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
    return <span className="down">{texts.balances.proofFailed(number(brokenAt))}</span>
  return <>{texts.balances.proof(number(firstNumber), number(lastNumber))}</>
}
