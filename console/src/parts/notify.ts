import type { Tone } from './status'

/** A short message that goes away by itself. Its code is loaded when first needed. */
export async function notify(message: string, tone: Tone = 'good'): Promise<void> {
  const { showMessage } = await import('../frame/messages')
  showMessage(message, tone)
}
