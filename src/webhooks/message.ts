import { prefixes, toReference } from '../ids.js'
import type { Seal } from '../sealed.js'
import type { ClaimedDelivery } from './claim-deliveries.js'
import type { Message } from './send.js'
import { readSecret, readSigningKey, type SigningKeys, signMessage } from './signing.js'

/** The same at every try: only the time of the try, and with it the signature, differ. */
export function toBody(event: {
  eventId: string
  type: string
  eventCreatedAt: Date
  mode: string
  sequence: number
  data: string
}): string {
  const head = JSON.stringify({
    id: toReference(prefixes.event, event.eventId),
    type: event.type,
    timestamp: event.eventCreatedAt.toISOString(),
    mode: event.mode,
    sequence: event.sequence,
  })
  // The resource is kept as text, so that its keys come in the order in which they were written.
  return `${head.slice(0, -1)},"data":${event.data}}`
}

/** Opens sealed keys once: a parsed key is worth remembering, its sealed text names it. */
export function createSigner(seal: Seal) {
  const opened = new Map<string, SigningKeys['privateKey'] | Buffer>()
  const remember = <Key extends SigningKeys['privateKey'] | Buffer>(
    sealed: string,
    read: (text: string) => Key,
  ): Key => {
    const known = opened.get(sealed)
    if (known) return known as Key
    if (opened.size >= most) opened.clear()
    const key = read(seal.open(sealed))
    opened.set(sealed, key)
    return key
  }

  return (delivery: ClaimedDelivery, now: Date): Message => {
    const { previousSecret, previousSecretUntil } = delivery
    const isOverlapping = previousSecret && previousSecretUntil && previousSecretUntil > now
    const sealed = [delivery.secret, ...(isOverlapping ? [previousSecret] : [])]
    const keys = {
      secrets: sealed.map((secret) => remember(secret, readSecret)),
      privateKey: remember(delivery.signingKey, readSigningKey),
    }
    const id = toReference(prefixes.event, delivery.eventId)
    const timestamp = Math.floor(now.getTime() / 1_000)
    const body = toBody(delivery)
    return {
      url: delivery.url,
      mode: delivery.mode,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Manilla-Webhooks/1.0',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signMessage(keys, { id, timestamp, body }),
      },
    }
  }
}

const most = 10_000
