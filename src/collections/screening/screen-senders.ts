import type { Mode } from '../../base/environment.js'
import type { Database } from '../../postgres/database.js'
import { listStatement } from '../../postgres/statement.js'
import type { Screening, ScreeningSubject, ScreeningVerdict } from '../../screening/ports.js'
import {
  type Notice,
  type NoticeName,
  noticeKey,
  parseReported,
  storeScreenings,
} from '../notices/store-notices.js'
import type { BankSender, WalletSender } from '../ports.js'

/** A verdict for which a payment is held. */
export type HoldingVerdict = Exclude<ScreeningVerdict, { verdict: 'clear' }>

/** A deposit from several wallets, or newly minted coins: no list can clear it. */
export const unknownWallet: HoldingVerdict = {
  verdict: 'unknown',
  why: 'the sending wallet is not known',
}

/** Undefined: the bank did not report a name, so there is nothing to compare. */
export function screeningSubjectOf(
  sender: BankSender | WalletSender | null,
  mode: Mode,
): ScreeningSubject | typeof unknownWallet | undefined {
  if (sender && 'address' in sender)
    return sender.address === null ? unknownWallet : { kind: 'wallet', value: sender.address, mode }
  return sender?.name ? { kind: 'name', value: sender.name, mode } : undefined
}

/**
 * Decides whether the payment of a notice is held, from memory: the list, and what the provider
 * reported before the notice was judged.
 */
export function screenNotice(
  screening: Screening,
  { reported, mode, screened }: Pick<Notice, 'reported' | 'mode' | 'screened'>,
): HoldingVerdict | undefined {
  const subject = screeningSubjectOf(reported.sender, mode)
  if (subject === undefined) return undefined
  if ('verdict' in subject) return subject
  const now = screening.screenNow(subject)
  const verdict = now.verdict === 'unknown' && screened ? screened : now
  return verdict.verdict === 'clear' ? undefined : verdict
}

const named = { rail: 'text', mode: 'text', id: 'text' } as const

const findReports = listStatement<typeof named, NoticeName & { report: string }>({
  name: 'find_notices_to_screen',
  columns: named,
  text: (list) => `
    select n.rail, n.mode, n.id, n.report from notices n
    join ${list} on n.rail = list.rail and n.mode = list.mode and n.id = list.id
    where n.state not in ('BOOKED', 'REFUSED')`,
})

/**
 * Queries the provider about the senders of stored notices and keeps what it reports for the lane
 * that judges them, which may not wait for the network. Silence is kept, too.
 */
export async function screenStoredNotices(
  { db, screening }: { db: Database; screening: Screening },
  names: NoticeName[],
): Promise<void> {
  const unique = [...new Map(names.map((name) => [noticeKey(name), name])).values()]
  const notices = await db.rows(findReports(unique))
  const asked = notices.flatMap((notice) => {
    const { rail, mode, id, report } = notice
    const subject = screeningSubjectOf(parseReported(report).sender, mode)
    return subject && !('verdict' in subject) ? [{ rail, mode, id, subject }] : []
  })
  if (asked.length === 0) return
  const verdicts = await screening.screen(asked.map(({ subject }) => subject))
  await storeScreenings(
    db,
    asked.map(({ rail, mode, id }, index) => ({ rail, mode, id, screened: verdicts[index]! })),
  )
}
