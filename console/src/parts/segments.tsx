import './tabs.css'
import { type OptionList, toOptions } from './options'

type Props<Value extends string> = {
  label: string
  value: Value
  options: OptionList<Value>
  onChange: (value: Value) => void
}

/** A choice among a few, all shown. */
export function Segments<Value extends string>({ label, options, ...props }: Props<Value>) {
  return (
    <span className="segments" role="group" aria-label={label}>
      {toOptions(options).map((option) => (
        <button
          key={option.value}
          type="button"
          className={option.value === props.value ? 'selected' : ''}
          aria-pressed={option.value === props.value}
          onClick={() => props.onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </span>
  )
}
