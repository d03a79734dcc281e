import { useSyncExternalStore } from 'react'
import { texts } from '../texts/en'

function listen(onChange: () => void) {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

/** A notice while the browser has no network. */
export function Offline() {
  const isOnline = useSyncExternalStore(listen, () => navigator.onLine)
  return (
    <div role="status">{!isOnline && <p className="band offline">{texts.common.offline}</p>}</div>
  )
}
