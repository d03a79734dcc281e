import type { Clock } from '../../base/clock.js'
import type { Config } from '../../base/config.js'
import { limits } from '../../base/limits.js'
import { noRateSources } from '../../base/rate-sources.js'
import type { Seal } from '../../base/sealed.js'
import { allActions } from '../../operations/actions/all-actions.js'
import type { WatchedRails } from '../../operations/definitions/definition.js'
import type { CheckResult } from '../../operations/doctor/check-result.js'
import { createWorkFigures } from '../../operations/metrics/work-figures.js'
import type { Database } from '../../postgres/database.js'
import type { RateBook } from '../../rates/rate-book.js'
import type { Sessions } from '../../team/sessions.js'
import { drawQrFile } from '../checkout-page/draw-qr.js'
import type { Route } from '../server/route.js'
import { kycDocumentRoute } from './kyc-documents.js'
import { operatorRoute, type SharedCall } from './operator-route.js'

type OperatorDependencies = {
  /** A pool of its own: operators read a lot at once, and merchants must not wait for them. */
  db: Database
  seal: Seal
  clock: Clock
  config: Config
  sessions: Sessions
  rails: WatchedRails
  rates: RateBook
  /** The checks of `manilla doctor`, within this process. */
  examine(): Promise<CheckResult[]>
}

/** Everything that operators do in the console. Merchants never call these. */
export function createOperatorRoutes({
  rates,
  examine,
  ...dependencies
}: OperatorDependencies): Route[] {
  const { clock, config, rails } = dependencies
  const shared: SharedCall = {
    ...dependencies,
    rateBook: () => rates,
    rateConfig: () => config.rates ?? noRateSources,
    retention: () => config.retention,
    withRails: (work) => work(rails),
    examine: shareLately(clock, limits.operator.doctorCacheMs, examine),
    readWork: createWorkFigures(dependencies),
    drawQr: drawQrFile,
  }
  const routes = allActions.flatMap(({ route }) => (route ? [operatorRoute(route, shared)] : []))
  return [...routes, kycDocumentRoute(dependencies)]
}

/** Runs one at a time, and not again for a while: checks call banks and chains. */
function shareLately<Value>(
  clock: Clock,
  cacheMs: number,
  run: () => Promise<Value>,
): () => Promise<{ at: Date; value: Value }> {
  let latest: { startedAtMs: number; result: Promise<{ at: Date; value: Value }> } | undefined
  let isRunning = false
  return () => {
    const nowMs = clock.elapsedMs()
    if (latest && (isRunning || nowMs - latest.startedAtMs < cacheMs)) return latest.result
    isRunning = true
    const result = run()
      .then((value) => ({ at: clock.now(), value }))
      .finally(() => {
        isRunning = false
      })
    latest = { startedAtMs: nowMs, result }
    result.catch(() => {
      latest = undefined
    })
    return result
  }
}
