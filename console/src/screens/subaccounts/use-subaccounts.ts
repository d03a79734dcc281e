import type { Subaccount } from '../../../../sdk/src/types'
import { type Page, useRead } from '../../api/reads'
import { useMay } from '../../api/session'

export const path = '/v1/subaccounts'

/** As many as one answer has; a marketplace may have more. */
const listedMax = 100

/** The newest sub-accounts, for names and choices. Nothing for users who see none. */
export function useSubaccounts() {
  const maySee = useMay('subaccounts.see')
  const { data, error, refetch } = useRead<Page<Subaccount>>(
    'subaccounts',
    path,
    { limit: listedMax },
    { isEnabled: maySee },
  )
  return {
    items: data?.items ?? [],
    hasMore: Boolean(data?.nextCursor),
    isRead: Boolean(data),
    error: data ? null : error,
    retry: () => void refetch(),
  }
}

/** One sub-account: of the newest ones, or else read by itself. */
export function useSubaccount(reference: string | null): Subaccount | undefined {
  const { items, hasMore } = useSubaccounts()
  const listed = items.find((one) => one.reference === reference)
  const isElsewhere = reference !== null && hasMore && listed === undefined
  const read = useRead<Subaccount>(
    'subaccount',
    `${path}/${reference}`,
    {},
    { isEnabled: isElsewhere, mayBeMissing: true },
  )
  return listed ?? read.data ?? undefined
}
