import { useLiveState } from '../api/live'
import { texts } from '../texts/en'
import { formatClock } from './time-format'

/** Whether what is shown updates by itself. */
export function LiveBadge({ className = '' }: { className?: string }) {
  const { state, since } = useLiveState()
  const isStale = state === 'stale'
  return (
    <span className={`live ${isStale ? 'stale ' : ''}${className}`} role="status">
      {isStale ? texts.common.notUpdatedSince(formatClock(since.toISOString())) : texts.common.live}
    </span>
  )
}
