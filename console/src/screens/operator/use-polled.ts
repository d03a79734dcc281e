import { useEffect } from 'react'
import type { Query } from '../../api/call'
import { useRead } from '../../api/reads'

const pollIntervalMs = 15_000

/** A read that fetches again every 15 seconds: the live stream is of one merchant. */
export function usePolled<Data>(key: string, path: string, query: Query = {}) {
  const read = useRead<Data>(key, path, query)
  const { refetch } = read
  useEffect(() => {
    const timer = setInterval(() => void refetch(), pollIntervalMs)
    return () => clearInterval(timer)
  }, [refetch])
  return read
}
