import { prefixes, toReference } from '../base/ids.js'
import { limits } from '../base/limits.js'
import type { Seal } from '../base/sealed.js'
import { showEvent } from '../resources/event.js'
import type { ClaimedDelivery } from './claim-deliveries.js'
import { readPreviousSecrets } from './previous-secrets.js'
import type { WebhookMessage } from './send.js'
import { readSecret, readSigningKey, type SigningKeys, signMessage } from './signing.js'

/** Opens sealed keys once: a parsed key is worth remembering, its sealed text names it. */
export function createSigner(seal: Seal) {
  const opened = new Map<string, SigningKeys['privateKey'] | Buffer>()
  const remember = <Key extends SigningKeys['privateKey'] | Buffer>(
    sealed: string,
    read: (text: string) => Key,
  ): Key => {
    const known = opened.get(sealed)
    if (known) return known as Key
    if (opened.size >= limits.webhooks.openedKeys) opened.clear()
    const key = read(seal.open(sealed))
    opened.set(sealed, key)
    return key
  }

  return (delivery: ClaimedDelivery, now: Date): WebhookMessage => {
    const previous = readPreviousSecrets(delivery.sealedPreviousSecrets, now)
    const sealed = [delivery.sealedSecret, ...previous.map(({ secret }) => secret)]
    const keys = {
      secrets: sealed.map((secret) => remember(secret, readSecret)),
      privateKey: remember(delivery.sealedSigningKey, readSigningKey),
    }
    const id = toReference(prefixes.event, delivery.eventId)
    const timestamp = Math.floor(now.getTime() / 1_000)
    const body = showEvent(delivery)
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
