import './status.css'
import type { ReactNode } from 'react'
import { type Stateful, wordOf } from '../texts/status'

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
  OPEN: 'brand',
  PARTIALLY_PAID: 'brand',
  OVERDUE: 'bad',
  FAILED: 'bad',
  REVERSED: 'bad',
  WAITING: 'brand',
  SENT: 'brand',
  ACTIVE: 'good',
  CLAIMED: 'good',
  PAUSED: 'warn',
  POSTED: 'good',
  paid: 'good',
  pending: 'brand',
  active: 'good',
  delivered: 'good',
  failed: 'bad',
  failing: 'bad',
  suspended: 'bad',
  enabled: 'good',
}

type StatusProps = {
  value: string
  /** What is in this state. Absent: a payment, payout, return or settlement. */
  of?: Stateful | undefined
  tone?: Tone
}

/** A dot and a word: colour alone says nothing. */
export function Status({ value, of, tone }: StatusProps) {
  return <Chip tone={tone ?? tones[value] ?? 'calm'}>{wordOf(value, of)}</Chip>
}

export function Chip({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={tone === 'calm' ? 'chip' : `chip ${tone}`}>{children}</span>
}
