import { texts } from '../texts/en'
import { Button } from './button'
import { useCopy } from './copy'

/** Text to copy whole, such as a command. */
export function CopyBlock({ text, label }: { text: string; label?: string }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <div className="code">
      <pre tabIndex={0} role="region" aria-label={label ?? texts.common.code}>
        <code>{text}</code>
      </pre>
      <Button size="small" icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
        {isCopied ? texts.common.copied : texts.common.copy}
      </Button>
    </div>
  )
}

/** An answer of the API as it is. */
export function JsonView({ value, label }: { value: unknown; label?: string }) {
  return <CopyBlock text={JSON.stringify(value, null, 2)} {...(label && { label })} />
}
