import './live-badge.css'
import { useLiveState } from '../api/live'
import { texts } from '../texts/en'
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
      {isStale && texts.common.notUpdatedSince(formatClock(since.toISOString()))}
    </span>
  )
}
