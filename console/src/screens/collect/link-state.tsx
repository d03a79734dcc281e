import type { PaymentLink } from '../../../../sdk/src/types'
import { Chip, type Tone } from '../../parts/status'
import { wordOf } from '../../texts/status'

const tones: Partial<Record<PaymentLink['status'], Tone>> = { active: 'brand', sold_out: 'good' }

export function LinkState({ value }: { value: PaymentLink['status'] }) {
  return <Chip tone={tones[value] ?? 'calm'}>{wordOf(value, 'payment_link')}</Chip>
}
