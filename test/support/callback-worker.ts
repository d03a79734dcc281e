import { createLogger } from '../../src/base/log.js'
import { createSeal } from '../../src/base/sealed.js'
import { Rails } from '../../src/collections/rails.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import type { CallbackDependencies } from '../../src/payouts/controls/ask-callbacks.js'
import { callbackLimits } from '../../src/payouts/limits.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import type { Screening } from '../../src/screening/ports.js'
import { createMessageSigner } from '../../src/webhooks/deliveries/message.js'
import { createSender } from '../../src/webhooks/deliveries/send.js'
import type { ServiceWithBankAndChain } from './open-with-bank-and-chain.js'

/**
 * The tools of one worker process that asks callbacks of test mode. A short time-out is for
 * callbacks that are silent: on a busy machine, an answer may come later.
 */
export function openCallbackWorker(
  service: ServiceWithBankAndChain,
  answerMs: number = callbackLimits.answerMs,
  screening?: Screening,
): CallbackDependencies {
  const { db, bank, rail, clock } = service
  const rails = new Rails({ test: { payoutBank: bank, chain: rail } })
  const logger = createLogger('silent')
  return {
    db,
    mode: 'test',
    rails,
    clock,
    logger,
    sender: createSender({ clock, allowsLoopback: true, attemptTimeoutMs: answerMs }),
    sign: createMessageSigner(createSeal(service.secret)),
    send: createSendAfterCommit({ rails, clock, logger }),
    screening,
    follow: followReturns,
  }
}
