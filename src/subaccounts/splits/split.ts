import type { EnvironmentId } from '../../base/environment.js'
import type { Asset } from '../../money/assets.js'
import { column, Table } from '../../postgres/table.js'
import type { FeeBearer, SplitLine } from './compute-split.js'

/** A saved split, which accounts name. Its lines are in its versions. */
export type SplitRule = typeof splitRules.row

export const splitRules = new Table('split_rules', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  name: column.text(),
  /** Null: it has no amounts, so it fits every asset. */
  asset: column.text<Asset>().orNull(),
  createdAt: column.time(),
})

export const splits = new Table('splits', {
  environmentId: column.int4<EnvironmentId>(),
  id: column.uuid(),
  /** Null: sent with an account, and of no rule. */
  ruleId: column.uuid().orNull(),
  version: column.int4().orNull(),
  asset: column.text<Asset>().orNull(),
  feeBearer: column.text<'merchant' | 'subaccounts' | 'all' | 'subaccount'>(),
  feeSubaccountId: column.uuid().orNull(),
  createdAt: column.time(),
})

export const splitLines = new Table('split_lines', {
  environmentId: column.int4<EnvironmentId>(),
  splitId: column.uuid(),
  /** Its index. */
  line: column.int2(),
  subaccountId: column.uuid(),
  flat: column.int8().orNull(),
  basisPoints: column.int4().orNull(),
  min: column.int8().orNull(),
  max: column.int8().orNull(),
  releaseAt: column.time().orNull(),
  releaseAfterDays: column.int4().orNull(),
})

/** A line. Its share stays pending until a time, or for days after the payment, if it has one. */
export type ReleasedLine = SplitLine & {
  releaseAt: Date | null
  releaseAfterDays: number | null
}

/** What a caller decides about a split. */
export type SplitTerms = {
  asset: Asset | null
  feeBearer: FeeBearer
  lines: ReleasedLine[]
}

/** The split of an account that is created. A new one is inserted with it. */
export type ChosenSplit = { split: Split; isNew: boolean }

/** A version of a rule, or a split of no rule. It never changes. */
export type Split = SplitTerms & {
  environmentId: EnvironmentId
  id: string
  rule: { id: string; version: number } | null
  createdAt: Date
}
