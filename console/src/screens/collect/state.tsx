import { Chip, type Tone } from '../../parts/status'
import { texts } from '../../texts/en'

const tones: Record<string, Tone> = { paid: 'good', pending: 'brand', active: 'brand' }

/** Open, paid, expired or cancelled, in the words of this area. */
export function State({ value }: { value: string }) {
  return (
    <Chip tone={tones[value.toLowerCase()] ?? 'calm'}>{texts.collect.status[value] ?? value}</Chip>
  )
}
