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

/** The keys of an endpoint, as its row holds them. */
export type SealedKeys = Pick<
  ClaimedDelivery,
  'sealedSecret' | 'sealedPreviousSecrets' | 'sealedSigningKey'
>

type UnsignedMessage = Omit<WebhookMessage, 'headers'> & { id: string }

export type MessageSigner = ReturnType<typeof createMessageSigner>

/** Turns deliveries into signed messages. */
export function createSigner(seal: Seal) {
  const sign = createMessageSigner(seal)
  return (delivery: ClaimedDelivery, now: Date): WebhookMessage => {
    const id = toReference(prefixes.event, delivery.eventId)
    const { url, mode } = delivery
    return sign(delivery, { id, url, mode, body: showEventAs(id, delivery) }, now)
  }
}

/** Signs messages with the keys of an endpoint. Opened keys are cached by their sealed text. */
export function createMessageSigner(seal: Seal) {
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

  return (
    sealedKeys: SealedKeys,
    { id, url, mode, body }: UnsignedMessage,
    now: Date,
  ): WebhookMessage => {
    const previous = readPreviousSecrets(sealedKeys.sealedPreviousSecrets, now)
    const sealed = [sealedKeys.sealedSecret, ...previous.map(({ secret }) => secret)]
    const keys = {
      secrets: sealed.map((secret) => openKey(secret, readSecret)),
      privateKey: openKey(sealedKeys.sealedSigningKey, readSigningKey),
    }
    const timestamp = Math.floor(now.getTime() / 1_000)
    return {
      url,
      mode,
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
