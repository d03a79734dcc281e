import { useEffect } from 'react'
import type { ApiRefusal } from '../api/refusal'
import type { Tone } from './status'

/** A short message that goes away by itself. Its code is loaded when first needed. */
export async function notify(message: string, tone: Tone = 'good'): Promise<void> {
  const { showMessage } = await import('./messages')
  showMessage(message, tone)
}

/** Shows why a write was refused, where the page has no room for it, such as in a row. */
export function useNotifiedRefusal(refusal: ApiRefusal | null): void {
  useEffect(() => {
    if (refusal) void notify(refusal.sentence, 'bad')
  }, [refusal])
}
