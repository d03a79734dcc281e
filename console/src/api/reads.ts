import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { call, type Query } from './call'
import { onChanged } from './live'
import { ApiRefusal } from './refusal'
import { type Scope, useScope } from './scope'
import { topics as allTopics, type Topic, topicsOf } from './topics'

export type ReadOptions = {
  /** Hints that make it out of date; by default those of its path. */
  topics?: readonly Topic[]
  isEnabled?: boolean
  /** An operation that an older server may lack: 404 reads as undefined. */
  mayBeMissing?: boolean
}

const keyOf = ({ merchant, mode }: Scope, key: string, path: string, query?: Query) => [
  merchant,
  mode,
  key,
  path,
  query ?? {},
]

/**
 * Reads one answer and keeps it up to date while it is shown. `key` names the read, so that a
 * write can name what it changes.
 */
export function useRead<Data>(
  key: string,
  path: string,
  query?: Query,
  { topics = topicsOf(path), isEnabled = true, mayBeMissing = false }: ReadOptions = {},
) {
  const scope = useScope()
  return useQuery({
    queryKey: keyOf(scope, key, path, query),
    enabled: isEnabled,
    meta: { topics },
    queryFn: async ({ signal }): Promise<Data | null> => {
      try {
        return await call<Data>(path, { query, signal })
      } catch (error) {
        const isMissing = error instanceof ApiRefusal && error.status === 404
        if (mayBeMissing && isMissing) return null
        throw error
      }
    },
  })
}

type ReadRows<Row> = {
  data: { items: Row[] } | null | undefined
  isPending: boolean
  error: unknown
  refetch: () => unknown
}

/** A read of all rows at once, as a table takes it. */
export const toList = <Row>({ data, isPending, error, refetch }: ReadRows<Row>) => ({
  rows: data?.items ?? [],
  isLoading: isPending,
  error,
  retry: () => void refetch(),
})

/** What does not exist is not asked for again: its reference never names another thing. */
export function isKnownMissing({ state }: { state: { error: unknown } }): boolean {
  return state.error instanceof ApiRefusal && state.error.status === 404
}

/** Makes every shown read of these topics fetch again when a hint arrives. */
export function refetchOnHints(client: QueryClient): () => void {
  const stops = allTopics.map((topic) =>
    onChanged([topic], () => {
      client.invalidateQueries({
        predicate: (query) =>
          ((query.meta?.topics ?? []) as Topic[]).includes(topic) && !isKnownMissing(query),
      })
      // A list that is not shown reads again when it is; one that is shown listens itself.
      client.invalidateQueries({
        type: 'inactive',
        refetchType: 'none',
        predicate: ({ meta }) => ((meta?.listTopics ?? []) as Topic[]).includes(topic),
      })
    }),
  )
  stops.push(
    onChanged(['clock'], () => {
      client.invalidateQueries({ predicate: (query) => !isKnownMissing(query) })
    }),
  )
  return () => {
    for (const stop of stops) stop()
  }
}

export type Page<Row> = { items: Row[]; nextCursor: string | null }

type PagesOptions<Row> = ReadOptions & {
  limit?: number
  /** Identifies a row; by default its `reference`, `id`, `requestId` or `number`. */
  keyOfRow?: (row: Row) => string
}

/**
 * A list by cursor. New rows do not push others away while a person reads: `newCount` says how
 * many there are, `showNew` shows them. Rows that changed change in place.
 */
export function usePages<Row>(
  path: string,
  filters: Query = {},
  { limit = 25, keyOfRow = defaultKey, topics, isEnabled = true }: PagesOptions<Row> = {},
) {
  const scope = useScope()
  const client = useQueryClient()
  const queryKey = [...keyOf(scope, 'pages', path, filters), limit]
  const pages = useInfiniteQuery({
    queryKey,
    enabled: isEnabled,
    meta: { listTopics: topics ?? topicsOf(path) },
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call<Page<Row>>(path, { query: { ...filters, limit, cursor: pageParam }, signal }),
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    // Hints read the first page only; see below.
    staleTime: Number.POSITIVE_INFINITY,
    // No stream hints at what operators see, so their lists are read again when shown.
    refetchOnMount: path.startsWith('/operator/') ? 'always' : true,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  })

  const [head, setHead] = useState<Page<Row> | null>(null)
  const queryText = JSON.stringify(queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query forgets the first page
  useEffect(() => setHead(null), [queryText])
  const wanted = (topics ?? topicsOf(path)).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the query
  useEffect(() => {
    if (wanted === '' || !isEnabled) return
    return onChanged(
      wanted.split(',') as Topic[],
      oneAtATime(async () => {
        setHead(await call<Page<Row>>(path, { query: { ...filters, limit } }))
      }),
    )
  }, [queryText, wanted, isEnabled])

  const shown = pages.data?.pages.flatMap(({ items }) => items) ?? []
  const known = new Set(shown.map(keyOfRow))
  const fresh = new Map(head?.items.map((row) => [keyOfRow(row), row]))
  const newCount = [...fresh.keys()].filter((key) => !known.has(key)).length
  const showNew = useCallback(() => {
    if (!head) return
    client.setQueryData(JSON.parse(queryText), { pages: [head], pageParams: [undefined] })
    setHead(null)
  }, [client, head, queryText])
  // An empty list has nothing to push away.
  useEffect(() => {
    if (newCount > 0 && known.size === 0 && pages.data) showNew()
  })

  return {
    rows: shown.map((row) => fresh.get(keyOfRow(row)) ?? row),
    newCount,
    showNew,
    hasMore: pages.hasNextPage,
    loadMore: () => void pages.fetchNextPage(),
    isLoadingMore: pages.isFetchingNextPage,
    isLoading: pages.isPending && isEnabled,
    error: pages.error,
    retry: () => void pages.refetch(),
  }
}

function defaultKey(row: unknown): string {
  const { reference, id, requestId, number } = row as Record<string, unknown>
  return String(reference ?? id ?? requestId ?? number)
}

/** Runs again after the current run if it was asked to meanwhile. Failures wait for the next hint. */
function oneAtATime(run: () => Promise<void>): () => void {
  let isRunning = false
  let isAskedAgain = false
  const start = async () => {
    if (isRunning) {
      isAskedAgain = true
      return
    }
    isRunning = true
    await run().catch(() => {})
    isRunning = false
    if (!isAskedAgain) return
    isAskedAgain = false
    void start()
  }
  return () => void start()
}
