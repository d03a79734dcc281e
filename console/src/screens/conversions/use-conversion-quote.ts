import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ConversionQuote } from '../../../../sdk/src/types'
import { call } from '../../api/call'
import { useScope } from '../../api/scope'
import { type Asset, toWire } from '../../parts/money-format'
import { useSettled } from '../../parts/use-settled'

/** How much of `from` to convert, or how much of `to` to receive. */
export type Wanted = {
  from: Asset
  to: Asset
  side: 'source' | 'target'
  units: bigint | null
}

export type Price = ReturnType<typeof useConversionQuote>

const tickMs = 500

/**
 * The price of a conversion, quoted when the user pauses typing. It is valid for a minute; then the
 * user gets a new one.
 */
export function useConversionQuote(wanted: Wanted | null) {
  const { merchant, mode } = useScope()
  const asked = JSON.stringify(bodyOf(wanted))
  const text = useSettled(asked)
  const { data, error, dataUpdatedAt, isFetching, refetch } = useQuery({
    queryKey: [merchant, mode, 'conversion quote', text],
    enabled: text !== 'null' && asked === text,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    // An amount that is typed again gets a new price.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: ({ signal }) =>
      call<ConversionQuote>('/v1/conversions/quotes', {
        method: 'POST',
        body: JSON.parse(text),
        signal,
      }),
  })
  const isCurrent = asked === text && text !== 'null'
  const quote = isCurrent && !error ? data : undefined
  // By elapsed time: the clock of this device may be wrong.
  const heldMs = quote ? Date.parse(quote.expiresAt) - Date.parse(quote.createdAt) : 0
  const secondsLeft = useSecondsLeft(quote ? dataUpdatedAt + heldMs : null)
  return {
    quote,
    heldSeconds: heldMs / 1_000,
    secondsLeft,
    isExpired: quote !== undefined && secondsLeft === 0,
    error: isCurrent ? error : null,
    isFetching,
    renew: () => void refetch(),
  }
}

function bodyOf(wanted: Wanted | null) {
  if (!wanted?.units) return null
  const { from, to, side, units } = wanted
  return side === 'source'
    ? { from, to, amount: toWire(units, from) }
    : { from, to, targetAmount: toWire(units, to) }
}

/** Seconds until then, rounded up; 0 afterwards. */
function useSecondsLeft(untilMs: number | null): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (untilMs === null) return
    setNow(Date.now())
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= untilMs) clearInterval(timer)
    }, tickMs)
    return () => clearInterval(timer)
  }, [untilMs])
  if (untilMs === null) return 0
  return Math.max(0, Math.ceil((untilMs - now) / 1_000))
}
