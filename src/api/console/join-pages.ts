import Type from 'typebox'
import { type Html, html } from '../../base/html.js'
import type { Invitation } from '../../team/invitations.js'
import { signInLimits } from '../../team/limits.js'
import { stepCookie } from '../auth/session-cookie.js'
import type { ApiParts } from '../pipeline/api-parts.js'
import { type Document, type Route, route } from '../server/route.js'
import { findJoin, type Join, type Joined, join, linkEnded } from './join.js'
import { refuseForeignForm } from './own-pages-only.js'
import { renderFormFields, renderProblem } from './page.js'
import {
  answerShown,
  codePath,
  findSignedIn,
  formFields,
  type Problem,
  pageBase,
  problemOf,
  redirect,
  type ShownPage,
  secondFactorPath,
  signInPath,
  textOf,
  welcomeTo,
  withNext,
} from './sign-in-pages.js'
import { type Visit, visitOf } from './visit.js'

const path = '/console/join/:token'
const params = Type.Object({ token: Type.String() })

/** Links of invitations and for new passwords. Reading one uses nothing up: previews read it. */
export function joinPages(api: ApiParts): Route[] {
  return [
    route({
      ...pageBase,
      method: 'GET',
      path,
      operation: 'showInvitation',
      summary: 'Show an invitation',
      description: 'Or the form for a new password.',
      params,
      query: Type.Object({}),
      async handle(request) {
        const { token } = request.params
        const visit = visitOf(api, request)
        return answerJoin(visit, token, await find(api, visit, token))
      },
    }),
    route({
      ...pageBase,
      method: 'POST',
      path,
      takesForm: true,
      operation: 'acceptInvitation',
      summary: 'Accept an invitation',
      description: 'From the page itself only. Uses the link up.',
      params,
      body: formFields,
      async handle(request) {
        refuseForeignForm(api, request)
        const { token } = request.params
        const { body } = request
        const visit = visitOf(api, request)
        const found = await find(api, visit, token)
        if (!found) return answerJoin(visit, token, undefined)
        const given = { name: textOf(body, 'name'), password: textOf(body, 'password') }
        try {
          return answerJoined(visit, token, await join(api, visit, { to: found, given }))
        } catch (error) {
          const problem = problemOf(error)
          // The link ended while the page was open.
          if (problem.status === 404) return answerJoin(visit, token, undefined)
          return answerJoin(visit, token, found, { ...problem, name: given.name })
        }
      },
    }),
  ]
}

function answerJoined(visit: Visit, token: string, joined: Joined): Document {
  const back = `/console/join/${token}`
  switch (joined.kind) {
    case 'signed_in':
      return welcomeTo(visit, joined.token, withNext(secondFactorPath, '/console'))
    case 'accept_next':
      return welcomeTo(visit, joined.token, back)
    case 'code_next':
      return redirect(withNext(codePath, back), [stepCookie(visit, joined.stepToken)])
    case 'sign_in_next':
      return redirect(signInPath)
    case 'joined':
      return redirect('/console')
  }
}

async function find(api: ApiParts, visit: Visit, token: string): Promise<Join | undefined> {
  const signedIn = await findSignedIn(api, visit)
  return findJoin(api, visit, { token, signedIn })
}

function answerJoin(
  visit: Visit,
  token: string,
  found: Join | undefined,
  problem?: Problem & { name: string },
): Promise<Document> {
  const shown = found ? renderJoin(found, token, problem) : renderEnded()
  return answerShown(visit.headers, shown)
}

function renderEnded(): ShownPage {
  const main = html`<h1>This link does not work</h1><p>${linkEnded().message}</p>
    <p class="soft">Ask the person who sent it for a new one.</p>
    <a class="button" href="${signInPath}">Sign in</a>`
  return { status: 404, title: 'Link ended', main }
}

function renderJoin(found: Join, token: string, problem?: Problem & { name: string }): ShownPage {
  const { invitation } = found
  const status = problem?.status ?? 200
  const title = found.kind === 'reset' ? 'Set a new password' : `Join ${targetOf(invitation)}`
  const rest =
    found.kind === 'accept' ? renderAccept(token) : renderForm(found, token, problem?.name)
  const main = html`<h1>${title}</h1>${describe(found)}${renderProblem(problem?.message)}
    ${rest}`
  return { status, title, main }
}

function targetOf({ purpose, merchantName }: Invitation): string {
  return purpose.kind === 'operator' ? 'the operators' : (merchantName ?? '')
}

function describe({ kind, invitation }: Join): Html {
  const { purpose, email } = invitation
  if (kind === 'reset') return html`<p class="soft">for ${email}. It signs you out everywhere.</p>`
  if (purpose.kind !== 'member') return html`<p class="soft">as ${email}, an operator.</p>`
  const modes = purpose.maySeeLive ? 'in test and live mode' : 'in test mode'
  return html`<p class="soft">as ${email}, with the role ${purpose.role}, ${modes}.</p>`
}

function renderForm(found: Join, token: string, name: string | undefined): Html {
  const { passwordLengthMin } = signInLimits
  const isJoin = found.kind === 'join'
  const { email } = found.invitation
  const nameField = {
    name: 'name',
    label: 'Your name',
    autocomplete: 'name',
    ...(name !== undefined && { value: name }),
  }
  const passwordField = {
    name: 'password',
    label: isJoin ? 'Choose a password' : 'New password',
    type: 'password',
    autocomplete: 'new-password',
    minlength: passwordLengthMin,
    hint: `At least ${passwordLengthMin} characters. Four words that do not belong together are good.`,
  }
  return html`<form method="post" action="/console/join/${token}">
    <input type="hidden" name="email" autocomplete="username" value="${email}">
    ${isJoin ? renderFormFields(nameField, passwordField) : renderFormFields(passwordField)}
    <button class="button strong">${isJoin ? 'Join' : 'Set password'}</button></form>
    ${isJoin && renderSignIn(email, token)}`
}

/** Shown to every visitor: the page does not reveal whether the address has an account. */
function renderSignIn(email: string, token: string): Html {
  const next = withNext(signInPath, `/console/join/${token}`)
  return html`<p class="soft small">If you already have an account for ${email},
    <a href="${next}&amp;switch=1">sign in</a> to join with it. Your name and password stay the
    same.</p>`
}

function renderAccept(token: string): Html {
  return html`<form method="post" action="/console/join/${token}"><input type="hidden"
    name="join" value="yes"><button class="button strong">Join</button></form>`
}
