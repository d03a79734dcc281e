import { useState } from 'react'
import { permissions } from '../../../../src/team/permissions'
import type { PayoutFreeze } from '../../api/answers'
import { toList, usePages, useRead } from '../../api/reads'
import { useScope } from '../../api/scope'
import { useWrite } from '../../api/writes'
import { ConfirmDialog } from '../../parts/confirm-dialog'
import { SelectField, TextArea } from '../../parts/fields'
import { notify } from '../../parts/notify'
import { Note } from '../../parts/page'
import { SearchSelect } from '../../parts/search-select'
import type { ApiKey } from '../developers/api-key'
import type { Member } from '../team/member'
import { changes, type FreezeKind, path, useFreezes } from './freeze'
import { RecipientSubject } from './recipient-subject'
import { freezeTexts } from './texts'

const words = freezeTexts.form
const reasonLengthMax = 500

type Props = {
  /** What another page asks to freeze; absent: the user chooses. */
  target?: { kind: FreezeKind; subject: string; what: string }
  /** What the reason begins with, such as the name of a case. */
  reason?: string
  onClose: () => void
}

/** Refuses payouts at once. One member freezes; two thaw. */
export function FreezeDialog({ target, reason: given = '', onClose }: Props) {
  const { mode } = useScope()
  const [kind, setKind] = useState<FreezeKind | null>(target?.kind ?? null)
  const [subject, setSubject] = useState<string | null>(target?.subject ?? null)
  const [typed, setTyped] = useState(given)
  const { write, isBusy, refusal } = useWrite<PayoutFreeze>(changes)
  const canThaw = useCanThaw(kind, subject)
  // A line, as it is shown in refusals.
  const reason = typed.trim().replaceAll(/\s+/g, ' ')
  const isComplete = kind === 'merchant' || (kind !== null && subject !== null)
  const freeze = async () => {
    const named = kind === 'merchant' ? {} : { subject }
    if (!(await write(path, { kind, ...named, reason }))) return
    onClose()
    void notify(words.done)
  }
  return (
    <ConfirmDialog
      title={target ? words.titleOf(target.what) : words.title}
      confirmLabel={words.confirm}
      isDangerous
      isBusy={isBusy}
      isDisabled={!isComplete || reason === ''}
      refusal={refusal}
      atFields={['reason']}
      onConfirm={() => void freeze()}
      onClose={onClose}
    >
      {!target && (
        <>
          <SelectField
            label={words.what}
            placeholder={words.choose}
            options={words.kinds}
            value={kind}
            onChange={(chosen) => {
              setKind(chosen)
              setSubject(null)
            }}
          />
          {kind === 'key' && <KeySubject value={subject} onChange={setSubject} />}
          {kind === 'member' && <MemberSubject value={subject} onChange={setSubject} />}
          {kind === 'recipient' && <RecipientSubject onChange={setSubject} />}
          {kind === 'rail' && <RailSubject value={subject} onChange={setSubject} />}
        </>
      )}
      <TextArea
        label={words.reason}
        description={words.reasonHint}
        placeholder={words.reasonPlaceholder}
        maxLength={reasonLengthMax}
        value={typed}
        error={refusal?.issueOf('reason')}
        onChange={setTyped}
      />
      {kind && (
        <Note tone="warn" icon="snow" title={words.effects[kind]}>
          <p>
            {words.pending} {words.mode[mode]}
          </p>
          <p>{canThaw ? words.twoPeople : words.onlyOperator}</p>
        </Note>
      )}
    </ConfirmDialog>
  )
}

/** Whether two members can thaw it: those whose own payouts are frozen cannot. */
function useCanThaw(kind: FreezeKind | null, subject: string | null): boolean {
  const team = useRead<{ items: Member[] }>('team', '/v1/team/users').data
  const thawers = team?.items.filter(
    ({ id, role, isDisabled }) =>
      !isDisabled &&
      permissions['payouts.freeze'].may[role] === 'both' &&
      !(kind === 'member' && id === subject),
  )
  return thawers === undefined || thawers.length > 1
}

type SubjectProps = { value: string | null; onChange: (subject: string) => void }

function KeySubject(props: SubjectProps) {
  const keys = usePages<ApiKey>('/v1/api-keys', {}, { limit: 100 }).rows
  const options = keys
    .filter(({ kind, state }) => kind === 'secret' && state !== 'expired' && state !== 'revoked')
    .map(({ id, name, hint }) => ({ value: id, label: `${name} · ${hint}` }))
  return (
    <SearchSelect
      {...props}
      label={words.key}
      placeholder={words.choose}
      noneFound={words.noKey}
      options={options}
    />
  )
}

function MemberSubject(props: SubjectProps) {
  const team = useRead<{ items: Member[] }>('team', '/v1/team/users')
  const options = toList(team).rows.map(({ id, name, isDisabled }) => ({
    value: id,
    label: isDisabled ? words.switchedOff(name) : name,
  }))
  return (
    <SearchSelect
      {...props}
      label={words.member}
      placeholder={words.choose}
      noneFound={words.noMember}
      options={options}
    />
  )
}

function RailSubject(props: SubjectProps) {
  const rails = useFreezes('FROZEN').data?.rails ?? []
  const names = rails.map(({ name, kind }) => [
    name,
    kind === 'bank' ? words.banks(name) : words.chain,
  ])
  return (
    <SelectField
      {...props}
      label={words.rail}
      placeholder={words.choose}
      options={Object.fromEntries(names) as Record<string, string>}
    />
  )
}
