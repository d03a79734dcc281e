import type { Claim } from '../../../../sdk/src/types'
import { Chip, Status } from '../../parts/status'
import { claimTexts } from './texts'

/** A locked claim is open, but cannot be claimed: that matters more. */
export const ClaimStatus = ({ claim }: { claim: Claim }) =>
  claim.locked ? (
    <Chip tone="warn">{claimTexts.locked}</Chip>
  ) : (
    <Status of="claim" value={claim.status} />
  )
