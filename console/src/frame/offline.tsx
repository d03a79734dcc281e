import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { commonTexts } from '../texts/common'

const listen = (onChange: () => void) => onlineManager.subscribe(onChange)

/** A notice while the browser has no network, in which reads wait. */
export function Offline() {
  const isOnline = useSyncExternalStore(listen, () => onlineManager.isOnline())
  return (
    <div role="status">{!isOnline && <p className="band offline">{commonTexts.offline}</p>}</div>
  )
}
