import type { RealTime } from '../../src/base/clock.js'
import { createLogger } from '../../src/base/log.js'
import { createSeal } from '../../src/base/sealed.js'
import { Rails } from '../../src/collections/rails.js'
import { followReturns } from '../../src/collections/returns/follow-returns.js'
import {
  CallbackAsker,
  type CallbackDependencies,
} from '../../src/payouts/controls/ask-callbacks.js'
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

/** Asks the callbacks that are due and have a slot, and waits for them. Returns how many. */
export async function askCallbacks(
  dependencies: CallbackDependencies,
  now: RealTime,
  asker: CallbackAsker = new CallbackAsker(),
): Promise<number> {
  const claimed = await asker.claim(dependencies, now)
  await asker.finish()
  return claimed
}
