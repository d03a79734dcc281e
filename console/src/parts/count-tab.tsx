import './tabs.css'
import { useEffect, useRef } from 'react'

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
