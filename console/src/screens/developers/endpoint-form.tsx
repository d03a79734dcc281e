import { useState } from 'react'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '../../../../sdk/src/types'
import { useMay } from '../../api/session'
import { useWrite } from '../../api/writes'
import { Checkbox, RadioField } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextField } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { eventGroups, typesOfGroup } from './event-types'
import { developerTexts } from './texts'

const words = developerTexts.webhooks.form

type Props = {
  /** The endpoint to edit; absent: a new one. */
  endpoint?: WebhookEndpoint
  /** A new endpoint is answered with its secret. */
  onCreated?: (created: WebhookEndpointWithSecret) => void
  onClose: () => void
}

/** Address, description and events of a new or existing endpoint. */
export function EndpointForm({ endpoint, onCreated, onClose }: Props) {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  // An endpoint receives only what its creator may see: developers do not see balances.
  const seesAll = useMay('balances.see')
  const [isAll, setAll] = useState(endpoint?.events.includes('*') ?? seesAll)
  const [chosen, setChosen] = useState(() => endpoint?.events.filter((one) => one !== '*') ?? [])
  const { write, isBusy, refusal } = useWrite<WebhookEndpointWithSecret>({
    method: endpoint ? 'PATCH' : 'POST',
    topics: ['deliveries'],
    reads: ['endpoints'],
  })
  const save = async () => {
    const path = `/v1/webhook-endpoints${endpoint ? `/${endpoint.id}` : ''}`
    const events = isAll ? ['*'] : chosen
    const saved = await write(path, { url: url.trim(), description: description.trim(), events })
    if (!saved) return
    if (!endpoint) onCreated?.(saved)
    else void notify(words.saved)
    onClose()
  }
  const toggle = (filter: string, isOn: boolean) => {
    const covered = filter.endsWith('.*') ? typesOfGroup(filter) : []
    const others = chosen.filter((one) => one !== filter && !covered.includes(one as never))
    setChosen(isOn ? [...others, filter] : others)
  }
  return (
    <ConfirmDialog
      title={endpoint ? words.editTitle : words.createTitle}
      confirmLabel={endpoint ? words.save : words.create}
      isBusy={isBusy}
      isDisabled={url.trim() === '' || (!isAll && chosen.length === 0)}
      refusal={refusal}
      atFields={['url', 'description']}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <TextField
        label={words.url}
        placeholder={words.urlPlaceholder}
        value={url}
        error={refusal?.issueOf('url')}
        inputMode="url"
        autoFocus
        onChange={setUrl}
      />
      <TextField
        label={words.description}
        placeholder={words.descriptionPlaceholder}
        value={description}
        error={refusal?.issueOf('description')}
        onChange={setDescription}
      />
      <RadioField
        label={words.events}
        value={isAll ? 'all' : 'some'}
        onChange={(value) => setAll(value === 'all')}
        choices={[
          { value: 'all', label: words.all, isDisabled: !seesAll },
          { value: 'some', label: words.some },
        ]}
        isRow
      />
      {!isAll && (
        <div className="types" role="group" aria-label={words.events}>
          {eventGroups.map((group) => (
            <Group key={group} group={group} chosen={chosen} onToggle={toggle} />
          ))}
        </div>
      )}
    </ConfirmDialog>
  )
}

type GroupProps = {
  group: string
  chosen: string[]
  onToggle: (filter: string, isOn: boolean) => void
}

function Group({ group, chosen, onToggle }: GroupProps) {
  const isWhole = chosen.includes(group)
  return (
    <>
      <Checkbox label={group} isOn={isWhole} onChange={(isOn) => onToggle(group, isOn)} />
      {typesOfGroup(group).map((type) => (
        <Checkbox
          key={type}
          isNested
          label={type}
          isOn={isWhole || chosen.includes(type)}
          isDisabled={isWhole}
          onChange={(isOn) => onToggle(type, isOn)}
        />
      ))}
    </>
  )
}
