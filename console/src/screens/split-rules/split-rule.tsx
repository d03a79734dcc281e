import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { SplitRule } from '../../../../sdk/src/types'
import { useRead } from '../../api/reads'
import { useMay } from '../../api/session'
import { noteRecent } from '../../frame/recent'
import { ResourcePage } from '../../frame/resource-page'
import { Button } from '../../parts/button'
import { CopyBlock } from '../../parts/code'
import { DataTable } from '../../parts/data-table'
import { SelectField } from '../../parts/fields'
import { Reference } from '../../parts/identifiers'
import { JsonCard } from '../../parts/json-card'
import { Card, Fact, Facts, PageHead } from '../../parts/page'
import { Time } from '../../parts/time'
import { WhenRead } from '../../parts/when-read'
import { SubaccountLink } from '../subaccounts/subaccount-link'
import { Bearer } from './bearer'
import { describeRelease, describeShare } from './describe-line'
import { PreviewCard, usePreview, useTried } from './preview'
import { splitTexts } from './texts'

const words = splitTexts.page
const path = '/v1/split-rules'

export function Screen() {
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  const read = useRead<SplitRule>('split rule', `${path}/${reference}`)
  return (
    <ResourcePage path={`${path}/${reference}`} read={read} heights={[300, 120]} isWide>
      {(rule) => <RulePage rule={rule} />}
    </ResourcePage>
  )
}

function RulePage({ rule }: { rule: SplitRule }) {
  const { reference, name, asset } = rule
  const [version, setVersion] = useState(rule.version)
  // A new version is shown when it is saved, here or elsewhere.
  useEffect(() => setVersion(rule.version), [rule.version])
  useEffect(
    () => noteRecent({ path: `/subaccounts/rules/${reference}`, title: name }),
    [reference, name],
  )
  const isCurrent = version === rule.version
  const older = useRead<SplitRule>(
    'split rule',
    `${path}/${reference}`,
    { version },
    { isEnabled: !isCurrent },
  )
  const mayChange = useMay('subaccounts.change')
  const tried = useTried(asset)
  const divided = usePreview({ rule: reference }, tried)
  return (
    <>
      <PageHead
        parent={{
          to: '/subaccounts/rules',
          label: splitTexts.title,
          current: <Reference value={reference} />,
        }}
        title={name}
        actions={
          mayChange && (
            <Button kind="primary" icon="gear" to={`/subaccounts/rules/${reference}/change`}>
              {words.change}
            </Button>
          )
        }
      />
      <div className="with-aside wide-aside">
        <div className="stack">
          {isCurrent ? (
            <Lines
              rule={rule}
              aside={<Versions rule={rule} value={version} onChange={setVersion} />}
            />
          ) : (
            <WhenRead read={older} hasCard>
              {(shown) => (
                <Lines
                  rule={shown}
                  isOlder
                  aside={<Versions rule={rule} value={version} onChange={setVersion} />}
                />
              )}
            </WhenRead>
          )}
          <Card title={words.use} layout="form">
            <p className="soft">{words.useText}</p>
            <CopyBlock text={JSON.stringify({ splits: { rule: reference } })} label={words.use} />
          </Card>
        </div>
        <div className="stack">
          <PreviewCard tried={tried} divided={divided} />
          <RuleFacts rule={rule} />
        </div>
      </div>
    </>
  )
}

type VersionsProps = { rule: SplitRule; value: number; onChange: (version: number) => void }

function Versions({ rule, value, onChange }: VersionsProps) {
  if (rule.version === 1) return <span className="soft small">{splitTexts.version(1)}</span>
  const options = Object.fromEntries(
    Array.from({ length: rule.version }, (_, index) => {
      const number = index + 1
      const label = number === rule.version ? words.current(number) : words.older(number)
      return [`v${number}`, label]
    }).reverse(),
  )
  return (
    <SelectField
      hiddenLabel={words.version}
      options={options}
      value={`v${value}`}
      onChange={(chosen) => onChange(Number(chosen.slice(1)))}
    />
  )
}

type LinesProps = { rule: SplitRule; isOlder?: boolean; aside: React.ReactNode }

function Lines({ rule, isOlder = false, aside }: LinesProps) {
  const { lines, asset, feeBearer, versionCreatedAt } = rule
  const hasRemainder = lines.some(({ remainder }) => remainder)
  const rows = lines.map((line, index) => ({ ...line, number: index + 1 }))
  return (
    <Card title={words.lines} aside={aside}>
      {isOlder && <p className="soft hint">{words.olderNote}</p>}
      <DataTable
        caption={words.linesCaption}
        list={{ rows }}
        keyOf={({ number }) => String(number)}
        empty={null}
        columns={[
          {
            name: 'number',
            head: words.number,
            isSoft: true,
            cell: ({ number }) => number,
          },
          {
            name: 'who',
            head: words.who,
            phone: 1,
            cell: ({ subaccount }) => <SubaccountLink reference={subaccount} />,
          },
          {
            name: 'share',
            head: words.share,
            phone: 2,
            cell: (line) => <b className="medium">{describeShare(line, asset)}</b>,
          },
          {
            name: 'released',
            head: words.released,
            phone: 3,
            isSoft: true,
            cell: (line) => describeRelease(line),
          },
        ]}
      />
      <Facts>
        <Fact name={words.bearer}>
          <Bearer value={feeBearer} />
        </Fact>
        <Fact name={words.versionFrom}>
          <Time value={versionCreatedAt} />
        </Fact>
      </Facts>
      <p className="soft hint">{hasRemainder ? words.restOfRemainder : words.rest}</p>
    </Card>
  )
}

function RuleFacts({ rule }: { rule: SplitRule }) {
  return (
    <JsonCard title={words.rule} value={rule} words={words}>
      <Facts>
        <Fact name={words.asset}>{rule.asset ?? words.anyAsset}</Fact>
        <Fact name={words.version}>{rule.version}</Fact>
        <Fact name={words.created}>
          <Time value={rule.createdAt} />
        </Fact>
      </Facts>
    </JsonCard>
  )
}
