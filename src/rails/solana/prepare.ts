import { base58 } from '@scure/base'
import type { Logger } from '../../base/log.js'
import type { Outcome, Refusal } from '../../base/refusal.js'
import type { PayoutInstruction, Prepared } from '../../payouts/ports.js'
import { addressTarget, isRefusal, type Reserved } from './destinations.js'
import { Unavailable } from './endpoints.js'
import type { Lifetime } from './latest-blockhash.js'
import type { Recipients } from './recipients.js'
import { railUnavailable, refuse } from './refuse.js'
import type { Signer } from './signer.js'
import type { Templates } from './template.js'
import { toWireTransaction } from './wire.js'

export type PrepareParts = {
  signer: Signer
  logger: Logger
  recipients: Recipients
  templates: Templates
  reserved: Reserved
  getLatestBlockhash: () => Promise<Lifetime>
}

/** Signs payouts. Nothing leaves; who cannot be signed for is refused alone. */
export function createPrepare(parts: PrepareParts) {
  return async (carriages: PayoutInstruction[]): Promise<Outcome<Prepared>[]> => {
    const lifetime = await findLifetime(parts)
    if (!lifetime) return carriages.map(railUnavailable)
    const messages = carriages.map((carriage) => write(parts, carriage, lifetime))
    const signable = messages.filter((message): message is Buffer => !isRefusal(message))
    const signatures = await findSignatures(parts, signable)
    if (!signatures) return messages.map((each) => (isRefusal(each) ? each : railUnavailable()))
    const signed = new Map(signable.map((message, index) => [message, signatures[index]!]))
    return messages.map((message) => {
      if (isRefusal(message)) return message
      const signature = signed.get(message)!
      const token = base58.encode(signature)
      return {
        token,
        wire: toWireTransaction(message, signature),
        validUntil: lifetime.lastValidBlockHeight,
      }
    })
  }
}

function write(
  parts: PrepareParts,
  carriage: PayoutInstruction,
  { blockhash }: Lifetime,
): Buffer | Refusal {
  const addressed = addressTarget(carriage, parts.recipients, parts.reserved)
  if (isRefusal(addressed)) return addressed
  if (!addressed.recipient.isOnCurve)
    return refuse(
      'destination_not_a_wallet',
      'Nobody can hold the key of the destination. Send the address of a wallet.',
    )
  return parts.templates.write({ ...addressed, memo: carriage.reference, blockhash })
}

export async function findLifetime(
  parts: Pick<PrepareParts, 'getLatestBlockhash'>,
): Promise<Lifetime | undefined> {
  try {
    return await parts.getLatestBlockhash()
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

/** Whatever a signer throws, nothing was signed that could leave. */
export async function findSignatures(
  { signer, logger }: Pick<PrepareParts, 'signer' | 'logger'>,
  messages: Buffer[],
): Promise<Uint8Array[] | undefined> {
  try {
    return await signer.sign(messages)
  } catch (error) {
    logger.error({ err: error }, 'the signer does not sign')
    return undefined
  }
}
