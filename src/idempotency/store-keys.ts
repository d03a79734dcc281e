import type { EnvironmentId } from '../base/environment.js'
import { assigned, listStatement } from '../postgres/statement.js'
import { column, Table } from '../postgres/table.js'

const idempotencyKeys = new Table('idempotency_keys', {
  environmentId: column.int4<EnvironmentId>(),
  digest: column.uuid(),
  fingerprint: column.bytea(),
  /** Like `answer`, null only within the transaction that claims the key: no other reads it. */
  status: column.int2(),
  answer: column.text(),
  isSealed: column.bool(),
  /** Set if the answer holds a secret, and so is sealed. */
  callerId: column.uuid().orNull(),
  /** Null: the answer does not say when to retry. */
  retryAfterSeconds: column.int4().orNull(),
})

export type IdempotencyKeyRow = typeof idempotencyKeys.row

export type StoredAnswer = Omit<IdempotencyKeyRow, 'environmentId' | 'digest' | 'fingerprint'>

const identity = idempotencyKeys.types('environmentId', 'digest')

/**
 * Inserts the keys that are free. Never waits: an insert would wait for a transaction that inserted
 * the same key, so each claim takes an advisory lock first, and skips the key if it cannot.
 */
export const claimKeys = listStatement({
  name: 'claim_idempotency_keys',
  columns: {
    ...identity,
    ...idempotencyKeys.types('fingerprint', 'status', 'answer'),
    key: 'text',
    forgetAt: 'timestamptz',
  },
  text: (list, parameter, names) => `
    insert into idempotency_keys (${names}, created_at)
    select ${names}, ${parameter(0)}::timestamptz from ${list}
    where pg_try_advisory_xact_lock(environment_id, uuid_hash(digest))
    on conflict (environment_id, digest) do nothing`,
})

const keyColumns = idempotencyKeys.of('k')

export const findIdempotencyKeys = listStatement<typeof identity, IdempotencyKeyRow>({
  name: 'find_idempotency_keys',
  columns: identity,
  text: (list) => `
    select ${keyColumns} from idempotency_keys k join ${list} using (environment_id, digest)`,
})

/**
 * `isClaimed`: this transaction inserted the key. Transaction numbers repeat after four billion;
 * the time excludes an old row with the same number.
 */
export const findClaimedKeys = listStatement<
  typeof identity,
  IdempotencyKeyRow & { isClaimed: boolean }
>({
  name: 'find_claimed_keys',
  columns: identity,
  text: (list, parameter) => `
    select ${keyColumns}, k.xmin = pg_current_xact_id()::xid
      and k.created_at = ${parameter(0)}::timestamptz as is_claimed
    from idempotency_keys k join ${list} using (environment_id, digest)`,
})

const remembered = {
  ...idempotencyKeys.typesWithout('environmentId', 'digest', 'fingerprint'),
  forgetAt: 'timestamptz',
} as const

export const rememberAnswers = listStatement({
  name: 'remember_answers',
  columns: { ...identity, ...remembered },
  text: (list) => `
    update idempotency_keys k set ${assigned(remembered)}
    from ${list} where k.environment_id = list.environment_id and k.digest = list.digest`,
})

export const forgetKeys = listStatement({
  name: 'forget_idempotency_keys',
  columns: identity,
  text: (list) => `
    delete from idempotency_keys k
    using ${list} where k.environment_id = list.environment_id and k.digest = list.digest`,
})
