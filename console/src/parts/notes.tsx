import { useState } from 'react'
import { useRead } from '../api/reads'
import { useMay } from '../api/session'
import { useWrite } from '../api/writes'
import { noteTexts as words } from '../texts/notes'
import { Button } from './button'
import { ConfirmDialog } from './confirm-dialog'
import { TextArea } from './fields'
import { Form } from './form'
import { Card, SkeletonRows } from './page'
import { Refusal } from './refusals'
import { Time } from './time'
import { WhenRead } from './when-read'

const textLengthMax = 2_000

type Note = {
  reference: string
  /** Null: withdrawn. */
  text: string | null
  author: string
  isOwn: boolean
  createdAt: string
}

/** What the team wrote about a payment or payout. `path` is that of its notes. */
export function Notes({ path }: { path: string }) {
  const read = useRead<{ items: Note[] }>('notes', path)
  const mayWrite = useMay('notes.write')
  return (
    <Card title={words.title}>
      <WhenRead read={read} placeholder={<SkeletonRows count={1} />}>
        {({ items }) => (
          <>
            {items.length === 0 ? (
              <p className="soft hint">{words.empty}</p>
            ) : (
              <ul className="notes">
                {items.map((note) => (
                  <li key={note.reference} className="padded no-top-padding">
                    <OneNote note={note} path={path} />
                  </li>
                ))}
              </ul>
            )}
            {mayWrite && <NewNote path={path} />}
          </>
        )}
      </WhenRead>
    </Card>
  )
}

function OneNote({ note, path }: { note: Note; path: string }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <p className="row spread">
        <b>{note.author}</b>
        <span className="soft small">
          <Time value={note.createdAt} show="moment" />
        </span>
      </p>
      {note.text === null ? (
        <p className="soft">{words.withdrawn}</p>
      ) : (
        <p className="said">{note.text}</p>
      )}
      {note.isOwn && note.text !== null && (
        <button type="button" className="link small" onClick={() => setAsking(true)}>
          {words.withdraw}
        </button>
      )}
      {isAsking && <Withdraw path={`${path}/${note.reference}`} onClose={() => setAsking(false)} />}
    </>
  )
}

function Withdraw({ path, onClose }: { path: string; onClose: () => void }) {
  const { write, isBusy, refusal } = useWrite({ reads: ['notes'] })
  const withdraw = async () => {
    if ((await write(`${path}/withdraw`)) !== undefined) onClose()
  }
  return (
    <ConfirmDialog
      title={words.withdrawTitle}
      confirmLabel={words.withdraw}
      isDangerous
      isBusy={isBusy}
      refusal={refusal}
      onConfirm={() => void withdraw()}
      onClose={onClose}
    >
      <p>{words.withdrawText}</p>
    </ConfirmDialog>
  )
}

function NewNote({ path }: { path: string }) {
  const [text, setText] = useState('')
  const { write, isBusy, refusal } = useWrite({ reads: ['notes'] })
  const add = async () => {
    if ((await write(path, { text: text.trim() })) !== undefined) setText('')
  }
  return (
    <Form className="padded form top-line" onSubmit={() => void add()}>
      <TextArea
        label={words.write}
        description={words.hint}
        value={text}
        maxLength={textLengthMax}
        error={refusal?.issueOf('text')}
        onChange={setText}
      />
      <Refusal error={refusal} atFields={['text']} />
      <div>
        <Button type="submit" size="small" isBusy={isBusy} isDisabled={text.trim() === ''}>
          {words.add}
        </Button>
      </div>
    </Form>
  )
}
