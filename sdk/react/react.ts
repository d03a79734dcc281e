import { createElement, type ReactNode, useCallback, useEffect, useRef } from 'react'
import type { Inline, InlineResult, InlineSession } from './inline.js'

export type { Inline, InlineResult, InlineSession }

/** URL of inline.js, such as `https://pay.example.com/inline/1.0.0.js`, and the hash of it. */
export type ManillaScript = { src: string; integrity?: string }

const loading = new Map<string, Promise<Inline>>()

/** Adds the script once per page, however many components ask for it. */
function load(src: string, integrity: string): Promise<Inline> {
  const known = window.Manilla ? Promise.resolve(window.Manilla) : loading.get(src)
  if (known) return known
  const added = new Promise<Inline>((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src, integrity })
    script.crossOrigin = 'anonymous'
    script.onload = () => resolve(window.Manilla!)
    script.onerror = () => reject(new Error(`${src} could not be loaded.`))
    document.head.append(script)
  })
  // After a failure, the next attempt loads it again.
  added.catch(() => loading.delete(src))
  loading.set(src, added)
  return added
}

/** Returns `open`, which shows a session in the dialog. Loads the script with the component. */
export function useManilla({ src, integrity = '' }: ManillaScript): Inline['open'] {
  // `open` reports a failure to load.
  useEffect(() => void load(src, integrity).catch(() => {}), [src, integrity])
  const open: Inline['open'] = async (options) => (await load(src, integrity)).open(options)
  return useCallback(open, [src, integrity])
}

export type ManillaButtonProps = ManillaScript & {
  session: InlineSession
  /** Read the session on your server then: the result comes from the payer's browser. */
  onResult: (result: InlineResult) => void
  /** The dialog cannot be shown: send the payer to the URL of the session. */
  onError: (error: Error) => void
  className?: string
  children?: ReactNode
}

/** A button that shows a session. */
export function ManillaButton({ session, onResult, onError, ...props }: ManillaButtonProps) {
  const { children = 'Pay', className, ...script } = props
  const open = useManilla(script)
  const isOpen = useRef(false)
  const onClick = () => {
    if (isOpen.current) return
    isOpen.current = true
    const shown = open({ session }).then(onResult, onError)
    void shown.finally(() => (isOpen.current = false))
  }
  return createElement('button', { type: 'button', className, onClick }, children)
}
