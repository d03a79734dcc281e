import { commonTexts } from '../texts/common'
import './live-badge.css'
import { useLiveState } from '../api/live'
import { formatClock } from './time-format'

/**
 * Warns if what is shown no longer updates by itself. Empty while it does: a badge "Live" would
 * read as live mode.
 */
export function LiveBadge({ className = '' }: { className?: string }) {
  const { state, since } = useLiveState()
  const isStale = state === 'stale'
  return (
    <span className={isStale ? `live-badge stale ${className}` : className} role="status">
      {isStale && commonTexts.notUpdatedSince(formatClock(since.toISOString()))}
    </span>
  )
}
