import { commonTexts } from '../texts/common'
import './copy.css'
import { type ReactNode, useState } from 'react'
import { Button } from './button'
import { Icon } from './icons'

const shownMs = 1_600

/** Copies the whole text, whatever is shown of it. */
export function useCopy(text: string) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), shownMs)
  }
  return { isCopied, copy }
}

export function Copy({ text, children }: { text: string; children: ReactNode }) {
  const { isCopied, copy } = useCopy(text)
  return (
    <button
      type="button"
      className={isCopied ? 'copy done' : 'copy'}
      title={commonTexts.copy}
      onClick={(event) => {
        event.stopPropagation()
        void copy()
      }}
    >
      {children}
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      <span className="hidden" role="status">
        {isCopied && commonTexts.copied}
      </span>
    </button>
  )
}

/** Copies the address of a page for payers, and says so where it was pressed. */
export function CopyLink({ url }: { url: string }) {
  const { isCopied, copy } = useCopy(url)
  return (
    <>
      <Button icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
        {isCopied ? commonTexts.copied : commonTexts.copyLink}
      </Button>
      <span className="hidden" role="status">
        {isCopied && commonTexts.copied}
      </span>
    </>
  )
}
