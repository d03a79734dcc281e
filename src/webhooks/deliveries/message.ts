import { prefixes, toReference } from '../../base/ids.js'
import type { Seal } from '../../base/sealed.js'
import type { ClaimedDelivery } from '../../events/new-deliveries.js'
import { showEventAs } from '../../events/resource.js'
import { webhookLimits } from '../limits.js'
import type { WebhookMessage } from './send.js'
import {
  readPreviousSecrets,
  readSecret,
  readSigningKey,
  type SigningKeys,
  signMessage,
} from './signing.js'

/** Turns deliveries into signed messages. Opened keys are cached by their sealed text. */
export function createSigner(seal: Seal) {
  const cache = new Map<string, SigningKeys['privateKey'] | Buffer>()
  const openKey = <Key extends SigningKeys['privateKey'] | Buffer>(
    sealed: string,
    read: (text: string) => Key,
  ): Key => {
    const cached = cache.get(sealed)
    if (cached) return cached as Key
    if (cache.size >= webhookLimits.signingKeysCachedMax) cache.clear()
    const key = read(seal.open(sealed))
    cache.set(sealed, key)
    return key
  }

  return (delivery: ClaimedDelivery, now: Date): WebhookMessage => {
    const previous = readPreviousSecrets(delivery.sealedPreviousSecrets, now)
    const sealed = [delivery.sealedSecret, ...previous.map(({ secret }) => secret)]
    const keys = {
      secrets: sealed.map((secret) => openKey(secret, readSecret)),
      privateKey: openKey(delivery.sealedSigningKey, readSigningKey),
    }
    const id = toReference(prefixes.event, delivery.eventId)
    const timestamp = Math.floor(now.getTime() / 1_000)
    const body = showEventAs(id, delivery)
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
