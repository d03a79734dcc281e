import './tabs.css'
import { type ReactNode, useEffect, useRef } from 'react'

type Props = {
  name: string
  count: number | string | undefined
  /** What they add up to. */
  sum?: string | undefined
  isOn: boolean
  onClick: () => void
}

/** A filter that shows how many rows it has. */
export function CountTab({ name, count, sum, isOn, onClick }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  // Phones show a part of the row: the chosen one must be in it. The page itself does not scroll.
  useEffect(() => {
    const row = button.current?.parentElement
    if (!isOn || !button.current || !row) return
    const { right } = button.current.getBoundingClientRect()
    row.scrollLeft += Math.max(0, right - row.getBoundingClientRect().right)
  }, [isOn])
  return (
    <button
      ref={button}
      type="button"
      className={isOn ? 'count-tab selected' : 'count-tab'}
      aria-pressed={isOn}
      onClick={onClick}
    >
      <span className="soft small">{name}</span>
      <b>{count === undefined ? '–' : formatCount(count)}</b>
      {sum && <span className="soft small">{sum}</span>}
    </button>
  )
}

/** `1,284`, or `10,000+` if the server counted no further. */
export function formatCount(count: number | string): string {
  if (typeof count === 'number') return count.toLocaleString('en')
  return `${Number.parseInt(count, 10).toLocaleString('en')}+`
}

export const CountTabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="count-tabs" role="group" aria-label={label}>
    {children}
  </div>
)

type Counted = { count: number | string | undefined; sum?: string | undefined }

type StatusTabsProps<Value extends string> = {
  words: { statuses: string; all: string }
  statuses: readonly Value[]
  names: Record<Value, string>
  /** Absent: all of them. */
  chosen: string | undefined
  onChoose: (status: Value | undefined) => void
  /** Of all of them if there is no status. */
  countOf: (status?: Value) => Counted
}

/** All rows, or those with one status. */
export function StatusTabs<Value extends string>(props: StatusTabsProps<Value>) {
  const { words, statuses, names, chosen, onChoose, countOf } = props
  return (
    <CountTabs label={words.statuses}>
      {[undefined, ...statuses].map((status) => (
        <CountTab
          key={status ?? ''}
          name={status ? names[status] : words.all}
          {...countOf(status)}
          isOn={chosen === status}
          onClick={() => onChoose(status)}
        />
      ))}
    </CountTabs>
  )
}
