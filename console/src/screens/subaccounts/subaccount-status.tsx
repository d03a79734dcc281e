import type { Subaccount } from '../../../../sdk/src/types'
import { Chip, Status } from '../../parts/status'
import { subaccountTexts } from './texts'

/** One that is being closed is paused, which alone would say too little. */
export function SubaccountStatus({ subaccount }: { subaccount: Subaccount }) {
  const { status, closing } = subaccount
  if (closing) return <Chip tone="brand">{subaccountTexts.closing}</Chip>
  return <Status of="subaccount" value={status} />
}
