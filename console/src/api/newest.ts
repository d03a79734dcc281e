import { type Page, useRead } from './reads'
import { type Permission, useMay } from './session'

/** Resources that screens show by name, and choose by name. */
export type NamedResources = {
  /** Names of the reads; see `useRead`. */
  listRead: string
  itemRead: string
  path: string
  /** Users without it see references instead of names. */
  permission: Permission
}

/** As many as one answer has; a merchant may have more. */
const listedMax = 100

/** The newest ones. Nothing for users who see none. */
export function useNewest<Row>({ listRead, path, permission }: NamedResources) {
  const maySee = useMay(permission)
  const { data, error, refetch } = useRead<Page<Row>>(
    listRead,
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

/** One of them: of the newest, or else read by itself. */
export function useNamed<Row extends { reference: string }>(
  resources: NamedResources,
  reference: string | null,
): Row | undefined {
  const { items, hasMore } = useNewest<Row>(resources)
  const listed = items.find((one) => one.reference === reference)
  const isElsewhere = reference !== null && hasMore && listed === undefined
  const read = useRead<Row>(
    resources.itemRead,
    `${resources.path}/${reference}`,
    {},
    { isEnabled: isElsewhere, mayBeMissing: true },
  )
  return listed ?? read.data ?? undefined
}
