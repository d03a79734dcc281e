import type { KycForm } from '../../api/answers'
import { Button } from '../../parts/button'
import { SelectField, TextArea, TextField } from '../../parts/fields'
import { Card } from '../../parts/page'
import { settingTexts } from './texts'

const words = settingTexts.kyc

type Props = {
  form: KycForm
  change: (form: KycForm) => void
  isDisabled: boolean
  issueOf: (field: string) => string | undefined
  isMissing: (field: string) => boolean
}

type Business = KycForm['business']
type Contact = KycForm['contact']
type Person = KycForm['people'][number]

/** What every field has. An empty text is what is not filled in. */
function useField({ isDisabled, issueOf, isMissing }: Props) {
  return (
    label: string,
    field: string,
    value: string | null,
    set: (text: string | null) => void,
    description?: string,
  ) => ({
    label,
    value: value ?? '',
    isDisabled,
    error: issueOf(field) ?? (isMissing(field) ? words.needed : undefined),
    ...(description && { description }),
    onChange: (text: string) => set(text === '' ? null : text),
  })
}

export function BusinessFields(props: Props) {
  const { form, change, isDisabled, issueOf, isMissing } = props
  const { business } = form
  const toField = useField(props)
  const set = (changed: Partial<Business>) =>
    change({ ...form, business: { ...business, ...changed } })
  const field = (label: string, name: Exclude<keyof Business, 'type'>, hint?: string) =>
    toField(label, `business.${name}`, business[name], (text) => set({ [name]: text }), hint)
  return (
    <Card
      title={words.card}
      aside={<span className="soft small">{words.intro}</span>}
      layout="form"
    >
      <div className="two-columns">
        <TextField {...field(words.legalName, 'legalName')} maxLength={100} />
        <SelectField
          label={words.type}
          options={words.types}
          value={business.type}
          isDisabled={isDisabled}
          error={
            issueOf('business.type') ?? (isMissing('business.type') ? words.needed : undefined)
          }
          onChange={(type) => set({ type })}
          onClear={() => set({ type: null })}
        />
        <TextField
          {...field(words.registrationNumber, 'registrationNumber', words.registrationHint)}
        />
        <TextField {...field(words.taxNumber, 'taxNumber', settingTexts.optional)} />
      </div>
      <TextField {...field(words.address, 'address')} maxLength={500} />
      <div className="two-columns">
        <TextField {...field(words.city, 'city')} maxLength={100} />
        <TextField {...field(words.state, 'state')} maxLength={100} />
      </div>
      <TextField
        {...field(words.website, 'website', `${settingTexts.optional} ${words.websiteHint}`)}
        type="url"
      />
      <TextArea {...field(words.description, 'description')} rows={3} maxLength={500} />
    </Card>
  )
}

export function ContactFields(props: Props) {
  const { form, change } = props
  const { contact } = form
  const toField = useField(props)
  const field = (label: string, name: keyof Contact) =>
    toField(label, `contact.${name}`, contact[name], (text) =>
      change({ ...form, contact: { ...contact, [name]: text } }),
    )
  return (
    <Card title={words.contact} layout="three-columns">
      <TextField {...field(words.contactName, 'name')} maxLength={100} />
      <TextField {...field(words.email, 'email')} type="email" />
      <TextField {...field(words.phone, 'phone')} type="tel" />
    </Card>
  )
}

const emptyPerson: Person = {
  name: null,
  position: null,
  dateOfBirth: null,
  bvn: null,
  sharePercent: null,
}

const peopleMax = 10

export function PeopleFields(props: Props) {
  const { form, change, isDisabled } = props
  const { people } = form
  const set = (index: number, changed: Partial<Person>) =>
    change({
      ...form,
      people: people.map((person, at) => (at === index ? { ...person, ...changed } : person)),
    })
  return (
    <Card
      title={words.people}
      aside={<span className="soft small">{words.peopleHint}</span>}
      layout="form"
    >
      {people.map((person, index) => (
        <PersonFields
          // biome-ignore lint/suspicious/noArrayIndexKey: people have no other name
          key={index}
          {...props}
          index={index}
          person={person}
          set={(changed) => set(index, changed)}
          remove={() => change({ ...form, people: people.filter((_, at) => at !== index) })}
        />
      ))}
      {!isDisabled && people.length < peopleMax && (
        <div>
          <Button
            icon="plus"
            size="small"
            onClick={() => change({ ...form, people: [...people, emptyPerson] })}
          >
            {words.addPerson}
          </Button>
        </div>
      )}
    </Card>
  )
}

type PersonProps = Props & {
  index: number
  person: Person
  set: (changed: Partial<Person>) => void
  remove: () => void
}

function PersonFields(props: PersonProps) {
  const { index, person, set, remove, isDisabled, issueOf, isMissing } = props
  const toField = useField(props)
  const path = `people.${index}`
  const field = (label: string, name: 'name' | 'dateOfBirth' | 'bvn', hint?: string) =>
    toField(label, `${path}.${name}`, person[name], (text) => set({ [name]: text }), hint)
  return (
    <fieldset className="plain person">
      <legend className="bold">{words.person(index + 1)}</legend>
      <div className="two-columns">
        <TextField {...field(words.personName, 'name')} maxLength={100} />
        <SelectField
          label={words.position}
          options={words.positions}
          value={person.position}
          isDisabled={isDisabled}
          error={
            issueOf(`${path}.position`) ??
            (isMissing(`${path}.position`) ? words.needed : undefined)
          }
          onChange={(position) => set({ position })}
          onClear={() => set({ position: null })}
        />
        <TextField {...field(words.dateOfBirth, 'dateOfBirth')} type="date" />
        <TextField {...field(words.bvn, 'bvn', words.bvnHint)} inputMode="numeric" maxLength={11} />
        <TextField
          {...toField(
            words.share,
            `${path}.sharePercent`,
            person.sharePercent === null ? null : String(person.sharePercent),
            (text) => {
              const percent = Number(text?.replaceAll(/\D/g, ''))
              set({ sharePercent: text === null ? null : Math.min(100, percent) })
            },
          )}
          inputMode="numeric"
          maxLength={3}
        />
      </div>
      {!isDisabled && (
        <p style={{ marginTop: 10 }}>
          <Button size="small" kind="danger" onClick={remove}>
            {words.removePerson}
          </Button>
        </p>
      )}
    </fieldset>
  )
}
