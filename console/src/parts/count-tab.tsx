type Props = {
  name: string
  count: number | string | undefined
  isOn: boolean
  onClick: () => void
}

/** A filter that shows how many rows it has. */
export function CountTab({ name, count, isOn, onClick }: Props) {
  return (
    <button type="button" className={isOn ? 'st on' : 'st'} aria-pressed={isOn} onClick={onClick}>
      <span className="soft sm">{name}</span>
      <b>{count === undefined ? '–' : formatCount(count)}</b>
    </button>
  )
}

/** `1,284`, or `10,000+` if the server counted no further. */
export function formatCount(count: number | string): string {
  if (typeof count === 'number') return count.toLocaleString('en')
  return `${Number.parseInt(count, 10).toLocaleString('en')}+`
}
