import { after, type Clock, hour } from '../../base/clock.js'
import type { ScreeningConfig } from '../../base/config.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { readListFile } from '../../rails/screening/list-file.js'
import { ageInDays } from '../actions/screening.js'
import { type CheckResult, failure, ok, warning } from './check-result.js'

/** Silent for a service that screens nothing. */
export async function examineScreening({
  db,
  clock,
  config,
}: {
  db: Database
  clock: Clock
  config: ScreeningConfig | undefined
}): Promise<CheckResult[]> {
  if (!config?.listFile && !config?.provider) return []
  const list = config.listFile ? [await examineList(config.listFile, config, clock)] : []
  const provider = config.provider
    ? [ok('Screening', `${new URL(config.provider.url).host} screens senders and destinations`)]
    : []
  return [...list, ...provider, ...(await examineWaiting(db, clock))]
}

async function examineList(
  file: string,
  { listMaxAgeDays }: ScreeningConfig,
  clock: Clock,
): Promise<CheckResult> {
  const fix = `Replace ${file} with today's list: write a new file, then rename it (docs/operating/screening.md).`
  try {
    const { source, date, entries } = await readListFile(file, clock.now())
    const age = ageInDays(date, clock.now())
    if (age > listMaxAgeDays)
      return failure('Screening', `the list is of ${date}, ${age} days old`, fix)
    return ok('Screening', `${source} of ${date} with ${entries} entries`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return failure('Screening', `the list cannot be read: ${code ?? message}`, fix)
  }
}

/** A provider that is silent for long leaves money of payers held. */
async function examineWaiting(db: Database, clock: Clock): Promise<CheckResult[]> {
  const [row] = await db.rows(sql<{ count: number; why: string | null }>`
    select count(*)::int as count, max(s.why) as why from payment_screenings s
    join payments p on p.environment_id = s.environment_id and p.id = s.payment_id
    where s.verdict = 'unknown' and s.due_at is not null and p.held_for = 'screening'
      and p.amount_held > 0 and p.created_at < ${after(clock.now(), -hour)}`)
  if (row!.count === 0) return []
  return [
    warning(
      'Screening',
      `${row!.count} payments have not been screened for more than an hour: ${row!.why}`,
      'Check SCREENING_URL, SCREENING_SECRET and the provider. Payments go on by themselves once they are clear.',
    ),
  ]
}
