import { useState } from 'react'
import type { KeyPermission } from '../../../../src/merchants/keys/key-permissions'
import { useScope } from '../../api/scope'
import { useWrite } from '../../api/writes'
import { Checkbox, CheckboxList, RadioField } from '../../parts/choices'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { TextArea, TextField } from '../../parts/fields'
import type { ShownKey } from './api-key'
import { keyTexts as words } from './key-texts'

const atFields = ['name', 'expiresAt', 'allowedAddresses', 'permissions']

type Props = {
  /** The key reads this sub-account and nothing else. */
  subaccount?: { reference: string; name: string }
  onClose: () => void
  onMade: (key: ShownKey) => void
}

export function CreateKeyDialog({ subaccount, onClose, onMade }: Props) {
  const { mode } = useScope()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<'secret' | 'public'>('secret')
  const [isRestricted, setRestricted] = useState(false)
  const [permissions, setPermissions] = useState<KeyPermission[]>([])
  const [payoutsWait, setPayoutsWait] = useState(false)
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
      ...(kind === 'secret' && payoutsWait && { payoutsWaitForApproval: true }),
      ...(subaccount && { subaccount: subaccount.reference }),
    })
    if (made) onMade(made)
  }

  return (
    <ConfirmDialog
      title={subaccount ? words.createTitleOf(subaccount.name) : words.createTitle(mode)}
      confirmLabel={words.create}
      isBusy={isBusy}
      isDisabled={name.trim() === '' || lacksPermission}
      refusal={refusal}
      atFields={atFields}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <TextField
        label={words.name}
        description={words.nameHint}
        isFirst
        maxLength={100}
        value={name}
        error={refusal?.issueOf('name')}
        onChange={setName}
      />
      {subaccount ? (
        <p className="soft">{words.ofSubaccount(subaccount.name)}</p>
      ) : (
        <RadioField
          label={words.kind}
          value={kind}
          onChange={setKind}
          choices={(['secret', 'public'] as const).map((value) => ({
            value,
            label: words.kinds[value],
            description: words.kindHints[value],
          }))}
        />
      )}
      {kind === 'secret' && !subaccount && (
        <RadioField
          label={words.access}
          value={isRestricted ? 'restricted' : 'all'}
          onChange={(access) => setRestricted(access === 'restricted')}
          choices={[
            { value: 'all', label: words.allAccess, description: words.allAccessHint },
            { value: 'restricted', label: words.restricted, description: words.restrictedHint },
          ]}
        />
      )}
      {kind === 'secret' && isRestricted && (
        <CheckboxList
          hiddenLabel={words.restricted}
          options={words.permissions}
          values={permissions}
          onChange={setPermissions}
          error={refusal?.issueOf('permissions') ?? (lacksPermission && words.choosePermission)}
        />
      )}
      {kind === 'secret' && !subaccount && (
        <Checkbox
          label={words.payoutsWait}
          description={words.payoutsWaitHint}
          isOn={payoutsWait}
          onChange={setPayoutsWait}
        />
      )}
      <TextField
        type="date"
        label={words.expires}
        description={words.expiryHint}
        value={expiry}
        error={refusal?.issueOf('expiresAt')}
        onChange={setExpiry}
      />
      <TextArea
        label={words.addresses}
        description={words.addressesHint}
        rows={2}
        value={addresses}
        error={refusal?.issueOf('allowedAddresses')}
        onChange={setAddresses}
      />
    </ConfirmDialog>
  )
}
