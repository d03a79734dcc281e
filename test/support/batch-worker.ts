import { createLogger } from '../../src/base/log.js'
import type { BatchTools } from '../../src/payouts/batches/batch-tools.js'
import { createFeeBook } from '../../src/payouts/requests/fee-book.js'
import { createPausedRails } from '../../src/payouts/requests/paused-rails.js'
import { createPayoutPreparation } from '../../src/payouts/requests/prepare-payouts.js'
import { createSendAfterCommit } from '../../src/payouts/requests/send-new.js'
import type { ServiceWithBankAndChain } from './open-with-bank-and-chain.js'

/** The tools of one worker process that runs batches of test mode. */
export function openBatchWorker(service: ServiceWithBankAndChain): BatchTools {
  const { db, bank, rail, clock } = service
  const rails = { test: { bank_transfer: bank, crypto_transfer: rail }, live: {} }
  const banks = { test: new Map(), live: new Map() }
  const logger = createLogger('silent')
  const fees = createFeeBook({ db, clock })
  const paused = createPausedRails({ db, clock })
  const send = createSendAfterCommit({ rails, banks, clock, logger, paused })
  const preparation = createPayoutPreparation({ db, rails, banks, fees, logger, paused })
  return { db, rails, banks, preparation, fees, clock, logger, send }
}
