import { useState } from 'react'
import { useMay } from '../../api/session'
import { Button } from '../../parts/button'
import { subjectOf, useFreezes } from './freeze'
import { FreezeDialog } from './freeze-dialog'
import { frozenTexts } from './frozen-texts'
import { freezeTexts } from './texts'

type Props = {
  recipient: Parameters<typeof subjectOf>[0]
  /** The bank account or wallet, in words. */
  place: string
  size?: 'small'
}

/** Absent for those who may not, and while the recipient is frozen already. */
export function FreezeRecipient({ recipient, place, size }: Props) {
  const mayFreeze = useMay('payouts.freeze')
  const [isOpen, setOpen] = useState(false)
  const subject = subjectOf(recipient)
  const frozen = useFreezes('FROZEN').data?.items
  const isFrozen = frozen?.some((one) => one.kind === 'recipient' && one.subject === subject)
  if (!mayFreeze) return null
  return (
    <>
      {!isFrozen && (
        <Button icon="snow" {...(size && { size })} onClick={() => setOpen(true)}>
          {freezeTexts.ofRecipient}
        </Button>
      )}
      {isOpen && (
        <FreezeDialog
          target={{ kind: 'recipient', subject, what: frozenTexts.what.recipient(place) }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
