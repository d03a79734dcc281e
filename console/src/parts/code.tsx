import { commonTexts } from '../texts/common'
import './code.css'
import type { ReactNode } from 'react'
import { Button } from './button'
import { useCopy } from './copy'

type Props = {
  text: string
  label?: string
  /** The text as it is shown, such as with colours. */
  children?: ReactNode
}

/** Text to copy whole, such as a command. */
export function CopyBlock({ text, label, children }: Props) {
  const { isCopied, copy } = useCopy(text)
  return (
    <div className="code">
      <pre tabIndex={0} role="region" aria-label={label ?? commonTexts.code}>
        <code>{children ?? text}</code>
      </pre>
      <Button size="small" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
        {isCopied ? commonTexts.copied : commonTexts.copy}
      </Button>
    </div>
  )
}

/** An answer of the API as it is, with its names and texts in colour. */
export function JsonView({ value, label }: { value: unknown; label?: string }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <CopyBlock text={text} {...(label && { label })}>
      {text.split(quoted).map((token, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other identity
        <span key={at} className={classOf(token)}>
          {token}
        </span>
      ))}
    </CopyBlock>
  )
}

/** Names with their colon, and texts. */
const quoted = /("(?:[^"\\]|\\.)*":?)/

function classOf(token: string): string | undefined {
  if (!token.startsWith('"')) return undefined
  return token.endsWith('":') ? 'json-name' : 'json-text'
}
