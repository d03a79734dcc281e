import { useRead } from '../api/reads'
import { useScope } from '../api/scope'
import type { Amount, Asset } from '../parts/money-format'
import type { AttentionKind, QueueName } from '../screens/screen-route'

/** Something that waits for a decision of this user. */
export type Attention = {
  kind: AttentionKind
  count: number
  /** By asset, as the API writes amounts. */
  amounts: Partial<Record<Asset, Amount>>
  since: string | null
  subject: string | null
  /** A path of the console. */
  link: string | null
}

export function useAttention(): Attention[] {
  const { merchant } = useScope()
  const { data } = useRead<{ items: Attention[] }>(
    'attention',
    '/v1/attention',
    {},
    { isEnabled: merchant !== null, mayBeMissing: true },
  )
  return data?.items ?? []
}

/** What waits for operators. Every entry of the operator's menu shares one read. */
export function useQueues(isEnabled: boolean): Partial<Record<QueueName, number>> {
  const path = '/operator/v1/queues'
  const { data } = useRead<Record<QueueName, number>>('queues', path, {}, { isEnabled })
  return data ?? {}
}
