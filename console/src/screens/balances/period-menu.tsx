import { Icon } from '../../parts/icons'
import { Menu, MenuItem } from '../../parts/menu'
import { currentTime } from '../../parts/time-format'
import { daysOfMonth, latestMonths, monthOfPeriod, nameDay, nameMonth, type Period } from './period'
import { balanceTexts as words } from './texts'

const monthsMax = 9

type Props = {
  period: Period
  onChange: (changed: Record<string, string | undefined>) => void
}

/** A month or everything. Other days are a filter beside it. */
export function PeriodMenu({ period, onChange }: Props) {
  const now = currentTime()
  const [thisMonth, ...before] = latestMonths(monthsMax, now)
  return (
    <Menu
      position="bottom-start"
      width={220}
      button={
        <button
          type="button"
          className="filter selected"
          aria-label={`${words.period}: ${describe(period)}`}
        >
          {describe(period)}
          <Icon name="chevron" size={14} />
        </button>
      }
    >
      <MenuItem onClick={() => onChange({ from: undefined, to: undefined, period: undefined })}>
        {nameMonth(thisMonth!)}
      </MenuItem>
      {before.map((month) => (
        <MenuItem
          key={month}
          onClick={() => onChange({ ...daysOfMonth(month), period: undefined })}
        >
          {nameMonth(month)}
        </MenuItem>
      ))}
      <MenuItem onClick={() => onChange({ from: undefined, to: undefined, period: 'all' })}>
        {words.allTime}
      </MenuItem>
    </Menu>
  )

  function describe(shown: Period): string {
    const { from, to } = shown
    if (!from && !to) return words.allTime
    const month = monthOfPeriod(shown)
    if (month) return nameMonth(month)
    return [from, to].map((day) => (day ? nameDay(day) : '…')).join(' – ')
  }
}
