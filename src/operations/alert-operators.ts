import type { RealTime } from '../base/clock.js'
import type { DraftBlock } from '../mail/content.js'
import { queueOperatorAlert } from '../mail/team-mails.js'
import type { Database } from '../postgres/database.js'

/** What operators have to do something about, and that no row of the database is the cause of. */
export type DailyAlert = {
  /** Names what is wrong. Operators get one mail for it in a day. */
  name: string
  subject: string
  blocks: DraftBlock[]
  /** The page of the console that shows it. */
  path: string
}

export async function alertOnceADay(
  db: Database,
  now: RealTime,
  { name, subject, blocks, path }: DailyAlert,
): Promise<void> {
  const today = now.toISOString().slice(0, 10)
  await db.transaction((tx) =>
    queueOperatorAlert(tx, now, {
      cause: `${name}/${today}`,
      subject,
      blocks: [...blocks, { type: 'page', label: 'Open the console', path }],
    }),
  )
}
