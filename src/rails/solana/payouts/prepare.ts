import { base58 } from '@scure/base'
import type { Logger } from '../../../base/log.js'
import type { Outcome, Refusal } from '../../../base/refusal.js'
import type { PayoutInstruction, PreparedAttempt } from '../../../payouts/ports.js'
import type { Signer } from '../keys/signer.js'
import type { Lifetime } from '../rpc/latest-blockhash.js'
import { Unavailable } from '../rpc/nodes.js'
import { toWireTransaction } from '../rpc/wire.js'
import type { Recipients } from './recipients.js'
import { isRefusal, railUnavailable, refuse } from './refuse.js'
import { type Reserved, resolveTarget } from './resolve-target.js'
import type { Templates } from './template.js'

type PrepareDependencies = {
  signer: Signer
  logger: Logger
  recipients: Recipients
  templates: Templates
  reserved: Reserved
  getLatestBlockhash: () => Promise<Lifetime>
}

/** Signs payouts without sending them. A payout that cannot be signed is refused alone. */
export function createPrepare(dependencies: PrepareDependencies) {
  return async (instructions: PayoutInstruction[]): Promise<Outcome<PreparedAttempt>[]> => {
    const lifetime = await findLifetime(dependencies)
    if (!lifetime) return instructions.map(railUnavailable)
    const messages = instructions.map((instruction) => compile(dependencies, instruction, lifetime))
    const signable = messages.filter((message): message is Buffer => !isRefusal(message))
    const signatures = await trySign(dependencies, signable)
    if (!signatures)
      return messages.map((message) => (isRefusal(message) ? message : railUnavailable()))
    const signed = new Map(signable.map((message, index) => [message, signatures[index]!]))
    return messages.map((message) => {
      if (isRefusal(message)) return message
      const signature = signed.get(message)!
      return {
        token: base58.encode(signature),
        wire: toWireTransaction(message, signature),
        validUntil: lifetime.lastValidBlockHeight,
        signedSlot: lifetime.slot,
      }
    })
  }
}

function compile(
  dependencies: PrepareDependencies,
  instruction: PayoutInstruction,
  { blockhash }: Lifetime,
): Buffer | Refusal {
  const target = resolveTarget(instruction, dependencies.recipients, dependencies.reserved)
  if (isRefusal(target)) return target
  // `inspect` has refused it already, with a better message. Checked again because it does not run
  // before a replacement is signed, and coins sent to an address without a key are lost.
  if (!target.recipient.isOnCurve)
    return refuse(
      'destination_not_a_wallet',
      'The destination is a program-derived address, which has no private key. Send a wallet address.',
    )
  const { coin, recipient, amount } = target
  return dependencies.templates.write({
    coin,
    recipient,
    amount,
    memo: instruction.reference,
    blockhash,
  })
}

/** Undefined when too few nodes respond. */
export async function findLifetime(
  dependencies: Pick<PrepareDependencies, 'getLatestBlockhash'>,
): Promise<Lifetime | undefined> {
  try {
    return await dependencies.getLatestBlockhash()
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}

/** Undefined when the signer fails: then nothing was signed that could be sent. */
export async function trySign(
  { signer, logger }: Pick<PrepareDependencies, 'signer' | 'logger'>,
  messages: Buffer[],
): Promise<Uint8Array[] | undefined> {
  try {
    return await signer.sign(messages)
  } catch (error) {
    logger.error({ err: error }, 'the treasury signer failed')
    return undefined
  }
}
