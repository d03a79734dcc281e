import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { developerTexts } from './texts'

const words = developerTexts.webhooks.recover

/** Counts what an endpoint has missed; sends nothing. */
function useMissed(endpointId: string, since: string, isEnabled: boolean) {
  return useQuery({
    queryKey: ['missed', endpointId, since],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const { deliveries } = await call<{ deliveries: number }>(recoverPath(endpointId), {
        method: 'POST',
        body: { since, dryRun: true },
        signal,
      })
      return deliveries
    },
  })
}

const recoverPath = (endpointId: string) => `/v1/webhook-endpoints/${endpointId}/recover`

type Props = { endpointId: string; since: string; onClose: () => void }

/** Sends everything that an endpoint has missed since a time, after showing how much that is. */
export function RecoverDialog({ endpointId, since: proposed, onClose }: Props) {
  const [typed, setTyped] = useState(proposed.slice(0, 'yyyy-mm-ddThh:mm'.length))
  const since = `${typed}:00Z`
  const isTime = !Number.isNaN(Date.parse(since))
  const missed = useMissed(endpointId, since, isTime)
  const { write, isBusy, refusal } = useWrite<{ deliveries: number }>({ topics: ['deliveries'] })
  const send = async () => {
    const sent = await write(recoverPath(endpointId), { since })
    if (!sent) return
    void notify(words.done(sent.deliveries))
    onClose()
  }
  const count = missed.data ?? 0
  return (
    <ConfirmDialog
      title={words.title}
      confirmLabel={count === 0 ? words.confirmNone : words.confirm(count)}
      isBusy={isBusy}
      isDisabled={count === 0}
      refusal={refusal ?? missed.error}
      onConfirm={() => void send()}
      onClose={onClose}
    >
      <TextField
        type="datetime-local"
        label={words.since}
        description={words.sinceHint}
        value={typed}
        onChange={setTyped}
      />
      <p role="status">{missed.data === undefined ? words.counting : words.count(missed.data)}</p>
    </ConfirmDialog>
  )
}
