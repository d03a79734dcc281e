import type { Clock } from '../../base/clock.js'
import { noRateSources, type RateConfig } from '../../base/rate-sources.js'
import type { Database } from '../../postgres/database.js'
import { viewRates } from '../../rates/view-rates.js'
import { type CheckResult, failure, ok, warning } from './check-result.js'

/** Silent for a service that never had a rate: conversions are optional. */
export async function examineRates({
  db,
  clock,
  config = noRateSources,
}: {
  db: Database
  clock: Clock
  config: RateConfig | undefined
}): Promise<CheckResult[]> {
  const views = await viewRates({ db, config }, clock.now())
  const fix =
    'Run `npx manilla rates show`, then fix the source, or use `rates accept` or `rates set`.'
  const missing = views
    .filter(({ isMissing }) => isMissing)
    .map(({ asset }) => failure('Rates', `no rate for ${asset}: live conversions are refused`, fix))
  const problems = views.flatMap(({ asset, sources }) =>
    sources.flatMap(({ source, problem }) =>
      problem === null ? [] : [warning('Rates', `${source} (${asset}): ${problem}`, fix)],
    ),
  )
  const known = views.flatMap(({ asset, rate }) => (rate ? [asset] : []))
  const never = views.filter(({ rate, isMissing }) => !rate && !isMissing)
  const offer = 'Set a rate or configure sources, if merchants may convert this coin.'
  const notOffered =
    known.length === 0
      ? []
      : never.map(({ asset }) =>
          warning('Rates', `no rate for ${asset}: live conversions are refused`, offer),
        )
  const results = [...missing, ...notOffered, ...problems]
  const verb = known.length === 1 ? 'has' : 'have'
  return known.length > 0 && results.length === notOffered.length
    ? [ok('Rates', `${known.join(' and ')} ${verb} a rate`), ...notOffered]
    : results
}
