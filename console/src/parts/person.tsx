import './person.css'
import type { ReactNode } from 'react'

export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const letters = words.slice(0, 2).map((word) => [...word][0]!.toUpperCase())
  return letters.join('') || '?'
}

type Props = {
  name: string
  /** The bold words, and those after them. */
  says: readonly [string, string]
  /** The person has not done it yet, or may not yet. */
  isOpen?: boolean
  /** A line below. */
  children?: ReactNode
}

/** A person, and what they did or may do. */
export function PersonRow({ name, says: [who, what], isOpen = false, children }: Props) {
  return (
    <p className="person-row">
      <span className={isOpen ? 'avatar dashed' : 'avatar'} aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span>
        <b>{who}</b>
        {what}
        {children && (
          <>
            <br />
            <span className="soft small">{children}</span>
          </>
        )}
      </span>
    </p>
  )
}
