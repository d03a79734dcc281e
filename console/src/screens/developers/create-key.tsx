import { Checkbox, Radio, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { KeyPermission } from '../../../../src/merchants/key-permissions'
import { useScope } from '../../api/scope'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { texts } from '../../texts/en'
import type { ShownKey } from './api-key'

const words = texts.keys
const permissionNames = Object.keys(words.permissions) as KeyPermission[]
const atFields = ['name', 'expiresAt', 'allowedAddresses', 'permissions']

type Props = { onClose: () => void; onMade: (key: ShownKey) => void }

export function CreateKeyDialog({ onClose, onMade }: Props) {
  const { mode } = useScope()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<'secret' | 'public'>('secret')
  const [isRestricted, setRestricted] = useState(false)
  const [permissions, setPermissions] = useState<string[]>([])
  const [addresses, setAddresses] = useState('')
  const [expiry, setExpiry] = useState('')
  const { write, isBusy, refusal } = useWrite<ShownKey>()
  const lacksPermission = kind === 'secret' && isRestricted && permissions.length === 0
  const allowedAddresses = addresses.split(/[\s,]+/).filter(Boolean)

  async function create() {
    const made = await write('/v1/api-keys', {
      name: name.trim(),
      kind,
      ...(expiry && { expiresAt: new Date(`${expiry}T23:59:59`).toISOString() }),
      ...(allowedAddresses.length > 0 && { allowedAddresses }),
      ...(kind === 'secret' && isRestricted && { permissions }),
    })
    if (made) onMade(made)
  }

  return (
    <ConfirmDialog
      isOpen
      title={words.createTitle(mode)}
      confirmLabel={words.create}
      isBusy={isBusy}
      isDisabled={name.trim() === '' || lacksPermission}
      refusal={refusal}
      atFields={atFields}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <TextInput
        label={words.name}
        description={words.nameHint}
        data-autofocus
        maxLength={100}
        value={name}
        error={refusal?.issueOf('name')}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Radio.Group
        label={words.kind}
        value={kind}
        onChange={(value) => setKind(value as 'secret' | 'public')}
      >
        <div className="stack" style={{ gap: 8, marginTop: 6 }}>
          {(['secret', 'public'] as const).map((one) => (
            <Radio
              key={one}
              value={one}
              label={words.kinds[one]}
              description={words.kindHints[one]}
            />
          ))}
        </div>
      </Radio.Group>
      {kind === 'secret' && (
        <Radio.Group
          label={words.access}
          value={isRestricted ? 'restricted' : 'all'}
          onChange={(value) => setRestricted(value === 'restricted')}
        >
          <div className="stack" style={{ gap: 8, marginTop: 6 }}>
            <Radio value="all" label={words.allAccess} description={words.allAccessHint} />
            <Radio value="restricted" label={words.restricted} description={words.restrictedHint} />
          </div>
        </Radio.Group>
      )}
      {kind === 'secret' && isRestricted && (
        <Checkbox.Group
          value={permissions}
          onChange={setPermissions}
          aria-label={words.restricted}
          error={refusal?.issueOf('permissions') ?? (lacksPermission && words.choosePermission)}
        >
          <div className="stack permissions">
            {permissionNames.map((one) => (
              <Checkbox key={one} value={one} label={words.permissions[one]} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <TextInput
        type="date"
        label={words.expires}
        description={words.expiryHint}
        value={expiry}
        error={refusal?.issueOf('expiresAt')}
        onChange={({ currentTarget }) => setExpiry(currentTarget.value)}
      />
      <Textarea
        label={words.addresses}
        description={words.addressesHint}
        rows={2}
        value={addresses}
        error={refusal?.issueOf('allowedAddresses')}
        onChange={({ currentTarget }) => setAddresses(currentTarget.value)}
      />
    </ConfirmDialog>
  )
}
