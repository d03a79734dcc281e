import { developerTexts } from './texts'
import './deliveries.css'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../../api/reads'
import { pathOfReference } from '../../frame/paths-of'
import { Button } from '../../parts/button'
import { CopyBlock, JsonView } from '../../parts/code'
import { Reference } from '../../parts/identifiers'
import { notify } from '../../parts/notify'
import { Card, Fact, Facts, PageHead, Skeleton } from '../../parts/page'
import { ErrorState } from '../../parts/refusals'
import { Time } from '../../parts/time'
import { formatDuration } from '../../parts/time-format'
import { HttpStatus } from './http-status'
import { findReference, type RequestLogWithBodies, toCurl } from './request-log'

const words = developerTexts.requests

export function Screen() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const { data, error, refetch, isPending } = useRead<RequestLogWithBodies>(
    'request',
    `/v1/request-logs/${id}`,
  )
  const reference = data && findReference(data)
  const link = reference && pathOfReference(reference)
  const copy = async (log: RequestLogWithBodies) => {
    await navigator.clipboard.writeText(toCurl(log, window.location.origin))
    void notify(words.copied)
  }
  return (
    <>
      <PageHead
        title={
          <span className="mono-title">{data ? `${data.method} ${data.path}` : words.title}</span>
        }
        tab={data ? `${data.method} ${data.path}` : words.title}
        parent={{ to: '/requests', label: words.title, current: data?.requestId ?? id }}
        beside={data && <HttpStatus status={data.status} />}
        actions={
          data && (
            <>
              {link && (
                <Button icon="external" to={link}>
                  {words.openResource}
                </Button>
              )}
              <Button icon="copy" onClick={() => void copy(data)}>
                {words.copyCurl}
              </Button>
            </>
          )
        }
      />
      {error && !data && (
        <Card>
          <ErrorState error={error} retry={() => void refetch()} />
        </Card>
      )}
      {isPending && <Skeleton height={300} />}
      {data && (
        <div className="with-aside wide-aside">
          <div className="bodies">
            <Body title={words.request} text={data.requestBody} isCut={data.requestBodyCut} />
            <Body title={words.response} text={data.responseBody} isCut={data.responseBodyCut} />
            <p className="soft small">{data.hidden ? words.hidden : words.masked}</p>
          </div>
          <Card>
            <div style={{ paddingTop: 10 }}>
              <Facts>
                <Fact name={words.facts.id}>
                  <Reference value={data.requestId} />
                </Fact>
                <Fact name={words.facts.key}>{data.keyName}</Fact>
                <Fact name={words.facts.when}>
                  <Time value={data.createdAt} show="utc" />
                </Fact>
                <Fact name={words.facts.duration}>{formatDuration(data.durationMs)}</Fact>
                <Fact name={words.facts.query}>{data.query}</Fact>
                <Fact name={words.facts.code}>{data.code}</Fact>
                <Fact name={words.facts.reason}>{data.reason}</Fact>
                <Fact name={words.facts.replayed}>{data.replayed ? words.yes : null}</Fact>
              </Facts>
            </div>
          </Card>
        </div>
      )}
    </>
  )
}

type BodyProps = { title: string; text: string | null; isCut: boolean }

function Body({ title, text, isCut }: BodyProps) {
  const parsed = text ? parse(text) : undefined
  return (
    <Card title={title}>
      <div className="padded" style={{ paddingTop: 0 }}>
        {!text && <p className="soft">{words.noBody}</p>}
        {text && parsed === undefined && <CopyBlock text={text} label={title} />}
        {parsed !== undefined && <JsonView value={parsed} label={title} />}
        {isCut && <p className="soft small">{words.cut}</p>}
      </div>
    </Card>
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
