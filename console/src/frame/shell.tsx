import { commonTexts } from '../texts/common'
import { frameTexts } from './texts'
import './frame.css'
import { Outlet, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { goToSignIn } from '../api/call'
import { followChanges } from '../api/live'
import { linkedMode, useScope, writeScope } from '../api/scope'
import {
  type ConsoleSession,
  useMembership,
  usePermissions,
  useSession,
  useSessionQuery,
} from '../api/session'
import { stepUpAsked } from '../api/step-up'
import { useStore } from '../api/store'
import { notify } from '../parts/notify'
import { EmptyPage, Note } from '../parts/page'
import { ErrorState } from '../parts/refusals'
import { setClockOffset } from '../parts/time-format'
import { isDeveloperPath, mayOpen } from '../routes'
import type { ScreenRoute } from '../screens/screen-route'
import { useFocusOnHeading } from './focus-heading'
import { useKeys } from './keys'
import { useIsOperatorArea } from './menu'
import { Offline } from './offline'
import { openedPanel } from './panels'
import { Sidebar } from './sidebar'
import { Tabs } from './tabs'
import { TestBand } from './test-band'
import { TopBar } from './top-bar'

const Palette = lazy(() => import('./palette').then(({ Palette }) => ({ default: Palette })))
const KeysHelp = lazy(() => import('./keys-help').then(({ KeysHelp }) => ({ default: KeysHelp })))
const StepUp = lazy(() => import('./step-up-dialog').then(({ StepUp }) => ({ default: StepUp })))

/** The frame around every screen. Reads the session first: without one, the user signs in. */
export function Shell() {
  const { data: session, error, refetch } = useSessionQuery()
  const isChosen = useChosenMerchant(session)
  if (session && isChosen) return <SignedIn />
  return (
    <main>{error && !session && <ErrorState error={error} retry={() => void refetch()} />}</main>
  )
}

/** Chooses a merchant and mode that this user may see. */
function useChosenMerchant(session: ConsoleSession | undefined): boolean {
  const scope = useScope()
  const memberships = session?.memberships ?? []
  const current = memberships.find(({ merchant }) => merchant === scope.merchant)
  const chosen = current ?? memberships.find(({ isSignedOut }) => !isSignedOut) ?? memberships[0]
  const mode = chosen?.maySeeLive ? scope.mode : 'test'
  const merchant = chosen?.merchant ?? null
  const isChosen = scope.merchant === merchant && scope.mode === mode
  const isLinkUnseen = linkedMode === 'live' && chosen?.maySeeLive === false
  useEffect(() => {
    if (session && !isChosen) writeScope({ merchant, mode })
  }, [session, isChosen, merchant, mode])
  useEffect(() => {
    if (isLinkUnseen) void notify(commonTexts.liveNotSeen, 'bad')
  }, [isLinkUnseen])
  return isChosen
}

function SignedIn() {
  const scope = useScope()
  const membership = useMembership()
  const isOperatorArea = useIsOperatorArea()
  const screen = useMatches({ select: (matches) => matches.at(-1)?.staticData }) as
    | { screen?: ScreenRoute }
    | undefined
  const { merchant, mode } = scope
  const isSignedOut = !isOperatorArea && membership?.isSignedOut === true
  const isFollowing = merchant !== null && !isOperatorArea && !isSignedOut
  useEffect(
    () => (isFollowing ? followChanges({ merchant, mode }) : undefined),
    [isFollowing, merchant, mode],
  )
  useEffect(() => {
    if (isSignedOut) goToSignIn()
  }, [isSignedOut])
  useKeys()
  useFocusOnHeading()
  if (isSignedOut) return null
  if (screen?.screen?.isBare) return <Outlet />
  const isTest = mode === 'test' && !isOperatorArea
  const offsetMs = isTest ? (membership?.clockOffsetMs ?? 0) : 0
  setClockOffset(offsetMs)
  return (
    <>
      <a className="skip" href="#content">
        {frameTexts.skip}
      </a>
      {isTest && <TestBand offsetMs={offsetMs} />}
      <Offline />
      <div className="app">
        <Sidebar />
        <div>
          <TopBar />
          <main id="content" tabIndex={-1}>
            {membership?.isSuspended && !isOperatorArea && (
              <Note tone="bad">{frameTexts.suspended}</Note>
            )}
            {/* Another merchant or mode is another page: nothing of the old one stays. */}
            <Content key={`${merchant} ${mode}`} screen={screen?.screen} />
          </main>
        </div>
      </div>
      <Tabs />
      <Panels />
    </>
  )
}

function Content({ screen }: { screen: ScreenRoute | undefined }) {
  const membership = useMembership()
  const permissions = usePermissions()
  const { isOperator } = useSession().user
  const isOperatorArea = useIsOperatorArea()
  if (!membership && !isOperatorArea && screen?.path !== '/you')
    return (
      <EmptyPage title={frameTexts.noMerchantTitle} icon="users">
        {frameTexts.noMerchant}
      </EmptyPage>
    )
  if (screen && !mayOpen(screen, { permissions, isOperator }))
    return (
      <EmptyPage title={commonTexts.forbidden} icon="shield">
        {commonTexts.forbiddenText}
      </EmptyPage>
    )
  const { zones } = commonTexts
  return (
    <>
      <Outlet />
      {screen && (
        <p className="soft small">{isDeveloperPath(screen.path) ? zones.utc : zones.lagos}</p>
      )}
    </>
  )
}

/** Dialogs of the frame. Their code is loaded when first opened. */
function Panels() {
  const panel = useStore(openedPanel)
  const asked = useStore(stepUpAsked)
  return (
    <Suspense>
      {panel === 'palette' && <Palette />}
      {panel === 'keys' && <KeysHelp />}
      {asked && <StepUp onAnswer={asked.answer} />}
    </Suspense>
  )
}
