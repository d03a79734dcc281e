import { TextField } from '../../parts/fields'
import { Form } from '../../parts/form'
import './batches.css'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { withQuery } from '../../api/call'
import type { ApiRefusal } from '../../api/refusal'
import { toRefusal } from '../../api/refusal'
import { download, useWrite } from '../../api/writes'
import { Button } from '../../parts/button'
import { DataTable } from '../../parts/data-table'
import { notify } from '../../parts/notify'
import { Card, Note, PageHead, Tile } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { merchant, PayerField } from '../payouts/payer'
import { type Batch, path } from './batch'
import { batchTexts } from './texts'

const words = batchTexts.upload
const fileBytesMax = 5_000_000
/** The server lists no more. */
const problemsMax = 100

export function Screen() {
  const [file, setFile] = useState<File | null>(null)
  const [name, setName] = useState('')
  const [payer, setPayer] = useState(merchant.value)
  const [issue, setIssue] = useState<string | null>(null)
  const navigate = useNavigate()
  const { write, isBusy, refusal, clear } = useWrite<Batch>({ topics: ['batches'] })
  const isTooLarge = file !== null && file.size > fileBytesMax
  const choose = (chosen: File | null) => {
    setFile(chosen)
    setIssue(null)
    clear()
  }
  const send = async () => {
    // Read again now: it may have been corrected since it was chosen.
    const text = await file!.text().catch(() => null)
    if (text === null) {
      setIssue(words.unreadable)
      return
    }
    const body = new Blob([text], { type: 'text/csv' })
    const from = payer === merchant.value ? undefined : payer
    const created = await write(withQuery(path, { name: name.trim(), from }), body)
    if (!created) return
    await navigate({
      to: '/payouts/batches/$reference',
      params: { reference: created.reference } as never,
    })
  }
  return (
    <Form
      onSubmit={() => {
        if (file && !isTooLarge) void send()
      }}
    >
      <PageHead
        title={words.title}
        parent={{ to: '/payouts/batches', label: batchTexts.title, current: words.crumb }}
      />
      <div className="with-aside wide-aside">
        <div className="stack">
          <Card isPadded className="form">
            <Drop file={file} onChoose={choose} />
            {(isTooLarge || issue) && (
              <div role="alert">
                <Note tone="bad" title={issue ?? words.tooLarge} />
              </div>
            )}
            <TextField
              label={
                <>
                  {words.name} <span className="soft">{words.optional}</span>
                </>
              }
              description={words.nameHint}
              isDescribedBelow
              placeholder={words.namePlaceholder}
              maxLength={100}
              value={name}
              error={refusal?.issueOf('name')}
              onChange={setName}
            />
            <PayerField value={payer} onChange={setPayer} />
            <div className="sticky-actions">
              <Button
                type="submit"
                kind="primary"
                size="big"
                icon="payOut"
                isWide
                isBusy={isBusy}
                isDisabled={file === null || isTooLarge}
              >
                {words.send}
              </Button>
            </div>
            <p className="soft small">{words.sendHint}</p>
          </Card>
          {refusal && <Problems refusal={refusal} />}
        </div>
        <Templates />
      </div>
    </Form>
  )
}

type DropProps = { file: File | null; onChoose: (file: File | null) => void }

function Drop({ file, onChoose }: DropProps) {
  const [isOver, setOver] = useState(false)
  return (
    <label
      className={isOver ? 'drop dragged-over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const [dropped] = event.dataTransfer.files
        if (dropped) onChoose(dropped)
      }}
    >
      <Tile icon={file ? 'file' : 'payOut'} tone={file ? 'brand' : 'calm'} />
      <b>{file ? file.name : words.choose}</b>
      <span className="soft small">
        {file
          ? `${words.size(Math.max(1, Math.round(file.size / 1_000)).toLocaleString('en'))} · ${words.another}`
          : `${words.orDrop} · ${words.bounds}`}
      </span>
      <input
        className="hidden"
        type="file"
        aria-label={words.file}
        accept=".csv,text/csv"
        onClick={({ currentTarget }) => {
          // The same file, corrected, counts as a new choice.
          currentTarget.value = ''
        }}
        onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0] ?? null)}
      />
    </label>
  )
}

/** `line 4, accountNumber`. */
const placePattern = /^line (\d+)(?:, (.+))?$/

/** What is wrong with the file, line by line. */
function Problems({ refusal }: { refusal: ApiRefusal }) {
  const rows = refusal.details.map(({ field, issue }, at) => {
    const [, line, column] = placePattern.exec(field) ?? []
    return { key: `${at}`, line: line ?? '', column: line ? (column ?? '') : field, issue }
  })
  if (!rows.some(({ line }) => line !== '')) return <Refusal error={refusal} atFields={['name']} />
  return (
    <Card title={words.problems(rows.length)} className="batch-items">
      <p className="padded no-top-padding soft" role="alert">
        {words.problemsText} {rows.length >= problemsMax && words.problemsMore}
      </p>
      <DataTable
        caption={words.problemsCaption}
        list={{ rows }}
        keyOf={({ key }) => key}
        empty={null}
        columns={[
          {
            name: 'line',
            head: words.line,
            align: 'end',
            phone: 2,
            hasPhoneHead: true,
            cell: (row) => <b>{row.line}</b>,
          },
          {
            name: 'column',
            head: words.column,
            phone: 1,
            cell: (row) => <span className="mono">{row.column}</span>,
          },
          { name: 'issue', head: words.issue, isGrowing: true, phone: 3, cell: (row) => row.issue },
        ]}
      />
    </Card>
  )
}

function Templates() {
  const save = (kind: string) =>
    download(`${path}/template`, { kind }, `${kind}-batch.csv`).catch((error: unknown) =>
      notify(toRefusal(error).sentence, 'bad'),
    )
  return (
    <Card title={words.templates} layout="form">
      <p className="soft">{words.templatesText}</p>
      <div className="template">
        <Button icon="download" onClick={() => void save('bank_transfer')}>
          {words.bank}
        </Button>
        <Columns names={words.bankColumns} />
        <Button icon="download" onClick={() => void save('crypto_transfer')}>
          {words.crypto}
        </Button>
        <Columns names={words.cryptoColumns} />
      </div>
    </Card>
  )
}

function Columns({ names }: { names: { required: string[]; optional: string[] } }) {
  return (
    <dl className="template-columns">
      <dt>{words.requiredColumns}</dt>
      <dd>{names.required.join(', ')}</dd>
      <dt>{words.optionalColumns}</dt>
      <dd>{names.optional.join(', ')}</dd>
    </dl>
  )
}
