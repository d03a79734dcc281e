import { Chip, type Tone } from '../../parts/status'
import { wordOf } from '../../texts/status'

const tones: Record<string, Tone> = { paid: 'good', pending: 'brand', active: 'brand' }

/** Open, paid, expired, cancelled or deactivated. */
export function State({ value }: { value: string }) {
  return <Chip tone={tones[value.toLowerCase()] ?? 'calm'}>{wordOf(value, 'collection')}</Chip>
}
