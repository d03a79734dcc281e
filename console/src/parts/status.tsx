import type { ReactNode } from 'react'
import { statusWords } from '../texts/status'

export type Tone = 'good' | 'warn' | 'bad' | 'brand' | 'calm'

const tones: Record<string, Tone> = {
  HELD: 'warn',
  RETURNING: 'brand',
  ACCEPTED: 'good',
  PENDING: 'warn',
  SUBMITTED: 'brand',
  COMPLETED: 'good',
  CONFIRMED: 'good',
  PAID: 'good',
  FAILED: 'bad',
  REVERSED: 'bad',
  WAITING: 'brand',
  SENT: 'brand',
  ACTIVE: 'good',
  paid: 'good',
  pending: 'brand',
  active: 'good',
  delivered: 'good',
  failed: 'bad',
  failing: 'bad',
  suspended: 'bad',
  enabled: 'good',
}

/** A dot and a word: colour alone says nothing. */
export function Status({ value, tone }: { value: string; tone?: Tone }) {
  return <Chip tone={tone ?? tones[value] ?? 'calm'}>{statusWords[value] ?? sentence(value)}</Chip>
}

export function Chip({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={tone === 'calm' ? 'chip' : `chip ${tone}`}>{children}</span>
}

/** `UNDER_REVIEW` → `Under review`. */
function sentence(value: string): string {
  const words = value.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
