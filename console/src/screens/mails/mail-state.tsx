import type { Mail } from '../../../../sdk/src/types'
import { Chip, type Tone } from '../../parts/status'
import { mailTexts } from './texts'

const tones: Record<Mail['status'], Tone> = {
  WAITING: 'brand',
  KEPT: 'calm',
  SENT: 'good',
  FAILED: 'bad',
  SUPPRESSED: 'warn',
}

export const MailState = ({ value }: { value: Mail['status'] }) => (
  <Chip tone={tones[value]}>{mailTexts.states[value]}</Chip>
)
