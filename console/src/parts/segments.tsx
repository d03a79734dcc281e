type Props<Value extends string> = {
  label: string
  value: Value
  options: Record<Value, string>
  onChange: (value: Value) => void
}

/** A choice among a few, all shown. */
export function Segments<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  return (
    <span className="segments" role="group" aria-label={label}>
      {(Object.entries(options) as [Value, string][]).map(([one, word]) => (
        <button
          key={one}
          type="button"
          className={one === value ? 'selected' : ''}
          aria-pressed={one === value}
          onClick={() => onChange(one)}
        >
          {word}
        </button>
      ))}
    </span>
  )
}
