import { Chip, type Tone } from '../../parts/status'

function toneOfStatus(status: number | null): Tone {
  if (status === null || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

/** The status of an answer, or words if there was none. */
export function HttpStatus({ status, none = '' }: { status: number | null; none?: string }) {
  return <Chip tone={toneOfStatus(status)}>{status ?? none}</Chip>
}
