import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AuditLine, ChainState, ChainVerdict } from '../../api/answers'
import { usePages, useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { download, useWrite } from '../../api/writes'
import { pathOfReference } from '../../frame/paths-of'
import { Button } from '../../parts/button'
import { JsonView } from '../../parts/code'
import { type Column, DataTable } from '../../parts/data-table'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import { Reference, shorten } from '../../parts/identifiers'
import { Card, EmptyState, Note, PageHead, Skeleton } from '../../parts/page'
import { ErrorState, Refusal } from '../../parts/refusals'
import { Chip } from '../../parts/status'
import { Time } from '../../parts/time'
import { commonTexts } from '../../texts/common'
import { describeLine } from './describe-line'
import { filterActions, auditTexts as words } from './texts'

type Members = { items: { id: string; name: string; email: string }[] }

const path = '/v1/audit-lines'

/** Who did what, and whether the log is as it was written. */
export function Screen() {
  const maySeeAll = useMay('audit.see')
  const mayExport = useMay('exports.make')
  const filters = useAuditFilters(maySeeAll)
  const { values, change, isFiltered } = useFilters(filters)
  const list = usePages<AuditLine>(path, values, { keyOfRow: ({ id }) => id })
  const [openId, setOpenId] = useState<string | null>(null)
  const toggle = (id: string) => setOpenId(openId === id ? null : id)
  return (
    <>
      <PageHead
        title={words.title}
        actions={
          mayExport && (
            <Button icon="download" onClick={() => void download(path, values, words.file)}>
              {commonTexts.export}
            </Button>
          )
        }
      />
      <Chain mayVerify={maySeeAll} />
      <Filters filters={filters} values={values} onChange={change} />
      <Card>
        <DataTable
          caption={words.caption}
          columns={columnsOf({ openId, toggle })}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <EmptyState icon="shield">{isFiltered ? words.emptyFiltered : words.empty}</EmptyState>
          }
          foot={!maySeeAll && words.onlyOwn}
          detailOf={(line) => line.id === openId && <Details line={line} />}
        />
      </Card>
    </>
  )
}

function useAuditFilters(maySeeAll: boolean): Filter[] {
  const maySeeTeam = useMay('team.see')
  const { data } = useRead<Members>(
    'team users',
    '/v1/team/users',
    {},
    { isEnabled: maySeeAll && maySeeTeam, mayBeMissing: true },
  )
  const people = (data?.items ?? []).map(({ id, name, email }) => ({
    value: id,
    label: `${name} (${email})`,
  }))
  const actions = filterActions.map((value) => ({ value, label: words.action(value) }))
  const ofPeople: Filter = { kind: 'choice', name: 'actor', label: words.person, options: people }
  return [
    ...(people.length > 0 ? [ofPeople] : []),
    { kind: 'choice', name: 'action', label: words.what, options: actions },
    { kind: 'period', label: words.period },
  ]
}

/** How far the chain goes and when it was last verified. */
function Chain({ mayVerify }: { mayVerify: boolean }) {
  const { data: state, error, refetch } = useRead<ChainState>('audit head', `${path}/head`)
  const [verdict, setVerdict] = useState<ChainVerdict | null>(null)
  const { write, isBusy, refusal } = useWrite<ChainVerdict>({
    isKeyed: false,
    reads: ['audit head'],
  })
  if (!state)
    return (
      <Card isPadded>
        {error ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : (
          <Skeleton height={44} />
        )}
      </Card>
    )
  const { verifiedAt, fault } = state
  const elapsedMs = verifiedAt === null ? 0 : Date.now() - Date.parse(verifiedAt)
  return (
    <Card isPadded>
      <div className="row spread wrap">
        <div className="stack" style={{ gap: 4 }}>
          <p className="row wrap" role="status">
            {verifiedAt === null ? (
              <Chip>{words.notVerified}</Chip>
            ) : (
              <Chip tone={fault === null ? 'good' : 'bad'}>{words.verified(elapsedMs)}</Chip>
            )}
            <span className="soft">
              {verdict && verdict.fault === null
                ? (verdict.isWhole ? words.isWhole : words.isNewest)(verdict.lines)
                : words.chain(state.number)}
            </span>
          </p>
          <p className="soft small">
            {words.head} <Reference value={state.hash} isShort />
          </p>
        </div>
        {mayVerify && (
          <Button
            icon="shield"
            isBusy={isBusy}
            onClick={async () => setVerdict((await write(`${path}/verify`)) ?? null)}
          >
            {words.verify}
          </Button>
        )}
      </div>
      {fault !== null && (
        <Note tone="bad" title={words.broken}>
          <p>{words.brokenText(fault)}</p>
        </Note>
      )}
      <Refusal error={refusal} />
    </Card>
  )
}

type Opened = { openId: string | null; toggle: (id: string) => void }

function columnsOf({ openId, toggle }: Opened): Column<AuditLine>[] {
  return [
    {
      name: 'time',
      head: words.columns.time,
      cell: ({ createdAt }) => <Time value={createdAt} />,
      phone: 2,
    },
    {
      name: 'person',
      head: words.columns.person,
      cell: ({ actorName, actor }) => (
        <span className="no-wrap" title={actor}>
          {actorName ?? actor}
        </span>
      ),
      phone: 3,
    },
    {
      name: 'action',
      head: words.columns.action,
      cell: (line) => <b>{describeLine(line)}</b>,
      isGrowing: true,
      phone: 1,
    },
    {
      name: 'subject',
      head: words.columns.subject,
      cell: ({ details }) => <Subject reference={details.reference} />,
      isWideOnly: true,
    },
    {
      name: 'address',
      head: words.columns.address,
      cell: ({ address }) => <span className="soft mono">{address ?? '–'}</span>,
      isWideOnly: true,
    },
    {
      name: 'details',
      head: <span className="hidden">{words.columns.details}</span>,
      cell: ({ id, number }) => (
        <Button
          size="small"
          label={`${openId === id ? words.hide : words.show} ${number}`}
          onClick={() => toggle(id)}
        >
          {openId === id ? words.hide : words.show}
        </Button>
      ),
      align: 'end',
      phone: 4,
    },
  ]
}

/** What was changed, with a link if it has a screen. */
function Subject({ reference }: { reference: unknown }) {
  if (typeof reference !== 'string') return <span className="soft">–</span>
  const to = pathOfReference(reference)
  const shown = <span className="mono no-wrap">{shorten(reference)}</span>
  return to ? <Link to={to}>{shown}</Link> : shown
}

function Details({ line }: { line: AuditLine }) {
  const { before, after, ...rest } = line.details
  const facts = {
    [words.columns.number]: `${line.number}`,
    [words.columns.person]: line.actor,
    [words.columns.address]: line.address,
    [words.request]: line.requestId && <Reference value={line.requestId} />,
    [words.session]: line.sessionId && <Reference value={line.sessionId} isShort />,
    [words.hash]: <Reference value={line.hash} isShort />,
  }
  const parts = { [words.before]: before, [words.after]: after }
  return (
    <div className="stack" style={{ gap: 14 }}>
      <dl className="row wrap small" style={{ columnGap: 28, rowGap: 8 }}>
        {Object.entries(facts).map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt className="soft">{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {before !== undefined && (
        <div className="two-columns">
          {Object.entries(parts).map(([name, value]) => (
            <div key={name} className="stack" style={{ gap: 6 }}>
              <p className="soft small">{name}</p>
              <JsonView value={value} label={name} />
            </div>
          ))}
        </div>
      )}
      {Object.keys(rest).length > 0 && (
        <div className="stack" style={{ gap: 6 }}>
          <p className="soft small">{words.sent}</p>
          <JsonView value={rest} label={words.sent} />
        </div>
      )}
    </div>
  )
}
