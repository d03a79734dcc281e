import type { EnvironmentTime } from '../../base/clock.js'
import type { EnvironmentId } from '../../base/environment.js'
import { newId } from '../../base/ids.js'
import type { Tx } from '../../postgres/transactions/tx.js'
import type { SplitTerms } from './split.js'
import { insertSplit, insertSplitRule, type VersionedRule } from './store-splits.js'

type NewRule = { environmentId: EnvironmentId; name: string; terms: SplitTerms }

/** Creates a rule with its first version. */
export function createSplitRule(
  tx: Tx,
  now: EnvironmentTime,
  { environmentId, name, terms }: NewRule,
): VersionedRule {
  const { asset } = terms
  const rule = { environmentId, id: newId(now), name, asset, createdAt: now }
  insertSplitRule(tx, rule)
  return addVersion(tx, now, { rule, version: 1, terms })
}

/** Adds a version to a locked rule. Accounts keep the version that they were created with. */
export function createSplitRuleVersion(
  tx: Tx,
  now: EnvironmentTime,
  { split, ...rule }: VersionedRule,
  terms: SplitTerms,
): VersionedRule {
  return addVersion(tx, now, { rule, version: split.rule!.version + 1, terms })
}

type NewVersion = { rule: Omit<VersionedRule, 'split'>; version: number; terms: SplitTerms }

function addVersion(
  tx: Tx,
  now: EnvironmentTime,
  { rule, version, terms }: NewVersion,
): VersionedRule {
  const { environmentId, id } = rule
  const split = {
    ...terms,
    environmentId,
    id: newId(now),
    rule: { id, version },
    createdAt: now,
  }
  insertSplit(tx, split)
  return { ...rule, split }
}
