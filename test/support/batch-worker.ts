import { createLogger } from '../../src/base/log.js'
import { Rails } from '../../src/collections/rails.js'
import type { BatchDependencies } from '../../src/payouts/batches/step.js'
import { createLevyBook } from '../../src/payouts/levies/levy-book.js'
import { createFeeBook } from '../../src/payouts/requests/fee-book.js'
import { createPausedRails } from '../../src/payouts/requests/paused-rails.js'
import { createPayoutPreparation } from '../../src/payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import type { ServiceWithBankAndChain } from './open-with-bank-and-chain.js'

/** The tools of one worker process that runs batches of test mode. */
export function openBatchWorker(service: ServiceWithBankAndChain): BatchDependencies {
  const { db, bank, rail, clock } = service
  const rails = new Rails({ test: { payoutBank: bank, chain: rail } })
  const logger = createLogger('silent')
  const fees = createFeeBook({ db, clock })
  const paused = createPausedRails({ db, clock })
  const send = createSendAfterCommit({ rails, clock, logger, paused })
  const preparation = createPayoutPreparation({
    db,
    rails,
    fees,
    logger,
    paused,
    levies: createLevyBook({ db, clock }),
  })
  return { db, rails, preparation, fees, clock, logger, send }
}
