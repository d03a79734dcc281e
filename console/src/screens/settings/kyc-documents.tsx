import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { DocumentKind } from '../../api/answers'
import { call, request, withQuery, withStepUp } from '../../api/call'
import { Button } from '../../parts/button'
import { notify } from '../../parts/notify'
import { Card } from '../../parts/page'
import { Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { settingTexts } from './texts'

const words = settingTexts.kyc
const kinds = Object.keys(words.kinds) as DocumentKind[]

export type KycDocument = {
  id: string
  kind: DocumentKind
  name: string
  contentType: string
  sizeBytes: number
  createdAt: string
}

type Props = { documents: KycDocument[]; isEditable: boolean; missing: string[] }

/** Every kind of document, what was uploaded of it, and what is still needed. */
export function Documents({ documents, isEditable, missing }: Props) {
  const client = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const [busyKind, setBusyKind] = useState<DocumentKind | null>(null)

  async function run(kind: DocumentKind, change: () => Promise<unknown>) {
    setBusyKind(kind)
    setError(null)
    try {
      await change()
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[2] === 'kyc' })
    } catch (refused) {
      setError(refused)
    } finally {
      setBusyKind(null)
    }
  }

  const upload = (kind: DocumentKind, file: File) =>
    run(kind, async () => {
      const name = [...file.name].slice(-100).join('')
      const path = withQuery('/v1/kyc/documents', { kind, name })
      await call(path, { method: 'POST', body: file })
      void notify(words.uploaded)
    })
  const remove = ({ id, kind }: KycDocument) =>
    run(kind, () => call(`/v1/kyc/documents/${id}`, { method: 'DELETE' }))

  return (
    <Card title={words.documents}>
      <p className="soft small hint">{words.documentsHint}</p>
      <ul className="list">
        {kinds.map((kind) => (
          <li key={kind} className="documents">
            <div className="text">
              <p className="row wrap">
                <span className="bold">{words.kinds[kind]}</span>
                {missing.includes(`documents.${kind}`) && <Chip tone="warn">{words.needed}</Chip>}
              </p>
              {documents
                .filter((document) => document.kind === kind)
                .map((document) => (
                  <OneDocument
                    key={document.id}
                    document={document}
                    onFailed={setError}
                    {...(isEditable && { onRemove: () => void remove(document) })}
                  />
                ))}
            </div>
            {isEditable && (
              <Upload
                kind={kind}
                isBusy={busyKind === kind}
                hasSome={documents.some((document) => document.kind === kind)}
                onFile={(file) => void upload(kind, file)}
              />
            )}
          </li>
        ))}
      </ul>
      {error !== null && (
        <div className="padded">
          <Refusal error={error} />
        </div>
      )}
    </Card>
  )
}

type UploadProps = {
  kind: DocumentKind
  isBusy: boolean
  hasSome: boolean
  onFile: (file: File) => void
}

function Upload({ kind, isBusy, hasSome, onFile }: UploadProps) {
  const input = useRef<HTMLInputElement>(null)
  const label = hasSome ? words.uploadMore : words.upload
  return (
    <>
      <Button
        size="small"
        isBusy={isBusy}
        label={`${label}: ${words.kinds[kind]}`}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept="application/pdf,image/png,image/jpeg"
        aria-label={`${label}: ${words.kinds[kind]}`}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          currentTarget.value = ''
          if (file) onFile(file)
        }}
      />
    </>
  )
}

type OneProps = {
  document: KycDocument
  onRemove?: () => void
  onFailed: (error: unknown) => void
}

function OneDocument({ document: { id, name, sizeBytes }, onRemove, onFailed }: OneProps) {
  async function download() {
    try {
      const response = await withStepUp(() => request(`/v1/kyc/documents/${id}`, {}, '*/*'))
      const link = document.createElement('a')
      link.href = URL.createObjectURL(await response.blob())
      link.download = name
      link.click()
      URL.revokeObjectURL(link.href)
    } catch (refused) {
      onFailed(refused)
    }
  }
  return (
    <p className="row wrap small document">
      <button type="button" className="link" onClick={() => void download()}>
        {name}
      </button>
      <span className="soft">{words.size(Math.ceil(sizeBytes / 1_000))}</span>
      {onRemove && (
        <button
          type="button"
          className="link"
          onClick={onRemove}
          aria-label={`${words.remove}: ${name}`}
        >
          {words.remove}
        </button>
      )}
    </p>
  )
}
