import type { BankChoice } from '../../base/config.js'
import { type Mode, modes } from '../../base/environment.js'
import type { BankFinding, BankRail } from '../../collections/ports.js'
import type { Rails } from '../../collections/rails.js'
import { listBoundBanks } from '../../merchants/settings/bind-banks.js'
import { formatMoney } from '../../money/amounts.js'
import { listUnservedRails } from '../../payouts/requests/unserved-rails.js'
import type { Database } from '../../postgres/database.js'
import { type CheckResult, failure, ok, runCheck, warning } from './check-result.js'

/** Checks every configured provider, with calls that change nothing. */
export async function examineBanks(
  db: Database,
  rails: Rails,
  choices: Record<Mode, BankChoice>,
): Promise<CheckResult[]> {
  const checks = modes.flatMap((mode) =>
    rails.banksOf(mode).map((bank) => examineBank(bank, mode, choices[mode].floatMin)),
  )
  return [
    ...(await Promise.all(checks)).flat(),
    ...(await examineBindings(db, rails)),
    ...(await examineUnserved(db, rails)),
  ]
}

/** A provider that was used before must stay configured until its payouts have ended. */
async function examineUnserved(db: Database, rails: Rails): Promise<CheckResult[]> {
  const names = [...rails.banksByName.keys()]
  const unserved = await listUnservedRails(db, names)
  return unserved
    .filter(({ rail }) => isBank(rail))
    .map(({ rail, payouts }) =>
      failure(
        'Bank',
        `${payouts} open payouts at ${rail}, which is not configured: nothing polls them`,
        'Set its variables again until they have ended.',
      ),
    )
}

/** Chains are checked apart, and may not have reported their name yet. */
function isBank(rail: string): boolean {
  return !rail.startsWith('solana:')
}

/** Merchants that are bound to a bank without keys get `rail_unavailable`. */
async function examineBindings(db: Database, rails: Rails): Promise<CheckResult[]> {
  const bound = await listBoundBanks(db)
  return bound
    .filter(({ mode, bank }) => !rails.bankOf(mode, bank))
    .map(({ mode, bank, merchants }) =>
      failure(
        `Bank (${mode})`,
        `${merchants} merchants are bound to ${bank}, which is not configured`,
        `Set the variables of ${bank}, or bind them to another bank: manilla merchants bind.`,
      ),
    )
}

function examineBank(bank: BankRail, mode: Mode, floatMin: bigint): Promise<CheckResult[]> {
  const check = `Bank (${mode})`
  const fix = 'Check the variables of the provider: docs/guides/going-live.md.'
  return runCheck(check, fix, async () => [
    ...(await bank.examine()).map((finding) => toResult(check, bank, finding)),
    ...(await examineFloat(bank, check, floatMin)),
  ])
}

function toResult(check: string, { provider }: BankRail, finding: BankFinding): CheckResult {
  const message = `${provider}: ${finding.message}`
  if (finding.level === 'ok') return ok(check, message)
  return finding.level === 'warning'
    ? warning(check, message, finding.fix)
    : failure(check, message, finding.fix)
}

async function examineFloat(
  bank: BankRail,
  check: string,
  floatMin: bigint,
): Promise<CheckResult[]> {
  const float = await bank.readFloat().catch(() => null)
  if (float === null || float >= floatMin) return []
  const message = `${bank.provider}: ${formatMoney(float, 'NGN')} for payouts`
  const fix = `Top up at least ${formatMoney(floatMin - float, 'NGN')}, the rest of BANK_…_FLOAT_MIN.`
  return [failure(check, message, fix)]
}
