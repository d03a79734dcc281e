import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import { type Html, html } from '../../base/html.js'
import { Refusal } from '../../base/refusal.js'
import type { SignedIn } from '../../team/sessions.js'
import { getFactors, hasSecondFactor } from '../../team/users.js'
import {
  clearedStepCookie,
  isLoopbackHost,
  sessionCookie,
  stepCookie,
} from '../auth/session-cookie.js'
import { answerPage, newNonce } from '../checkout-page/answer-page.js'
import { drawQr } from '../checkout-page/draw-qr.js'
import { answerScript, type PageScript } from '../checkout-page/page-script.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { type Document, type Route, route } from '../server/route.js'
import { describeBrowser } from './describe-browser.js'
import { checkMayChangeFactors } from './own-account.js'
import { confirmTotp, offerTotp, readOffer, type TotpOffer } from './own-factors.js'
import { refuseForeignForm } from './own-pages-only.js'
import { renderFormFields, renderPage, renderPasskeyButton, renderProblem } from './page.js'
import { getUserOfStep, signInWithCode, signInWithPassword } from './sign-in.js'
import { takesPasskeys, type Visit, visitOf } from './visit.js'

const home = '/console'
export const signInPath = '/console/sign-in'
export const codePath = `${signInPath}/code`
export const secondFactorPath = `${signInPath}/second-factor`

export const pageBase = { access: 'open', isPage: true, tag: 'Console', answers: {} } as const
export const formFields = Type.Object({}, { additionalProperties: true })
const query = Type.Object({ next: Type.Optional(Type.Any()), switch: Type.Optional(Type.Any()) })

/** Pages that sign users in. They work without script, except for passkeys. */
export function signInPages(api: ApiParts, script: PageScript): Route[] {
  return [
    showSignIn(api, script),
    submitPassword(api, script),
    showCode(api),
    submitCode(api),
    showSecondFactor(api, script),
    submitSecondFactor(api, script),
    route({
      ...pageBase,
      method: 'GET',
      path: `${signInPath}/assets/:name`,
      operation: 'getSignInAsset',
      summary: 'Get the script of the sign-in pages',
      description: 'Its name contains a hash of its content.',
      params: Type.Object({ name: Type.String() }),
      async handle({ params: { name }, headers }) {
        return answerScript(script, { name, headers })
      },
    }),
  ]
}

/** A field of a form or query: text, or nothing. */
export function textOf(fields: unknown, name: string): string {
  const value = (fields as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

export function scriptUrlOf(script: PageScript): string {
  return `${signInPath}/assets/${script.fileName}`
}

export type ShownPage = { status: number; title: string; main: Html; aside?: Html | undefined }

export function answerShown(
  headers: IncomingHttpHeaders,
  shown: ShownPage,
  script?: PageScript,
): Promise<Document> {
  const nonce = newNonce()
  const { title, main, aside } = shown
  const scriptUrl = script && scriptUrlOf(script)
  const text = renderPage({ nonce, title, main, aside, scriptUrl })
  return answerPage({ headers }, { status: shown.status, text, nonce })
}

export function redirect(location: string, cookies: string[] = []): Document {
  const headers = { location, ...(cookies.length > 0 && { 'set-cookie': cookies }) }
  return { status: 303, body: '', contentType: 'text/plain', headers }
}

/** Signed in: the next page, under a new session. */
export function welcomeTo(visit: Visit, token: string, location: string): Document {
  return redirect(location, [sessionCookie(visit, token), clearedStepCookie(visit)])
}

export const withNext = (path: string, next: string) => `${path}?next=${encodeURIComponent(next)}`

export type Problem = { message: string; status: number }

/** A refusal that the page shows; anything else is passed on. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return { message: error.message, status: error.status }
  throw error
}

export async function findSignedIn(api: ApiParts, visit: Visit): Promise<SignedIn | undefined> {
  return visit.sessionToken === undefined ? undefined : api.sessions.find(visit.sessionToken)
}

const showSignIn = (api: ApiParts, script: PageScript) =>
  route({
    ...pageBase,
    method: 'GET',
    path: signInPath,
    operation: 'showSignIn',
    summary: 'Show the sign-in page',
    description: '`next` is the page of the console to continue with.',
    query,
    async handle(request) {
      const visit = visitOf(api, request)
      const next = safeNext(request.query.next)
      const isSwitching = request.query.switch === '1'
      const present = await findSignedIn(api, visit)
      const isWhole = present && !present.memberships.some(({ isSignedOut }) => isSignedOut)
      if (!isSwitching && isWhole) return redirect(next)
      return answerShown(request.headers, renderSignIn(visit, { next }), script)
    },
  })

const submitPassword = (api: ApiParts, script: PageScript) =>
  route({
    ...pageBase,
    method: 'POST',
    path: signInPath,
    takesForm: true,
    operation: 'submitPassword',
    summary: 'Submit the sign-in page',
    description: 'From the page itself only.',
    body: formFields,
    async handle(request) {
      refuseForeignForm(api, request)
      const { body, headers } = request
      const visit = visitOf(api, request)
      const next = safeNext(textOf(body, 'next'))
      const email = textOf(body, 'email')
      try {
        const given = { email, password: textOf(body, 'password') }
        const result = await signInWithPassword(api, visit, given)
        if (!result.isSignedIn)
          return redirect(withNext(codePath, next), [stepCookie(visit, result.stepToken)])
        return welcomeTo(visit, result.token, withNext(secondFactorPath, next))
      } catch (error) {
        const problem = problemOf(error)
        return answerShown(headers, renderSignIn(visit, { next, email, problem }), script)
      }
    },
  })

function renderSignIn(
  { site, headers }: Visit,
  { next, email, problem }: { next: string; email?: string; problem?: Problem },
): ShownPage {
  const isLocal = isLoopbackHost(headers.host)
  const main = html`<h1>Sign in</h1><p class="soft">to the console on ${site.host}</p>
    ${renderProblem(problem?.message)}
    ${
      takesPasskeys(site) &&
      renderPasskeyButton({
        act: 'sign-in',
        label: 'Use a passkey',
        next,
        failed: 'No passkey was used. Try again, or use your password.',
      })
    }
    <form method="post" action="${signInPath}"><input type="hidden" name="next" value="${next}">
    ${renderFormFields(
      {
        name: 'email',
        label: 'Email',
        type: 'email',
        autocomplete: 'username webauthn',
        ...(email !== undefined && { value: email }),
      },
      {
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'current-password',
      },
    )}
    <button class="button">Continue</button></form>
    <p class="soft small">Forgot it? There is no reset by mail: ask an owner of your team for a new
    link, or on the server run <span class="mono">npx manilla users link you@example.com</span></p>`
  const status = problem?.status ?? 200
  return { status, title: 'Sign in', main, aside: isLocal ? firstTime : undefined }
}

const firstTime = html`<section class="terminal" aria-label="First time">
  <h2>First time? <code>npm start</code> prints a link that signs you in, once</h2>
  <pre>$ npm start

<b>◯ Manilla is ready</b>

  Console     http://localhost:8080/console/start/…
              opens once; for another: npx manilla console</pre></section>`

const showCode = (api: ApiParts) =>
  route({
    ...pageBase,
    method: 'GET',
    path: codePath,
    operation: 'showCode',
    summary: 'Show the page for the second factor',
    description: 'After the password.',
    query,
    async handle(request) {
      const visit = visitOf(api, request)
      const next = safeNext(request.query.next)
      return answerCode(api, visit, { next })
    },
  })

const submitCode = (api: ApiParts) =>
  route({
    ...pageBase,
    method: 'POST',
    path: codePath,
    takesForm: true,
    operation: 'submitCode',
    summary: 'Submit the second factor',
    description: 'From the page itself only.',
    body: formFields,
    async handle(request) {
      refuseForeignForm(api, request)
      const visit = visitOf(api, request)
      const next = safeNext(textOf(request.body, 'next'))
      try {
        const token = await signInWithCode(api, visit, textOf(request.body, 'code'))
        return welcomeTo(visit, token, next)
      } catch (error) {
        return answerCode(api, visit, { next, problem: problemOf(error) })
      }
    },
  })

/** Redirects to the password if it was not entered yet. */
async function answerCode(
  api: ApiParts,
  visit: Visit,
  { next, problem }: { next: string; problem?: Problem },
): Promise<Document> {
  const user = await getUserOfStep(api, visit).catch(problemOf)
  if (!('email' in user)) return redirect(withNext(signInPath, next), [clearedStepCookie(visit)])
  const main = html`<h1>Enter a code</h1>
    <p class="soft">for ${user.email}, from your authenticator app. A recovery code works, too.</p>
    ${renderProblem(problem?.message)}
    <form method="post" action="${codePath}"><input type="hidden" name="next" value="${next}">
    ${renderFormFields({
      name: 'code',
      label: 'Code',
      autocomplete: 'one-time-code',
      inputmode: 'text',
    })}
    <button class="button strong">Sign in</button></form>
    <p class="soft small"><a href="${withNext(signInPath, next)}">Sign in with a passkey, or as
    another user</a></p>`
  return answerShown(visit.headers, { status: problem?.status ?? 200, title: 'Enter a code', main })
}

/** The user whose factors the page may add, or where to go instead. */
async function findNewcomer(
  api: ApiParts,
  visit: Visit,
  next: string,
): Promise<SignedIn | Document> {
  const signedIn = await findSignedIn(api, visit)
  if (!signedIn) return redirect(withNext(signInPath, next))
  const factors = await getFactors(api.db, signedIn.userId)
  if (hasSecondFactor(factors)) return redirect(next)
  // Without a fresh proof, a stolen cookie could add a factor of its own.
  const refusal = await checkMayChangeFactors(api, signedIn, visit.now).catch(problemOf)
  return 'message' in refusal ? redirect(`${withNext(signInPath, next)}&switch=1`) : signedIn
}

const showSecondFactor = (api: ApiParts, script: PageScript) =>
  route({
    ...pageBase,
    method: 'GET',
    path: secondFactorPath,
    operation: 'showSecondFactor',
    summary: 'Offer a second factor',
    description: 'To users who have none.',
    query,
    async handle(request) {
      const visit = visitOf(api, request)
      const next = safeNext(request.query.next)
      const newcomer = await findNewcomer(api, visit, next)
      if ('status' in newcomer) return newcomer
      const offer = offerTotp(api, visit.now, newcomer)
      return answerShown(request.headers, renderOffer(visit, { next, offer }), script)
    },
  })

const submitSecondFactor = (api: ApiParts, script: PageScript) =>
  route({
    ...pageBase,
    method: 'POST',
    path: secondFactorPath,
    takesForm: true,
    operation: 'submitSecondFactor',
    summary: 'Confirm an authenticator app',
    description: 'From the page itself only.',
    body: formFields,
    async handle(request) {
      refuseForeignForm(api, request)
      const { body, headers } = request
      const visit = visitOf(api, request)
      const next = safeNext(textOf(body, 'next'))
      const newcomer = await findNewcomer(api, visit, next)
      if ('status' in newcomer) return newcomer
      const given = { enrolment: textOf(body, 'enrolment'), signedIn: newcomer }
      const known = readOffer(api, visit.now, given)
      const code = textOf(body, 'code')
      const codes =
        known && (await confirmTotp(api, visit, { signedIn: newcomer, offer: known, code }))
      if (codes) return answerShown(headers, renderRecoveryCodes(codes, next))
      const offer = known ?? offerTotp(api, visit.now, newcomer)
      const message = 'This code does not match. Enter the one that your app shows now.'
      const problem = { message, status: 422 }
      return answerShown(headers, renderOffer(visit, { next, offer, problem }), script)
    },
  })

function renderOffer(
  visit: Visit,
  { next, offer, problem }: { next: string; offer: TotpOffer; problem?: Problem },
): ShownPage {
  const { site } = visit
  const main = html`<h1>Add a second factor</h1>
    <p class="soft">Live mode and operator pages need one. Test mode works without it.</p>
    ${renderProblem(problem?.message)}
    ${
      takesPasskeys(site) &&
      renderPasskeyButton({
        act: 'add',
        label: 'Add a passkey',
        next,
        failed: 'No passkey was added. Try again, or use an authenticator app.',
        name: describeBrowser(visit.browser),
      })
    }
    <section class="card"><h2>Authenticator app</h2>
    <p class="soft small">Scan the code with the app, or type the key
      <span class="mono">${groupBySpaces(offer.secret)}</span></p>
    ${drawQr(offer.uri, 'QR code for an authenticator app')}
    <form method="post" action="${secondFactorPath}">
    <input type="hidden" name="next" value="${next}">
    <input type="hidden" name="enrolment" value="${offer.enrolment}">
    ${renderFormFields({
      name: 'code',
      label: 'Code that the app shows',
      autocomplete: 'one-time-code',
      inputmode: 'numeric',
    })}
    <button class="button strong">Confirm</button></form></section>
    <p class="small"><a href="${next}">Later</a></p>`
  return { status: problem?.status ?? 200, title: 'Add a second factor', main }
}

function groupBySpaces(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ')
}

function renderRecoveryCodes(codes: string[], next: string): ShownPage {
  const main = html`<h1>Keep these recovery codes</h1>
    <p class="soft">Each signs you in once if you lose your device. They are not shown again.</p>
    <ul class="card codes mono">${codes.map((code) => html`<li>${code}</li>`)}</ul>
    <a class="button strong" href="${next}">Continue to the console</a>`
  return { status: 200, title: 'Recovery codes', main }
}

/**
 * Where to go after signing in: a page of this console, whatever the link says. A link to another
 * site, or to a path that a browser reads as one, leads home.
 */
function safeNext(text: unknown): string {
  if (typeof text !== 'string' || !text.startsWith('/') || /[\\\p{Cc}]/u.test(text)) return home
  const anywhere = 'https://console.invalid'
  if (!URL.canParse(text, anywhere)) return home
  const { origin, pathname, search } = new URL(text, anywhere)
  const isOwn = origin === anywhere && (pathname === home || pathname.startsWith(`${home}/`))
  return isOwn ? pathname + search : home
}
