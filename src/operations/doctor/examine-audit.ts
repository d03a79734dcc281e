import { chainName } from '../../audit/chain.js'
import { auditLimits } from '../../audit/limits.js'
import { findLostHeads, verifyChain } from '../../audit/verify-chain.js'
import type { Database } from '../../postgres/database.js'
import { sql } from '../../postgres/sql.js'
import { type CheckResult, failure, ok } from './check-result.js'

const fix = 'Run `npx manilla verify-audit` and keep the database as it is until you know why.'

/**
 * Every chain ends where its head says and has the line whose head was logged last, and the newest
 * lines of the newest chains have their hash.
 * `manilla verify-audit` reads every line.
 */
export async function examineAudit(db: Database): Promise<CheckResult[]> {
  const { chainsExaminedMax, linesExaminedMax, faultsShownMax } = auditLimits
  const broken = await db.rows(sql<{ chain: string }>`
    select h.chain from audit_heads h
    left join lateral (
      select number, hash from audit_lines where chain = h.chain order by number desc limit 1
    ) l on true
    where l.number is distinct from h.number or l.hash is distinct from h.hash
    limit ${faultsShownMax}`)
  const newest = await db.rows(sql<{ chain: string }>`
    select chain from audit_lines where id in (
      select id from audit_lines order by id desc limit ${linesExaminedMax})
    group by chain limit ${chainsExaminedMax}`)
  const faults = broken.map(({ chain }) => `${chainName(chain)} does not end at its head`)
  for (const { chain, number } of await findLostHeads(db))
    faults.push(`${chainName(chain)} lost line ${number}, whose head was logged`)
  for (const { chain } of newest) {
    const verdict = await verifyChain(db, chain, { newest: linesExaminedMax })
    faults.push(...verdict.faults.map(({ message }) => `${chainName(chain)}: ${message}`))
  }
  if (faults.length === 0) return [ok('Audit log', 'the newest lines are as they were written')]
  const shown = [...new Set(faults)].slice(0, faultsShownMax).join('; ')
  return [failure('Audit log', `was changed: ${shown}`, fix)]
}
