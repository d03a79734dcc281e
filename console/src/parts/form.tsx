import type { ReactNode } from 'react'

type Props = {
  className?: string
  /** Pixels between its fields, if not those of the class. */
  gap?: number
  onSubmit: () => void
  children: ReactNode
}

/** A form that the page itself sends. */
export function Form({ className = 'stack', gap, onSubmit, children }: Props) {
  return (
    <form
      className={className}
      {...(gap !== undefined && { style: { gap } })}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}
