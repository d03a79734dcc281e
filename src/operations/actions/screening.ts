import { day } from '../../base/clock.js'
import { Refusal } from '../../base/refusal.js'
import { findAddressBytes } from '../../money/solana-address.js'
import type { Screening, ScreeningSubject } from '../../screening/ports.js'
import { type Action, type CommandCall, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'
import { countHeld } from '../metrics/screening-metrics.js'

/** The list of sanctioned wallets and names, and what it says about one. */
export const screeningActions: Action[] = [
  command({
    name: 'screening status',
    description: 'show the list and the provider that screen money, and what waits for members',
    async run(call) {
      const { list, provider } = await withScreening(call, async (screening) => screening.state())
      const held = await countHeld(call.db)
      const ageDays = list && ageInDays(list.date, call.now)
      const data = { list: list && { ...list, ageDays }, provider, held }
      const lines = [
        list
          ? `List: ${list.source} of ${list.date} (${ageDays} days old), version ${list.version}, ${list.entries} entries, ${list.file}`
          : 'List: none (SCREENING_LIST)',
        `Provider: ${provider ?? 'none (SCREENING_URL)'}`,
        `Held: ${held.hit} on a list, ${held.unknown} not screened yet`,
      ]
      return { data, text: lines.join('\n') }
    },
  }),
  command({
    name: 'screening check',
    description: 'screen a wallet address or a name as payments and payouts are screened',
    args: ['subject'],
    input: { subject: fields.text('Solana address, or name', { placeholder: 'address|name' }) },
    async run(call, { subject: value }) {
      if (value.trim() === '')
        throw new Refusal('validation_failed', { message: 'Name an address or a name to screen.' })
      const kind: ScreeningSubject['kind'] = findAddressBytes(value) ? 'wallet' : 'name'
      const verdict = await withScreening(call, async (screening) => {
        const [found] = await screening.screen([{ kind, value, mode: 'live' }])
        return found!
      })
      const data = { kind, value, ...verdict }
      if (verdict.verdict === 'unknown')
        return { data, text: `${kind}: unknown: ${verdict.why}. Money would wait.` }
      // So that scripts need not read the text.
      if (verdict.verdict === 'hit') process.exitCode = 1
      const by = `${verdict.list}, version ${verdict.version}`
      const text =
        verdict.verdict === 'hit'
          ? `${kind}: hit: entry ${verdict.entry} of ${by}`
          : `${kind}: clear: ${by}`
      return { data, text }
    },
  }),
]

/** Opens the list and the provider as the service does, for one command. */
export async function withScreening<Result>(
  { service }: CommandCall,
  work: (screening: Screening) => Promise<Result>,
): Promise<Result> {
  const screening = await service.openScreening()
  if (!screening)
    throw new Refusal('validation_failed', {
      message:
        'Nothing is screened: neither SCREENING_LIST nor SCREENING_URL is set in this shell. Set them as for the service.',
    })
  try {
    return await work(screening)
  } finally {
    screening.stop()
  }
}

/** A list of a day that has not begun in UTC is 0 days old. */
export function ageInDays(date: string, now: Date): number {
  const ageMs = now.getTime() - Date.parse(`${date}T00:00:00.000Z`)
  return Math.max(0, Math.floor(ageMs / day))
}
