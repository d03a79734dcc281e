import { Link } from '@tanstack/react-router'
import { describeIssue, hasApiWords } from '../api/plain-words'
import { toRefusal } from '../api/refusal'
import { commonTexts } from '../texts/common'
import { Button } from './button'
import { Card, Note, PageHead } from './page'

type Props = { error: unknown; what?: string; retry?: () => void }

/** A read that failed: what failed, the request to ask about, and a way to try again. */
export function ErrorState({ error, what, retry }: Props) {
  const { status, sentence, requestId } = toRefusal(error)
  const title = status === 403 ? commonTexts.forbidden : (what ?? commonTexts.notLoaded)
  return (
    <div className="padded">
      <Note tone="bad" title={title}>
        <p>{sentence}</p>
        {requestId && (
          <p className="soft small">
            {commonTexts.requestId} <span className="mono">{requestId}</span>
          </p>
        )}
        {retry && status !== 403 && (
          <p style={{ marginTop: 10 }}>
            <Button size="small" icon="redo" onClick={retry}>
              {commonTexts.retry}
            </Button>
          </p>
        )}
      </Note>
    </div>
  )
}

/** A page whose main read failed. */
export function ErrorPage(props: Omit<Props, 'what'>) {
  return (
    <>
      <PageHead title={commonTexts.notLoaded} />
      <Card>
        <ErrorState {...props} what="" />
      </Card>
    </>
  )
}

/**
 * A write that was refused, in words for people. Issues of fields in `atFields` are shown at these
 * fields, the others here.
 */
export function Refusal({ error, atFields = [] }: { error: unknown; atFields?: string[] }) {
  if (!error) return null
  const { sentence, details, reason, nextStep, requestId } = toRefusal(error)
  const others = details
    .filter(({ field }) => !atFields.includes(field))
    .map(describeIssue)
    .filter(({ label, issue }) => label && sentence !== `${label} ${issue}.`)
  return (
    <div role="alert">
      <Note tone="bad" title={sentence}>
        {others.map(({ label, issue }) => (
          <p key={label}>
            <b>{label}</b> {issue}
          </p>
        ))}
        {nextStep && !hasApiWords(nextStep) && <p>{nextStep}</p>}
        {reason === 'payouts_frozen' && (
          <Link className="link" to="/payouts/freezes">
            {commonTexts.seeFreezes}
          </Link>
        )}
        {requestId && (
          <p className="soft small">
            {commonTexts.requestId} <span className="mono">{requestId}</span>
          </p>
        )}
      </Note>
    </div>
  )
}
