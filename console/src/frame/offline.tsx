import { useNetwork } from '@mantine/hooks'
import { texts } from '../texts/en'

/** A notice while the browser has no network. */
export function Offline() {
  const { online } = useNetwork()
  return (
    <div role="status">{!online && <p className="band offline">{texts.common.offline}</p>}</div>
  )
}
