import { type ReactNode, useState } from 'react'
import { JsonView } from './code'
import { Card } from './page'

type Props = {
  title: string
  /** The answer of the API. */
  value: unknown
  words: { json: string; answer: string }
  children: ReactNode
}

/** Facts about a resource, with a button that shows the answer of the API below them. */
export function JsonCard({ title, value, words, children }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title={title}
      aside={
        <button
          type="button"
          className="link small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {words.json}
        </button>
      }
    >
      {children}
      {isOpen && (
        <div className="padded">
          <JsonView value={value} label={words.answer} />
        </div>
      )}
    </Card>
  )
}
