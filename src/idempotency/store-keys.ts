import type { EnvironmentId } from '../base/environment.js'
import { assigned, listStatement } from '../postgres/statement.js'
import type { StoredAnswer } from './answer.js'

export type IdempotencyKeyRow = StoredAnswer & {
  environmentId: EnvironmentId
  digest: string
  fingerprint: Buffer
}

const identity = { environmentId: 'int4', digest: 'uuid' } as const

/**
 * Inserts the keys that are free. Never waits: an insert would wait for a transaction that inserted
 * the same key, so each claim takes an advisory lock first, and skips the key if it cannot.
 */
export const claimKeys = listStatement({
  name: 'claim_idempotency_keys',
  columns: {
    ...identity,
    key: 'text',
    fingerprint: 'bytea',
    status: 'int2',
    answer: 'text',
    forgetAt: 'timestamptz',
  },
  text: (list, parameter, names) => `
    insert into idempotency_keys (${names}, created_at)
    select ${names}, ${parameter(0)}::timestamptz from ${list}
    where pg_try_advisory_xact_lock(environment_id, uuid_hash(digest))
    on conflict (environment_id, digest) do nothing`,
})

const keyColumns = `environment_id, digest, fingerprint, status, answer,
  is_sealed, caller_id, retry_after_seconds`

export const findIdempotencyKeys = listStatement<typeof identity, IdempotencyKeyRow>({
  name: 'find_idempotency_keys',
  columns: identity,
  text: (list) => `
    select ${keyColumns} from idempotency_keys join ${list} using (environment_id, digest)`,
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
  status: 'int2',
  answer: 'text',
  isSealed: 'bool',
  callerId: 'uuid',
  retryAfterSeconds: 'int4',
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
